"""Connections: how requests come in and answers leave, and the limits on both.

Nothing here knows the application: what runs a request is handed in.
"""

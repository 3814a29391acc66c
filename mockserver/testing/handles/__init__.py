"""Handles on the parts of a workspace, as `workspace.clock` and `workspace.mailbox`.

They speak HTTP only, and import neither Flask nor marshmallow.
"""

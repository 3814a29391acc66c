"""Scenarios as texts: read from YAML, laid over each other, and their mistakes told with line and path.

Nothing here knows a workspace.
"""

"""Persistent workspaces, in a file of SQLite or in Redis."""

"""Calls about workspaces and workspace state."""

"""Calls about workspaces and about the state of one."""

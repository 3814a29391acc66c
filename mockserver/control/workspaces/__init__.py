"""Calls about workspaces and what stands in one."""

"""Routing: from addresses to operations, audiences and workspaces."""

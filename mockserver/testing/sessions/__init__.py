"""Session-wide parts of the pytest plugin: server, workspaces, coverage, reports."""

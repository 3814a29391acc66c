"""What the pytest plugin does over a whole session: the server, the workspaces of tests, the sum of their coverage."""

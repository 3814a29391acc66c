"""Storage: workspaces that outlast the process, as bytes in an engine that exists, such as SQLite."""

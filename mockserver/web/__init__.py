"""Where HTTP begins: the door of every operation, who calls, how often, and the server."""

"""Where HTTP begins: the endpoint of every operation, who calls, how often, and the server."""

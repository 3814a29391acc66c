"""HTTP: the server, and the frame of all requests."""

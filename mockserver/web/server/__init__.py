"""The HTTP server: connections, the event loop, and threads for long work."""

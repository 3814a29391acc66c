"""The HTTP server: connections, the event loop, and what leaves it."""

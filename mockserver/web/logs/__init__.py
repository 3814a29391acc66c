"""The request log, and the thread that writes it."""

"""Calls about the server as a whole, and its documents."""

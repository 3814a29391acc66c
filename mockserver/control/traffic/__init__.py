"""Calls about what comes in, what goes out, and what makes it go wrong."""

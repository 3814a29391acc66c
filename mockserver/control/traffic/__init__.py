"""Calls about what comes into a workspace, what leaves it, and what makes it go wrong."""

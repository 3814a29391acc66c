"""Declarations of operations and error codes."""

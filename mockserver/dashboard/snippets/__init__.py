"""Requests as code: a command for a shell, a call in Python, a whole test."""

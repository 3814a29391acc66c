"""Workspaces as fields of bytes, which any engine can hold, and back."""

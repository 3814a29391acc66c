"""Workspaces as bytes, which any engine can hold, and back."""

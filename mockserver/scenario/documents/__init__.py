"""Scenarios as texts: read, laid over each other, and their mistakes told."""

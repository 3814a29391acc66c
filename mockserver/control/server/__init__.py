"""Calls about the server as a whole, and the documents that it serves.

A call that acts on one workspace belongs to `workspaces` or `traffic`.
"""

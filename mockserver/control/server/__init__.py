"""Calls about the server and its documents.

A call that acts on one workspace belongs to `workspaces` or `traffic`.
"""

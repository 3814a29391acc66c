"""Scenarios: loading a document into a workspace, and dumping a workspace as a document."""

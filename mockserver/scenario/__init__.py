"""Scenarios: a document into a workspace and back, through the sections that the resources bring."""

"""Scenarios: a document into a workspace and back, through the sections that the rooms bring."""

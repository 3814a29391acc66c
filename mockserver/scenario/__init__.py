"""Scenarios: a document into the state of a workspace, and back.

What a resource has in a scenario is loaded and dumped by its own section; here is what all share.
"""

"""Scenario files: finding, parsing and merging documents, and errors with file and line."""

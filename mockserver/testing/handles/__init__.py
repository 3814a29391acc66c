"""Handles on the parts of a workspace, as `workspace.clock`."""

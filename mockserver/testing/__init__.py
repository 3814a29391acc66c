"""Python test tools: local and remote servers, workspaces, pytest plugin.

Nothing is imported here: pytest loads the plugin in every run, also in those that have no use for it.
"""

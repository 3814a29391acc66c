"""A mock for tests in Python: a server in this process or elsewhere, its workspaces, and a pytest plugin.

Nothing is imported here: pytest loads the plugin in every run, also in those that have no use for it.
"""

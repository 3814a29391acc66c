"""A running workspace, and the registry in which it is found by name or by key.

What a scenario describes is in `core.state`; here is what only a running workspace has.
"""

"""A workspace in plain Python (state, clock, journal, faults), and the registry of workspaces.

No framework, socket or thread may be imported here, and no name of a resource is known.
"""

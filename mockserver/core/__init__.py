"""One workspace and what happens in it, in plain Python.

Here live state, time, the rules of the journal and of faults, and the registry of workspaces. No framework, socket or
thread may be imported here, and no name of a resource is known.
"""

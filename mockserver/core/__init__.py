"""One workspace in plain Python: no framework, socket or thread is imported, and no resource is known.

Here live state, time, the rules of the journal and of faults, and the registry of workspaces. No framework, socket or
thread may be imported here, and no name of a resource is known.
"""

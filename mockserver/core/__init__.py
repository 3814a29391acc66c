"""One workspace in plain Python: its state and time, the rules of its journal and its faults, and the registry of all.

No framework, socket or thread may be imported here, and no name of a resource is known.
"""

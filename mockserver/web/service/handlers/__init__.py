"""One handler for each audience: how its callers are identified, answered and refused.

A handler takes no lock and writes no journal: the service does, around it.
"""

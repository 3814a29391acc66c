"""The effects of a workspace, and the jobs that are under way for it.

Only protocols and bookkeeping live here; whatever opens a connection is in `mockserver.effects`.
"""

"""What a workspace asks of the world around it, and what is under way there.

Only protocols and bookkeeping live here; whatever opens a connection is in `mockserver.effects`.
"""

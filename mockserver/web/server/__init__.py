"""The HTTP server: the event loop, on which requests are run, and the threads for what takes long.

Nothing here knows what an answer says; it knows how it leaves.
"""

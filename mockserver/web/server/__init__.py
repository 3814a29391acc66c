"""The HTTP server: connections within limits, the event loop, and the threads for what takes long.

Nothing here knows what an answer says; it knows how it leaves.
"""

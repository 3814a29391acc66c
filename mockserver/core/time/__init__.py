"""The virtual clock, the timers that are due on it, and state machines as tables.

Nothing here waits: time passes only when a workspace says so.
"""

"""The virtual clock, what falls due on it, and state machines as tables."""

"""The virtual clock, timers, and state machines as tables: nothing here waits."""

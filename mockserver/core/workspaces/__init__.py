"""A running workspace, and the store in which it is found by name or by key."""

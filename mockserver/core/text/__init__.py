"""Functions of names and texts, which know neither state nor requests."""

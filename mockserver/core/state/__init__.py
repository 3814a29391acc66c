"""What a scenario describes, as plain data: no locks, callbacks or threads."""

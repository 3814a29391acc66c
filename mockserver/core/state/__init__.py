"""What a scenario describes, as plain data."""

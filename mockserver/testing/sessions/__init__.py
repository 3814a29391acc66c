"""What the pytest plugin does over a whole session."""

"""Where an address leads: to which operation, for whom, and in which workspace."""

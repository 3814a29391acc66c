"""Apps and grants in a scenario and in written state."""

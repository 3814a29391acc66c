"""The code that answers operations, and their declarations."""

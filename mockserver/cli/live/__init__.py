"""The commands that work with a workspace of a running server: they show what happens there, and change it."""

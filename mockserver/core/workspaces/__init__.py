"""Running workspaces, and the store that finds them."""

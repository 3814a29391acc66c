"""A running workspace, and the registry in which it is found."""

"""How calls of the control API are declared, taken, refused and documented."""

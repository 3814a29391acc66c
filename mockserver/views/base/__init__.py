"""How views are written: their base, and the members that they are made of."""

"""One handler for each audience: who its callers are, and how they are refused."""

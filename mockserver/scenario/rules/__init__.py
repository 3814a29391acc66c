"""How faults and patterns of requests are written."""

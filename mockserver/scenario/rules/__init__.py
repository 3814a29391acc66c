"""How faults and patterns of requests are written, in scenarios and in calls of the control API."""

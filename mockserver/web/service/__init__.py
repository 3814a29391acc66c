"""The service: callers, faults, answers and exchanges of requests."""

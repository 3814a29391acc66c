"""What lies beyond the operations that the mock has: stubs that answer for it."""

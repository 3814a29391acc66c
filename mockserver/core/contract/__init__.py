"""The contract of each operation, and every error code: declarations only."""

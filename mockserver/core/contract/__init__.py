"""What an operation promises, and every error that it can give."""

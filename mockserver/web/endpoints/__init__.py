"""Declarations of operations, and their endpoints: loading, calling, dumping."""

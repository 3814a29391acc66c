"""Servers of one store: a request that another one has to answer is forwarded to it, and its answer handed back."""

"""Stubs: schema, expressions, stored values and answers."""

"""Templates of stubs: Jinja's syntax, checked when a stub is written, and evaluated here within bounds.

Nothing but plain values can be reached: what JSON has, and the functions, filters and tests that are listed here.
"""

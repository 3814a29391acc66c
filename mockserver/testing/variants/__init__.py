"""What differs between the two variants of the handles: coroutines, and calls that block.

The coroutines are written by hand, in `mockserver.testing.asynchronous`; `.ci/synchronous.py` makes the others of them,
and puts the module `synchronous` of this folder in the place of its neighbour `asynchronous`.
"""

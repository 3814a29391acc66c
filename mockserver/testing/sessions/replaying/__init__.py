"""The program that replays a failed test.

It is copied beside the artifacts of the test, and runs there by Python and nothing else: so its modules import each
other by relative names, and nothing else of the package.
"""

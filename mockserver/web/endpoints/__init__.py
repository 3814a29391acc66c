"""The declaration of an operation, and the code that loads what was sent and dumps what is answered.

Nothing here identifies a caller or takes a lock: that has happened before.
"""

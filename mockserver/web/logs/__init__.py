"""The log of requests, and the thread that writes it.

No secret reaches a line: what is written has been redacted before.
"""

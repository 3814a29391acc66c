"""Names and texts: what they may look like, and how they are compared, cut and shown.

Functions of texts only: they know neither state nor requests.
"""

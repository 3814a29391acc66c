"""What a scenario describes, as plain data that can be copied, compared, pickled and written down.

No lock, callback or thread may be reached from here, and nothing that only a running workspace has.
"""

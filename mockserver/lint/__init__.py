"""Rules that find mistakes of clients in the journal of a workspace.

Each rule reports only what is certain from outside of the client; docs/howto/lint.md explains each, with its source.
"""

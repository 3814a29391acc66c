"""Waiting for a workspace to be free, and for something to happen in it.

The lock and the subscriptions live here; how a request waits without a thread is in `web.server`.
"""

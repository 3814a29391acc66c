"""Requests with their answers, and what is kept of them: journal, coverage, mailbox, receivers, feed.

What is kept is bounded by number and by bytes. Nothing here knows HTTP beyond methods, paths, headers and bodies.
"""

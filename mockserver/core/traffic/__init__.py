"""Requests with their answers, and bounded records of them: journal, coverage, mailbox, receivers, feed."""

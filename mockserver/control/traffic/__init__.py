"""Calls about requests, e-mails, webhooks, faults and stubs."""

"""Webhook calls, e-mails, DNS look-ups, timers; resources decide about results."""

"""What leaves the mock: webhook calls, e-mails, DNS look-ups."""

"""What is shown of requests, mails, deliveries, receivers and faults, with their secrets redacted."""

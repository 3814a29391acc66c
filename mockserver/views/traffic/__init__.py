"""What is shown of requests, mails, deliveries, receivers, faults and stubs, with their secrets redacted."""

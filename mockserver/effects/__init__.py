"""What leaves the mock and comes in beside HTTP requests: webhook calls, e-mails, DNS look-ups, timers.

Nothing here knows a resource; what is done with a result is said by whoever asked.
"""

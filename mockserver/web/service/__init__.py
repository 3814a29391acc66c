"""What happens to a request of the service: who calls, which fault applies, what is answered, what is written down.

The frame is the same for all audiences; what differs is in `handlers`.
"""

"""What requests have met of the contract, against all that it holds: a report in four forms.

Counting happens in `core.traffic.coverage`; nothing is counted here.
"""

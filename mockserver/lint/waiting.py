"""Clients that wait for an answer without end."""

from __future__ import annotations

from collections.abc import Iterator
from time import time

from mockserver.lint.finding import NO_TIMEOUT, Finding
from mockserver.lint.traffic import Traffic, name_of

#: The longest time in seconds that a client should wait. Chosen: thousands of times the time of an answer.
LONGEST_S = 30


def find_missing_timeouts(traffic: Traffic) -> Iterator[Finding]:
    """Find hanging requests for whose answer the client has waited longer than 30 s of real time."""
    now = time()
    for row in traffic.requests:
        end = now if row.is_held else row.over_at
        if row.fault_kind == "hang" and end is not None and end - row.real_at > LONGEST_S:
            waited = f"{end - row.real_at:.0f} s{' so far' if row.is_held else ''}"
            message = f"{name_of(row)} hung, and the client waited {waited} for its answer, longer than {LONGEST_S} s"
            yield Finding(NO_TIMEOUT, name_of(row), message, [row.id])

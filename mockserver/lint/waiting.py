"""Clients that wait for an answer without end."""

from __future__ import annotations

from collections.abc import Iterator
from time import time

from mockserver.lint.finding import NO_TIMEOUT, Finding
from mockserver.lint.traffic import Traffic, has_left, name_of

#: How many seconds a timeout may be long that a client has. Chosen: a common one of clients.
_LONGEST_S = 30


def find_missing_timeouts(traffic: Traffic) -> Iterator[Finding]:
    """Find hanging requests for whose answer the client has waited too long, in real time.

    A client that has left by itself has a timeout, which may be longer.
    """
    now = time()
    for row in traffic.requests:
        end = now if row.is_held else row.over_at
        most = max(traffic.timeout, _LONGEST_S) if has_left(row) else traffic.timeout
        if row.fault_kind == "hang" and end is not None and end - row.real_at > most:
            waited = f"{end - row.real_at:.0f} s{' so far' if row.is_held else ''}"
            message = f"{name_of(row)} hung, and the client waited {waited} for its answer, longer than {most:g} s"
            yield Finding(NO_TIMEOUT, name_of(row), message, [row.id])

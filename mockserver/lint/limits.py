"""Requests that come before a 429 says that they may."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from mockserver.core.text.messages import counted
from mockserver.core.traffic.exchange import Exchange
from mockserver.lint.finding import IGNORED_RATE_LIMIT, Finding
from mockserver.lint.traffic import Traffic, agent_of, between, ended_at, has_answer, identity, name_of
from mockserver.web.service.rate_limit import HEADERS, group_of

#: How many seconds a client may come too early. Chosen: timers and clocks are no more exact.
_TOLERANCE_S = 0.1
#: After how many seconds another connection's request was not under way when a 429 was sent. Chosen: longer than a
#: request takes to arrive.
_UNDER_WAY_S = 0.1


def find_ignored_limits(traffic: Traffic) -> Iterator[Finding]:
    """Find requests before the end of the seconds that a 429 tells, on the real and on the workspace's clock."""
    chains: list[list[Exchange]] = []
    for row in traffic.requests:
        if row.status != 429 or not has_answer(row) or (seconds := _told(row)) is None:
            continue
        early = _first_early(traffic, row, seconds)
        if early is None:
            continue
        chain = next((chain for chain in chains if chain[-1] is row), None)
        if chain is None:
            chains.append(chain := [row])
        chain.append(early)
    for chain in chains:
        yield _finding(chain)


def _finding(chain: list[Exchange]) -> Finding:
    first, second = chain[0], chain[1]
    refused = sum(row.status == 429 for row in chain[1:])
    waited = second.real_at - ended_at(first)
    message = (
        f"{name_of(second)} was called {waited:.1f} s after a 429 that said {_told(first)} s; "
        f"{counted(len(chain) - 1, 'call')} came too early, and {refused or 'none'} of them met a 429 again"
    )
    return Finding(IGNORED_RATE_LIMIT, message, [row.id for row in chain])


def _told(row: Exchange) -> int | None:
    """Return the seconds that a 429 tells, or None; a proxy's `Retry-After` counts, too, if it says less."""
    headers = {name.lower(): value for name, value in row.answer_headers}
    told = [headers.get(name) for name in (f"{HEADERS}reset", "retry-after")]
    found = [value for value in told if value is not None]
    if headers.get(f"{HEADERS}remaining") != "0" or not found or not all(map(str.isdecimal, found)):
        return None  # the limit was not exceeded, or a time is told in another form
    return min(map(int, found))


def _first_early(traffic: Traffic, refused: Exchange, seconds: int) -> Exchange | None:
    """Return the first request of the refused client that is too early, or None.

    The next request on its connection, and a repeat of the refused request, are certain to be of the same client.
    Without either, requests count that were refused again.
    """
    same = (refused.account, agent_of(refused), group_of(refused.method, refused.path))
    later = [
        row for row in traffic.after(refused)
        if (row.account, agent_of(row), group_of(row.method, row.path)) == same
    ]  # fmt: skip
    own = (row for row in later if _is_own(traffic, row, refused))
    resumed = next(own, None)
    if resumed is not None:
        return resumed if _is_early(resumed, refused, seconds) else None
    late = (row for row in later if row.real_at - ended_at(refused) >= _UNDER_WAY_S)
    again = (row for row in late if row.status == 429 and _is_early(row, refused, seconds))
    return next(again, None)


def _is_own(traffic: Traffic, row: Exchange, refused: Exchange) -> bool:
    is_same = bool(refused.port) and row.port == refused.port
    return (is_same or identity(row) == identity(refused)) and traffic.may_follow(row, refused)


def _is_early(row: Exchange, refused: Exchange, seconds: int) -> bool:
    """Return whether a request came before the told seconds were over, on both clocks."""
    waited = row.real_at - ended_at(refused)
    return waited < seconds - _TOLERANCE_S and between(row, refused) < timedelta(seconds=seconds - _TOLERANCE_S)

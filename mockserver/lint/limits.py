"""The rule for requests that ignore the waiting time of a 429."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import pairwise, takewhile

from mockserver.core.text.messages import counted
from mockserver.core.traffic.exchange import Exchange
from mockserver.lint.finding import IGNORED_RATE_LIMIT, Finding
from mockserver.lint.traffic import (
    REACTION_S,
    UNDER_WAY_S,
    Traffic,
    agent_of,
    between,
    ended_at,
    has_answer,
    identity,
    is_success,
    name_of,
    since,
)
from mockserver.web.service.rate_limit import HEADERS, group_of

#: How many seconds a client may come too early. Chosen: timers and clocks are no more exact.
_TOLERANCE_S = 0.1
#: How late a client is that has waited: so many seconds, or such a share of its wait. Chosen: more than clients add.
_LATE_S, _LATE_SHARE = 5, 0.2
#: For how many seconds a busy machine keeps a program from going on. Chosen: more than was seen.
_BUSY_S = 1


def find_ignored_limits(traffic: Traffic) -> Iterator[Finding]:
    """Find requests before the end of the seconds that a 429 tells, on the real and on the workspace's clock."""
    refused: defaultdict[tuple[str | None, str, str], list[Exchange]] = defaultdict(list)
    for row in traffic.requests:
        if row.status == 429 and has_answer(row):
            refused[_limited(row)].append(row)
    for rows in refused.values():
        #: By the id of the last request.
        chains: dict[str, list[Exchange]] = {}
        for row in rows:
            seconds = _told(row)
            early = None if seconds is None else _first_early(traffic, row, seconds, rows)
            if early is not None:
                chains[early.id] = [*chains.pop(row.id, [row]), early]
        yield from map(_finding, chains.values())


def _finding(chain: list[Exchange]) -> Finding:
    first, second = chain[0], chain[1]
    refused = sum(row.status == 429 for row in chain[1:])
    waited = second.real_at - ended_at(first)
    message = (
        f"{name_of(second)} was called {waited:.1f} s after a 429 that said {_told(first)} s; "
        f"{counted(len(chain) - 1, 'call')} came too early, and {refused or 'none'} of them met a 429 again"
    )
    return Finding(IGNORED_RATE_LIMIT, name_of(first), message, [row.id for row in chain])


def _told(row: Exchange) -> int | None:
    """Return the seconds that a 429 tells, or None; a proxy's `Retry-After` counts, too, if it says less."""
    headers = {name.lower(): value for name, value in row.answer_headers}
    told = [headers.get(name) for name in (f"{HEADERS}reset", "retry-after")]
    found = [value for value in told if value is not None]
    if headers.get(f"{HEADERS}remaining") != "0" or not found or not all(map(str.isdecimal, found)):
        return None  # the limit was not exceeded, or a time is told in another form
    return min(map(int, found))


def _first_early(traffic: Traffic, refused: Exchange, seconds: int, again: Sequence[Exchange]) -> Exchange | None:
    """Return the first request of the refused client that is too early, or None.

    The next request on its connection, and a repeat of the refused request, are certain to be of the same client.
    Without either, requests count that were refused `again`.
    """
    end, equal = ended_at(refused), traffic.by_identity[identity(refused)]
    repeats = [row for row in since(equal, end) if row is not refused]
    is_late = any(not _is_early(row, refused, seconds) for row in repeats[:1])
    has_waited = is_late or any(map(partial(_is_in_time, refused, seconds), repeats))
    awake = _awake_at(traffic, refused)
    certain = partial(_certain, traffic, refused, has_waited, awake)
    own = next(certain(traffic.by_connection.get(id(refused.connection), ())), None)
    if own is None and not has_waited:
        own = next(certain(repeats), None)
    if own is None and not has_waited:
        is_redone = refused.body and is_success(equal[-1]) and all(row.status == 429 for row in equal[:-1])
        own = next(since(repeats, end + REACTION_S) if is_redone else since(again, awake + UNDER_WAY_S), None)
    return own if own is not None and _is_early(own, refused, seconds) else None


def _certain(
    traffic: Traffic, refused: Exchange, has_waited: bool, awake: float, rows: Sequence[Exchange]
) -> Iterator[Exchange]:
    """Yield the requests after a 429 that the refused client has sent, although it knew of the 429.

    A pool gives the connection to any thread that was about to send, which may send an equal request, too. If the
    refused request was repeated in time, all threads have waited, and were slow to send what came soon after the 429.
    """
    end, own, first = ended_at(refused), identity(refused), refused.connection
    is_shared = traffic.connections[own.agent] > 1
    unsure_s = _LATE_S if has_waited else UNDER_WAY_S if is_shared else 0
    beside = (row.connection for row in traffic.by_identity[own] if row.connection not in (None, first))
    are_parallel = any(it.opened_at < end and traffic.last_use(it) > refused.real_at for it in beside if it is not None)
    for row in since(rows, end):
        is_sure = row.real_at >= awake + unsure_s
        if (is_sure or (identity(row) == own and not are_parallel)) and _is_own(traffic, row, refused):
            yield row


def _awake_at(traffic: Traffic, refused: Exchange) -> float:
    """Return since when a program with several threads can have known of a 429.

    After a silence of all threads, a busy machine may have kept the program from reading the answer.
    """
    end = ended_at(refused)
    soon = takewhile(lambda row: row.real_at < end + _BUSY_S, since(traffic.requests, end))
    rows = [refused, *(row for row in soon if agent_of(row) == agent_of(refused))]
    woken = [after.real_at for before, after in pairwise(rows) if after.real_at - ended_at(before) >= UNDER_WAY_S / 4]
    is_alone = all(row.connection is refused.connection for row in rows)
    return end if is_alone else max(woken, default=end)


def _is_own(traffic: Traffic, row: Exchange, refused: Exchange) -> bool:
    """Return whether the refused client itself sent a request, rather than a parallel thread."""
    is_same = row is not refused and _limited(row) == _limited(refused)
    return is_same and traffic.may_follow(row, refused) and not traffic.is_used_again(refused, row)


def _is_in_time(refused: Exchange, seconds: int, row: Exchange) -> bool:
    """Return whether a request came just after the told seconds: the repeat of a client that has waited."""
    waited = row.real_at - ended_at(refused)
    return seconds - _TOLERANCE_S <= waited < seconds + max(_LATE_S, seconds * _LATE_SHARE)


def _limited(row: Exchange) -> tuple[str | None, str, str]:
    """Return what requests of one client have in common that count towards one limit."""
    return row.account, agent_of(row), group_of(row.method, row.path)


def _is_early(row: Exchange, refused: Exchange, seconds: int) -> bool:
    """Return whether a request came before the told seconds were over, on both clocks."""
    waited = row.real_at - ended_at(refused)
    return waited < seconds - _TOLERANCE_S and between(row, refused) < timedelta(seconds=seconds - _TOLERANCE_S)

"""The rule for requests that ignore the waiting time of a 429."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import islice, takewhile

from mockserver.core.text.messages import counted
from mockserver.core.traffic.exchange import Exchange
from mockserver.lint.finding import IGNORED_RATE_LIMIT, Finding
from mockserver.lint.traffic import (
    REACTION_S,
    SILENCE_S,
    UNDER_WAY_S,
    Traffic,
    between,
    ended_at,
    has_answer,
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
#: How many requests after a 429 are looked at. Chosen: the client's own is among the first, unless many threads send.
_MOST = 100


def find_ignored_limits(traffic: Traffic) -> Iterator[Finding]:
    """Find requests before the end of the seconds that a 429 tells, on the real and on the workspace's clock."""
    refused: defaultdict[tuple[str | None, str, str], list[Exchange]] = defaultdict(list)
    #: By the first of its requests, whether a repeated write was refused until its last request was not.
    redone: dict[str, bool] = {}
    for row in traffic.requests:
        if row.status == 429 and has_answer(row):
            refused[_limited(traffic, row)].append(row)
    for rows in refused.values():
        #: By the id of the last request.
        chains: dict[str, list[Exchange]] = {}
        for row in rows:
            seconds = _told(row)
            early = None if seconds is None else _first_early(traffic, row, seconds, rows, redone)
            if early is not None:
                chain = chains[early.id] = chains.pop(row.id, [row])
                chain.append(early)
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


def _first_early(
    traffic: Traffic, refused: Exchange, seconds: int, again: Sequence[Exchange], redone: dict[str, bool]
) -> Exchange | None:
    """Return the first request of the refused client that is too early, or None.

    The next request on its connection, and a repeat of the refused request, are certain to be of the same client.
    Without either, requests count that were refused `again`.
    """
    end, equal = ended_at(refused), traffic.by_identity[traffic.identities[refused.id]]
    first = _next(equal, end, refused)
    is_late = first is not None and not _is_early(first, refused, seconds)
    in_time = _next(equal, end + max(0, seconds - _TOLERANCE_S), refused)
    has_waited = is_late or (in_time is not None and _is_in_time(refused, seconds, in_time))
    awake = _awake_at(traffic, refused)
    certain = partial(_certain, traffic, refused, has_waited, awake)
    own = next(certain(traffic.by_connection.get(id(refused.connection), ())), None)
    if own is None and not has_waited:
        own = next(certain(equal), None)
    if own is None and not has_waited:
        if equal[0].id not in redone:
            redone[equal[0].id] = is_success(equal[-1]) and all(row.status == 429 for row in equal[:-1])
        is_redone = refused.body and redone[equal[0].id]
        later = (equal, end + REACTION_S) if is_redone else (again, awake + UNDER_WAY_S)
        own = _next(*later, refused)
    return own if own is not None and _is_early(own, refused, seconds) else None


def _next(rows: Sequence[Exchange], moment: float, refused: Exchange) -> Exchange | None:
    """Return the first request from a moment of real time on, other than the refused one."""
    return next((row for row in since(rows, moment) if row is not refused), None)


def _certain(
    traffic: Traffic, refused: Exchange, has_waited: bool, awake: float, rows: Sequence[Exchange]
) -> Iterator[Exchange]:
    """Yield the requests after a 429 that the refused client has sent, although it knew of the 429.

    A pool gives the connection to any thread that was about to send, which may send an equal request, too. If the
    refused request was repeated in time, all threads have waited, and were slow to send what came soon after the 429.
    """
    came_at, end, own = refused.real_at, ended_at(refused), traffic.identities[refused.id]
    is_shared = traffic.connections[own.agent] > 1
    sure_at = max(end, awake + (_LATE_S if has_waited else UNDER_WAY_S if is_shared else 0))
    later = islice(since(traffic.by_agent[own.agent], came_at), _MOST)
    beside = (row.connection for row in later if row.connection is not refused.connection and row.real_at > came_at)
    used = traffic.connections_of[own]
    are_parallel = any(it.opened_at < end and id(it) in used for it in beside if it is not None)
    unsure = takewhile(lambda row: row.real_at < sure_at, islice(since(rows, end), _MOST))
    equal = (row for row in unsure if not are_parallel and traffic.identities[row.id] == own)
    yield from (row for row in (*equal, *islice(since(rows, sure_at), _MOST)) if _is_own(traffic, row, refused))


def _awake_at(traffic: Traffic, refused: Exchange) -> float:
    """Return since when a program with several threads can have known of a 429.

    After a silence of all threads, a busy machine may have kept the program from reading the answer.
    """
    end, name = ended_at(refused), traffic.identities[refused.id].agent
    soon = takewhile(lambda row: row.real_at < end + _BUSY_S, since(traffic.by_agent[name], end))
    rows = list(islice(soon, _MOST))
    if all(row.connection is refused.connection for row in rows):
        return end
    woken = traffic.after_silence[name]
    last = woken[: bisect_left(woken, end + _BUSY_S)][-1:]
    if last and last[0] > rows[0].real_at:
        return last[0]
    return rows[0].real_at if rows[0].real_at - end >= SILENCE_S else end


def _is_own(traffic: Traffic, row: Exchange, refused: Exchange) -> bool:
    """Return whether the refused client itself sent a request, rather than a parallel thread."""
    is_same = row is not refused and _limited(traffic, row) == _limited(traffic, refused)
    return is_same and traffic.may_follow(row, refused) and not traffic.is_used_again(refused, row)


def _is_in_time(refused: Exchange, seconds: int, row: Exchange) -> bool:
    """Return whether a request came just after the told seconds: the repeat of a client that has waited."""
    waited = row.real_at - ended_at(refused)
    return seconds - _TOLERANCE_S <= waited < seconds + max(_LATE_S, seconds * _LATE_SHARE)


def _limited(traffic: Traffic, row: Exchange) -> tuple[str | None, str, str]:
    """Return what requests of one client have in common that count towards one limit."""
    return row.account, traffic.identities[row.id].agent, group_of(row.method, row.path)


def _is_early(row: Exchange, refused: Exchange, seconds: int) -> bool:
    """Return whether a request came before the told seconds were over, on both clocks."""
    waited = row.real_at - ended_at(refused)
    return waited < seconds - _TOLERANCE_S and between(row, refused) < timedelta(seconds=seconds - _TOLERANCE_S)

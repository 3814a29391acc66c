"""The requests of a workspace as rules compare them: in order, with the end of each in real time."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

from mockserver.core.traffic.exchange import ClientConnection, Exchange
from mockserver.core.workspaces.workspace import Workspace

Key = TypeVar("Key")
#: Requests by something that they have in common, oldest first.
Index = dict[Key, list[Exchange]]
#: How many seconds a client needs at least to read an answer and open a connection. Chosen: less than any takes, and
#: more than the server needs to see a connection that was opened before.
REACTION_S = 0.000_2
#: After how many seconds another connection's request was not under way when an answer was sent. Chosen: longer than a
#: request takes to arrive.
UNDER_WAY_S = 0.1
#: After how many seconds without a request an agent is silent. Chosen: threads that are not waiting send sooner.
SILENCE_S = UNDER_WAY_S / 4


class Identity(NamedTuple):
    """What equal requests of one client have in common."""

    account: str | None
    agent: str
    method: str
    path: str
    query: str
    body: bytes


class Traffic:
    """The requests of a workspace, oldest first, and the same by what rules look for."""

    def __init__(self, workspace: Workspace, timeout: float) -> None:
        self.workspace, self.timeout = workspace, timeout
        self.requests: Sequence[Exchange] = sorted(workspace.journal, key=_came_at)
        self._counters: dict[Hashable, Counter[Hashable]] = {}

    @cached_property
    def by_connection(self) -> Index[int]:
        """The requests of each known connection, by its identity."""
        return _index((id(row.connection), row) for row in self.requests if row.connection is not None)

    @cached_property
    def connections(self) -> Counter[str]:
        """The number of known connections of each agent."""
        return Counter(agent_of(rows[0]) for rows in self.by_connection.values())

    @cached_property
    def identities(self) -> Mapping[str, Identity]:
        """The identities of requests by their ids."""
        return {row.id: _identity(row) for row in self.requests}

    @cached_property
    def by_identity(self) -> Index[Identity]:
        return _index((self.identities[row.id], row) for row in self.requests)

    @cached_property
    def by_agent(self) -> Index[str]:
        return _index((agent_of(row), row) for row in self.requests)

    @cached_property
    def after_silence(self) -> Mapping[str, Sequence[float]]:
        """When requests of each agent came after a silence of all its connections."""
        return {
            name: [row.real_at for before, row in pairwise(rows) if row.real_at - ended_at(before) >= SILENCE_S]
            for name, rows in self.by_agent.items()
        }

    @cached_property
    def connections_of(self) -> Mapping[Identity, set[int]]:
        """The identities of the connections on which equal requests came."""
        return {own: {id(row.connection) for row in rows} for own, rows in self.by_identity.items()}

    @cached_property
    def named_at(self) -> Mapping[tuple[str | None, str, str], float]:
        """When an account first named something: below a part of a path, or in a body for a resource."""
        found: dict[tuple[str | None, str, str], float] = {}
        for row in self.requests:
            texts = ((resource_of(row), word) for word in words_of(row.json) if not word.isdecimal())
            for kind, word in (*pairwise(unquote(row.path).split("/")), *texts):
                found.setdefault((row.account, kind, word.lower()), row.real_at)
        return found

    def numbers(self, name: Hashable, values: Iterable[Hashable]) -> Counter[Hashable]:
        """Return how often each value is there; values of a name are counted once for all findings."""
        if name not in self._counters:
            self._counters[name] = Counter(values)
        return self._counters[name]

    @cached_property
    def reads(self) -> Index[tuple[str | None, str]]:
        """The requests by which a client read existing rows, by account and resource."""
        read = (row for row in self.requests if row.method == "GET" and row.status in (200, 404) and has_answer(row))
        return _index(((row.account, resource_of(row)), row) for row in read)

    def may_follow(self, later: Exchange, before: Exchange) -> bool:
        """Return whether the client may have sent a request because of another one's end.

        A request that was under way already is not because of it. Just after the end, a request follows only on the
        same connection, or on one that was opened after the end: all others may be of other threads. A client that
        gives up may close its connection much later, so that the end is unknown.
        """
        waited = later.real_at - ended_at(before)
        if has_left(before):
            return later.real_at - before.real_at >= UNDER_WAY_S
        first, second = before.connection, later.connection
        if waited >= UNDER_WAY_S or (first is not None and first is second):
            return waited >= 0
        return second is not None and second.opened_at >= ended_at(before) + REACTION_S

    def is_used_again(self, before: Exchange, later: Exchange) -> bool:
        """Return whether a connection is reused after a later request on another connection."""
        first = before.connection
        return later.connection is not first and first is not None and self.last_use(first) > later.real_at

    def last_use(self, connection: ClientConnection) -> float:
        """Return when the last request came on a connection, in seconds since 1970."""
        return self.by_connection[id(connection)][-1].real_at


def _index(rows: Iterable[tuple[Key, Exchange]]) -> Index[Key]:
    found: Index[Key] = {}
    for key, row in rows:
        found.setdefault(key, []).append(row)
    return found


def _came_at(row: Exchange) -> float:
    return row.real_at


def since(rows: Sequence[Exchange], moment: float) -> Iterator[Exchange]:
    """Yield those of some requests that came from a moment of real time on."""
    # An islice would go through all requests before.
    return (rows[at] for at in range(bisect_left(rows, moment, key=_came_at), len(rows)))


def ended_at(row: Exchange) -> float:
    """Return the time of the client's answer or disconnect, in seconds since 1970."""
    over_at = row.over_at if row.held is None or row.over_at is not None else row.held.left_at
    return row.real_at + row.ms / 1000 if over_at is None else over_at


def has_left(row: Exchange) -> bool:
    """Return whether the client left before the first byte of the answer, perhaps just now."""
    return row.left or (row.held is not None and row.held.left_at is not None)


def has_answer(row: Exchange) -> bool:
    """Return whether an answer has reached the client."""
    return row.status is not None and not has_left(row) and not row.is_held


def is_success(row: Exchange) -> bool:
    return row.status is not None and row.status < 300 and has_answer(row)


def _identity(row: Exchange) -> Identity:
    return Identity(row.account, agent_of(row), row.method, row.path, row.query, row.body)


def agent_of(row: Exchange) -> str:
    """Return the name of the client's library, which tells a product from the test that checks it."""
    return row.by_header.get("user-agent", "")


def resource_of(row: Exchange) -> str:
    """Return the first part of a path below `/v3/`."""
    return row.path.removeprefix("/v3/").partition("/")[0]


def words_of(value: Any) -> Iterator[str]:
    """Yield the texts and numbers of a JSON value."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from words_of(inner)
    else:
        yield str(value)


def name_of(row: Exchange) -> str:
    return row.operation or f"{row.method} {row.path}"


def between(later: Exchange, before: Exchange) -> timedelta:
    """Return the workspace-clock time between two requests."""
    return later.at - before.at

"""Exchanges: a request with its answer, as faults match it, the journal keeps it and coverage counts it."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import chain, islice
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from mockserver.core.contract.errors import ServiceError
from mockserver.core.traffic.causes import Changed, Links
from mockserver.core.traffic.ring import Ring

Header = tuple[str, str]
#: The header of every body that is not the mock's own: its scripts cannot act as pages of the mock.
SANDBOX: Header = ("Content-Security-Policy", "sandbox")

_NOT_READ: Any = object()
#: Stands for a value that is parsed each time: parsed values take many times the memory of texts.
_NOT_KEPT: Any = object()
#: The bytes of an exchange, a header and a transition without their texts: measured, and rounded up.
_OVERHEAD, _PER_HEADER, _PER_TRANSITION = 2_000, 160, 600
#: The most bytes of a character of a text (PEP 393); texts that are decoded as Latin-1 take one.
_PER_CHARACTER = 4
#: The most warnings that are kept; further ones are only counted. Chosen: more than anybody reads.
_MOST_WARNINGS = 20


def _ignore() -> None:
    """Ignore a release without waiting request."""


class Held:
    """A fault's hold on one answer, until timeout or release.

    It refers neither to the exchange nor to the workspace, so that both can be freed.
    """

    def __init__(self, exchange: str, headers: Sequence[Header] = (), *, refuses: bool = False) -> None:
        #: The id of the exchange.
        self.exchange = exchange
        #: The headers of the answer, as far as they are known.
        self.headers = list(headers)
        #: Whether the fault gives no answer: the request has done nothing yet, and runs again on release.
        self.refuses = refuses
        #: Whether the server can run a request again.
        self.runs_again = True
        #: Whether the body of the request was too large to keep.
        self.is_without_body = False
        self.is_let_go = False
        #: Whether the client no longer waits.
        self.is_over = False
        #: When the client left before the first byte of the answer, in seconds since 1970, or None.
        self.left_at: float | None = None
        #: The body with which the request runs again.
        self.body = b""
        self._wake: Callable[[], object] = _ignore

    @property
    def hindrance(self) -> str | None:
        """The obstacle to releasing the held request, as a sentence, or None."""
        if not self.refuses:
            return None
        if not self.runs_again:
            return "a WSGI server cannot run a request a second time"
        return "its body was too large to keep" if self.is_without_body else None

    def let_go(self, body: bytes) -> None:
        """Release the answer, or run the idle request with this body."""
        self.body, self.is_let_go = body, True
        self._wake()

    def watch(self, wake: Callable[[], object]) -> None:
        """Call `wake` when the answer is released, possibly before this returns."""
        self._wake = wake
        if self.is_let_go:
            wake()

    def unwatch(self) -> None:
        self._wake = _ignore

    def wait(self, seconds: float) -> None:
        """Block this thread until release or timeout."""
        free = threading.Event()
        self.watch(free.set)
        free.wait(seconds)
        self.unwatch()


class WireForm(StrEnum):
    """How answer bytes reach the client."""

    WHOLE = "whole"
    #: The whole length is announced, half of it is sent, and the connection ends.
    TRUNCATED = "truncated"
    #: The body is sent in pieces, over some time.
    SLOW = "slow"
    #: The connection ends without a byte.
    EMPTY = "empty"
    #: The connection is reset (RST).
    RESET = "reset"


class Wire(NamedTuple):
    """A fault's transport effects on an answer."""

    form: WireForm = WireForm.WHOLE
    #: The delay of the first byte in seconds, or None to wait until the client leaves.
    delay_s: float | None = 0.0
    #: The time over which a slow body is sent, in seconds.
    spread_s: float = 0.0
    #: The hold by which the answer can be released early, or None.
    held: Held | None = None

    @property
    def answers(self) -> bool:
        """Whether the client gets an HTTP answer."""
        return self.form not in (WireForm.EMPTY, WireForm.RESET) and self.delay_s is not None

    @property
    def waits(self) -> bool:
        """Whether the answer takes time, which a release cuts short."""
        return self.delay_s is None or self.delay_s > 0 or self.spread_s > 0


@dataclass(slots=True)
class Reply:
    """An answer before HTTP: status, body or error, transport effects."""

    status: int
    body: bytes = b""
    error: ServiceError | None = None
    headers: tuple[Header, ...] = ()
    wire: Wire | None = None
    #: Whether the JSON of the body is broken before it is sent.
    spoilt: bool = False
    #: The body that a fault puts in place of the body and of that of the error, or None.
    instead: bytes | None = None

    @classmethod
    def refused(cls, error: ServiceError) -> Reply:
        """Return an error's answer, dropping its traceback, which may refer to this reply."""
        error.__cause__ = error.__context__ = None
        return cls(error.status, error=error.with_traceback(None), headers=error.headers)


class ClientConnection:
    """A client's connection; its requests share the object."""

    __slots__ = ("opened_at",)

    def __init__(self, opened_at: float) -> None:
        #: In seconds since 1970.
        self.opened_at = opened_at


@dataclass(eq=False)
class Exchange:
    """A request with its answer, once that is known. The class holds the defaults of rare members, which saves time."""

    id: str
    at: datetime
    method: str
    #: The path as the service sees it, without the `/w/<name>` of a workspace.
    path: str
    query: str
    headers: Sequence[Header]
    body: bytes
    #: The parameters of the path.
    params: Mapping[str, str]
    operation: str | None = None
    #: When it came, in seconds since 1970.
    real_at: float = 0.0
    #: The client's connection, or None if the server does not know it.
    connection: ClientConnection | None = None
    account: str | None = field(default=None, init=False)

    #: None until the answer is known, or if the client got no HTTP answer.
    status: int | None = field(default=None, init=False)
    answer_headers: Sequence[Header] = field(default=(), init=False)
    answer_body: bytes = field(default=b"", init=False)
    #: The code of the error, or None.
    code: str | None = field(default=None, init=False)
    #: The id and the kind of the fault that was applied.
    fault: str | None = field(default=None, init=False)
    fault_kind: str | None = field(default=None, init=False)
    #: The id of the stub that answered.
    stub: str | None = field(default=None, init=False)
    #: The hold of a fault on the answer, which may be over, or None.
    held: Held | None = field(default=None, init=False)
    #: Whether the client read another answer than the service's.
    injected: bool = field(default=False, init=False)
    #: How the mock answered a call beyond its operations, such as `refused` or `stubbed`; None for its own operations.
    beyond: str | None = field(default=None, init=False)
    transitions: list[Changed] = field(default_factory=list, init=False)
    #: Hints for the caller, such as ignored members.
    warnings: Sequence[str] = field(default=(), init=False)
    #: The optional members of query and body that were sent.
    fields: Sequence[str] = field(default=(), init=False)
    #: The reason of an error, or None.
    reason: str | None = field(default=None, init=False)
    #: The duration in milliseconds.
    ms: float = field(default=0.0, init=False)
    #: When a fault's hold on the answer was over, in seconds since 1970, or None; and whether the client left before.
    over_at: float | None = field(default=None, init=False)
    left: bool = field(default=False, init=False)
    #: The bytes of the exchange in memory; 0 until it is measured.
    size: int = field(default=0, init=False)
    #: The links to its effects, once it is in the journal.
    links: Links | None = field(default=None, init=False, repr=False)
    #: The parsed body, unless it is to be parsed by `json`.
    parsed: Any = field(default=_NOT_READ, init=False, repr=False)
    _parameters: Any = field(default=_NOT_READ, init=False, repr=False)
    _by_header: Any = field(default=_NOT_READ, init=False, repr=False)
    #: The number of all warnings.
    _warned: int = field(default=0, init=False, repr=False)

    @property
    def json(self) -> Any:
        if self.parsed is _NOT_READ:
            self.parsed = read_json(self.body)
        return read_json(self.body) if self.parsed is _NOT_KEPT else self.parsed

    @property
    def parameters(self) -> Mapping[str, list[str]]:
        if self._parameters is _NOT_READ:
            self._parameters = _parameters(self.query)
        found: Mapping[str, list[str]] = self._parameters
        return _parameters(self.query) if found is _NOT_KEPT else found

    @property
    def by_header(self) -> Mapping[str, str]:
        if self._by_header is _NOT_READ:
            self._by_header = _by_header(self.headers)
        found: Mapping[str, str] = self._by_header
        return _by_header(self.headers) if found is _NOT_KEPT else found

    @property
    def is_held(self) -> bool:
        """Whether a waiting client's answer is held."""
        return self.held is not None and not self.held.is_over

    def begin_again(self) -> None:
        """Drop fault marks and transitions before another run."""
        self.injected, self.reason, self.transitions = False, None, []

    def forget_values(self) -> None:
        """Drop the parsed values of body, query and headers; they are parsed again on each use."""
        self.parsed = self._parameters = self._by_header = _NOT_KEPT

    def leave_out_bodies(self) -> None:
        """Drop oversized bodies, adding a warning."""
        sent, answered = len(self.body), len(self.answer_body)
        self.body = self.answer_body = b""
        self.warn(f"the bodies are not kept, too large for the journal: {sent:,} bytes sent, {answered:,} answered")

    def measure(self) -> int:
        """Set and return `size`; the cost does not grow with the bodies."""
        sent, answered = self.headers, self.answer_headers
        # To join the texts of headers takes a third of the time that it takes to add up their lengths.
        found = (
            _OVERHEAD
            + len(self.body)
            + len(self.answer_body)
            + len(self.query)
            + _PER_CHARACTER * 2 * len(self.path)
            + _PER_HEADER * (len(sent) + len(answered) + len(self.fields))
            + len("".join(chain.from_iterable(sent)))
            + len("".join(chain.from_iterable(answered)))
            + _PER_TRANSITION * len(self.transitions)
        )
        if self.reason:
            found += _PER_CHARACTER * len(self.reason)
        for warning in self.warnings:
            found += _PER_HEADER + _PER_CHARACTER * len(warning)
        self.size = found
        return found

    def warn(self, warning: str) -> None:
        """Add a warning; above `_MOST_WARNINGS` the last warning counts further ones."""
        self._warned += 1
        rest = self._warned - _MOST_WARNINGS
        self.warnings = [*self.warnings[:_MOST_WARNINGS], f"and {rest:,} more" if rest > 0 else warning]

    def warn_of_each(self, items: Sequence[str], text: Callable[[str], str]) -> None:
        """Add one warning per item, calling `text` for kept warnings only."""
        room = max(0, _MOST_WARNINGS - self._warned)
        for item in items[:room]:
            self.warn(text(item))
        if len(items) > room:
            self._warned += len(items) - room - 1
            self.warn("")  # it is counted with them, and its text is not kept


def read_json(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except (ValueError, RecursionError):
        return None


def _parameters(query: str) -> Mapping[str, list[str]]:
    return parse_qs(query, keep_blank_values=True)


def _by_header(headers: Sequence[Header]) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers}


class Journal(Ring[Exchange]):
    """The last exchanges, newest first; the oldest are evicted when their number or their bytes exceed the limit."""

    def __init__(self, limit: int, bytes_limit: int) -> None:
        super().__init__(limit, bytes_limit)
        #: The number of exchanges that were completed after they were added.
        self.completed = 0
        #: The positions of the last completed exchanges; -1 for an exchange that was evicted before.
        self._completed_at: deque[int] = deque(maxlen=limit)

    def put_back(self, exchange: Exchange) -> None:
        """Add an exchange read from a store."""
        self.push(exchange, exchange.size)

    def add(self, exchange: Exchange) -> int:
        """Add an exchange, without oversized bodies. Return the number of evicted exchanges."""
        self._measure(exchange)
        return len(self.push(exchange, exchange.size))

    def complete(self, exchange: Exchange) -> int:
        """Add a held exchange's answer. Return the number of evicted exchanges."""
        self.completed += 1
        before = exchange.size
        self._measure(exchange)
        index, kept = next(((at, kept) for at, kept in enumerate(self) if kept.id == exchange.id), (None, exchange))
        if kept is not exchange:  # it was read again meanwhile
            vars(kept).update(vars(exchange))
        self._completed_at.append(-1 if index is None else self.end - 1 - index)
        return 0 if index is None else len(self.grow(len(self) - 1 - index, exchange.size - before))

    def end_hold(self, held: Held, now: float) -> Exchange | None:
        """Note the end of a hold in its exchange, at a real time, and return the exchange; None if it is gone."""
        for index, exchange in enumerate(self):
            if exchange.id == held.exchange and exchange.held is held:
                exchange.left = held.left_at is not None
                exchange.over_at = now if held.left_at is None else held.left_at
                self.completed += 1
                self._completed_at.append(self.end - 1 - index)
                return exchange
        return None

    def completed_since(self, number: int) -> Iterator[tuple[int, Exchange]]:
        """Yield completed exchanges with positions, skipping the first `number`."""
        for position in islice(reversed(self._completed_at), max(0, self.completed - number)):
            yield from (row for row in islice(self.since(position), 1) if row[0] == position)

    def find(self, identifier: str) -> Exchange | None:
        return next((exchange for exchange in self if exchange.id == identifier), None)

    def _measure(self, exchange: Exchange) -> None:
        exchange.forget_values()
        if exchange.measure() > self.largest:
            exchange.leave_out_bodies()
            exchange.measure()

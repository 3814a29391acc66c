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


def _nobody() -> None:
    """Nobody waits for the answer to be let go."""


class Held:
    """What holds the answer of one exchange; an exchange that leaves the journal is not let go any more.

    It refers neither to the exchange nor to the workspace, so that it keeps nothing of what is gone.
    """

    def __init__(self, exchange: str, headers: Sequence[tuple[str, str]] = (), *, refuses: bool = False) -> None:
        #: The id of the exchange.
        self.exchange = exchange
        #: The headers of the answer, as far as they were known when it was held.
        self.headers = list(headers)
        #: Whether the fault lets no answer through: the request has done nothing yet, and is run again if it is let go.
        self.refuses = refuses
        #: Whether the server can run a request again.
        self.runs_again = True
        #: Whether the request's body was too large to be kept.
        self.is_without_body = False
        #: Whether it was let go.
        self.is_let_go = False
        #: Whether nobody waits for the answer any more.
        self.is_over = False
        #: The body with which the request is run again.
        self.body = b""
        #: Called when it is let go.
        self._wake: Callable[[], object] = _nobody

    @property
    def hindrance(self) -> str | None:
        """Why it cannot be let go, as the request would have to be run again; None if it can."""
        if not self.refuses:
            return None
        if not self.runs_again:
            return "a WSGI server cannot run a request a second time"
        return "its body was too large to keep" if self.is_without_body else None

    def let_go(self, body: bytes) -> None:
        """Send the answer at once; a request that has done nothing yet is run with this body."""
        self.body, self.is_let_go = body, True
        self._wake()

    def watch(self, wake: Callable[[], object]) -> None:
        """Call `wake` when the answer is let go, possibly before this returns."""
        self._wake = wake
        if self.is_let_go:
            wake()

    def unwatch(self) -> None:
        """Call nobody any more: the journal keeps this longer than the connection is to be kept."""
        self._wake = _nobody

    def wait(self, seconds: float) -> None:
        """Wait in this thread until the answer is let go, or so many seconds have passed."""
        free = threading.Event()
        self.watch(free.set)
        free.wait(seconds)
        self.unwatch()


Header = tuple[str, str]


class WireForm(StrEnum):
    """How the bytes of an answer reach the client."""

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
    """What a fault does to an answer after it was made."""

    form: WireForm = WireForm.WHOLE
    #: How long the first byte is delayed, in seconds, or None to wait until the client leaves.
    delay_s: float | None = 0.0
    #: How long a slow body takes, in seconds.
    spread_s: float = 0.0
    #: What lets the answer go earlier, or None if nobody can.
    held: Held | None = None

    @property
    def answers(self) -> bool:
        """Whether the client gets an HTTP answer."""
        return self.form not in (WireForm.EMPTY, WireForm.RESET) and self.delay_s is not None

    @property
    def waits(self) -> bool:
        """Whether it takes its time, which somebody may cut short."""
        return self.delay_s is None or self.delay_s > 0 or self.spread_s > 0


@dataclass(slots=True)
class Reply:
    """An answer before it is HTTP: a status and a body, or an error, and what a fault does to it after that."""

    status: int
    body: bytes = b""
    error: ServiceError | None = None
    headers: tuple[Header, ...] = ()
    wire: Wire | None = None
    #: Whether the JSON of the body is to be made malformed.
    spoilt: bool = False

    @classmethod
    def refused(cls, error: ServiceError) -> Reply:
        """The answer to an error, whose traceback is dropped: its frames could refer to the holder of this reply."""
        error.__cause__ = error.__context__ = None
        return cls(error.status, error=error.with_traceback(None), headers=error.headers)


_NOT_READ: Any = object()
#: Stands for a value that is read anew from its text each time: parsed values take many times the memory of texts.
_NOT_KEPT: Any = object()
#: What an exchange, a header and a transition take beside their texts, in bytes: measured, and rounded up.
_OVERHEAD, _PER_HEADER, _PER_TRANSITION = 2_000, 160, 600
#: The most that a character of a text takes, in bytes (PEP 393); texts that are decoded as Latin-1 take one.
_PER_CHARACTER = 4
#: How many warnings are kept; further ones are only counted. Chosen: more than anybody reads.
_MOST_WARNINGS = 20


@dataclass(eq=False)
class Exchange:
    """A request with its answer, which is filled in when it is known.

    What most exchanges do not have is not set when one is made: the class has the defaults. That takes a third of the
    time.
    """

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
    #: When it came in real time, in seconds since 1970.
    real_at: float = 0.0
    account: str | None = field(default=None, init=False)

    #: None until the answer is known, or if the client got no HTTP answer.
    status: int | None = field(default=None, init=False)
    answer_headers: Sequence[Header] = field(default=(), init=False)
    answer_body: bytes = field(default=b"", init=False)
    #: The code of the error, if the answer is one.
    code: str | None = field(default=None, init=False)
    #: The id and the kind of the fault that was applied.
    fault: str | None = field(default=None, init=False)
    fault_kind: str | None = field(default=None, init=False)
    #: The id of the stub that answered.
    stub: str | None = field(default=None, init=False)
    #: What held the answer back, if a fault did; it may be over.
    held: Held | None = field(default=None, init=False)
    #: Whether what the client read is not the service's own answer.
    injected: bool = field(default=False, init=False)
    #: How a request was answered that no operation of the mock answers, as `refused` or `stubbed`; None for all others.
    beyond: str | None = field(default=None, init=False)
    transitions: Sequence[Changed] = field(default=(), init=False)
    #: What the caller should know although nothing is refused, such as members that were ignored.
    warnings: Sequence[str] = field(default=(), init=False)
    #: Which optional members of the query and the body were sent.
    fields: Sequence[str] = field(default=(), init=False)
    #: Why the answer is no success, or None.
    reason: str | None = field(default=None, init=False)
    #: How long the answer took, in milliseconds.
    ms: float = field(default=0.0, init=False)
    #: The most that the exchange takes in memory, in bytes; 0 until it is measured.
    size: int = field(default=0, init=False)
    #: What says what it has caused, once it is noted.
    links: Links | None = field(default=None, init=False, repr=False)
    _json: Any = field(default=_NOT_READ, init=False, repr=False)
    _parameters: Any = field(default=_NOT_READ, init=False, repr=False)
    _by_header: Any = field(default=_NOT_READ, init=False, repr=False)
    #: How many warnings there were, including those that are not kept.
    _warned: int = field(default=0, init=False, repr=False)

    @property
    def json(self) -> Any:
        """The value of the request's body, or None if it is empty or no JSON."""
        if self._json is _NOT_READ:
            self._json = read_json(self.body)
        return read_json(self.body) if self._json is _NOT_KEPT else self._json

    @property
    def parameters(self) -> Mapping[str, list[str]]:
        """The values of the query's parameters by name."""
        if self._parameters is _NOT_READ:
            self._parameters = _parameters(self.query)
        found: Mapping[str, list[str]] = self._parameters
        return _parameters(self.query) if found is _NOT_KEPT else found

    @property
    def by_header(self) -> Mapping[str, str]:
        """The values of the request's headers by name in lower case."""
        if self._by_header is _NOT_READ:
            self._by_header = _by_header(self.headers)
        found: Mapping[str, str] = self._by_header
        return _by_header(self.headers) if found is _NOT_KEPT else found

    @property
    def is_held(self) -> bool:
        """Whether a fault holds the answer back, and the client waits for it."""
        return self.held is not None and not self.held.is_over

    def begin_again(self) -> None:
        """Be as if no fault had hit yet: the request has done nothing, and is run again."""
        self.injected, self.reason = False, None

    def take_json(self, value: Any) -> None:
        """Take over the value of the request's body, which was parsed elsewhere."""
        self._json = value

    def forget_values(self) -> None:
        """Drop the parsed values of body, query and headers; they are parsed anew when asked for."""
        self._json = self._parameters = self._by_header = _NOT_KEPT

    def leave_out_bodies(self) -> None:
        """Drop both bodies, which are too large for the journal, and warn of that."""
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
        """Add a warning; after `_MOST_WARNINGS` of them the last one says how many more there were."""
        self._warned += 1
        rest = self._warned - _MOST_WARNINGS
        self.warnings = [*self.warnings[:_MOST_WARNINGS], f"and {rest:,} more" if rest > 0 else warning]

    def warn_of_each(self, things: Sequence[str], told: Callable[[str], str]) -> None:
        """Add a warning for each of some things, in the words of `told`; those beyond the most are only counted."""
        room = max(0, _MOST_WARNINGS - self._warned)
        for thing in things[:room]:
            self.warn(told(thing))
        if len(things) > room:
            self._warned += len(things) - room - 1
            self.warn("")  # it is counted with them, and its text is not kept


def read_json(body: bytes) -> Any:
    """The value of a body, or None if it is empty or no JSON."""
    try:
        return json.loads(body) if body else None
    except (ValueError, RecursionError):
        return None


def _parameters(query: str) -> Mapping[str, list[str]]:
    return parse_qs(query, keep_blank_values=True)


def _by_header(headers: Sequence[Header]) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers}


class Journal:
    """The last exchanges, newest first; the oldest are evicted when their number or their bytes exceed the limit."""

    def __init__(self, limit: int, bytes_limit: int) -> None:
        self._exchanges = Ring[Exchange](limit, bytes_limit)
        #: How many exchanges have got their answer after they were added.
        self.completed = 0
        #: The positions of the last of these; -1 stands for one that was no longer here.
        self._late: deque[int] = deque(maxlen=limit)

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self._exchanges)

    def __len__(self) -> int:
        return len(self._exchanges)

    @property
    def evicted(self) -> int:
        """How many exchanges were evicted."""
        return self._exchanges.evicted

    @property
    def added(self) -> int:
        """How many exchanges were ever added."""
        return self._exchanges.added

    @property
    def newest(self) -> Exchange | None:
        """The last exchange that is kept, or None if none is; it may be asked for without the workspace's lock."""
        return self._exchanges.newest

    @property
    def ring(self) -> Ring[Exchange]:
        """The exchanges, to be written down."""
        return self._exchanges

    def put_back(self, exchange: Exchange) -> None:
        """Add an exchange that was written down and read again."""
        self._exchanges.add(exchange, exchange.size)

    def add(self, exchange: Exchange) -> int:
        """Add an exchange that is over, without its bodies if these are too large; returns how many it has evicted."""
        exchange.forget_values()  # as `_measure`, whose call would cost each request
        if exchange.measure() > self._exchanges.largest:
            exchange.leave_out_bodies()
            exchange.measure()
        return len(self._exchanges.add(exchange, exchange.size))

    def complete(self, exchange: Exchange) -> int:
        """Take in the answer of an exchange that was added without one; returns how many that has evicted.

        One that was evicted meanwhile stays out.
        """
        self.completed += 1
        before = exchange.size
        self._measure(exchange)
        index, kept = next(((at, kept) for at, kept in enumerate(self) if kept.id == exchange.id), (None, exchange))
        if kept is not exchange:  # it was read again meanwhile
            vars(kept).update(vars(exchange))
        self._late.append(-1 if index is None else self._exchanges.end - 1 - index)
        return 0 if index is None else len(self._exchanges.grow(len(self) - 1 - index, exchange.size - before))

    def completed_since(self, number: int) -> Iterator[tuple[int, Exchange]]:
        """The exchanges that have got their answer late, but for the first `number` of them, with their positions."""
        for position in islice(reversed(self._late), max(0, self.completed - number)):
            yield from (row for row in islice(self._exchanges.since(position), 1) if row[0] == position)

    def _measure(self, exchange: Exchange) -> None:
        """Measure an exchange that is over, without its bodies if these are too large."""
        exchange.forget_values()
        if exchange.measure() > self._exchanges.largest:
            exchange.leave_out_bodies()
            exchange.measure()

    def find(self, identifier: str) -> Exchange | None:
        return next((exchange for exchange in self if exchange.id == identifier), None)

    def clear(self) -> None:
        self._exchanges.clear()

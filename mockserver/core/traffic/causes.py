"""Transitions, timers and control calls of a workspace, and which of them has caused what."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from datetime import datetime
from itertools import islice, starmap
from typing import NamedTuple, Protocol

from mockserver.core.time.clock import Key, Timer
from mockserver.core.traffic.ring import Ring, RingCounts

#: The kinds of causes. A mail is one that came in or one that was sent; a control is a call of the control API.
REQUEST, MAIL, DELIVERY, TIMER, CONTROL = KINDS = ("request", "mail", "delivery", "timer", "control")

#: The id of a thing, as text or as a number, or a timer itself, whose id is written only when it is shown.
Thing = str | int | Timer


class Cause(NamedTuple):
    """What makes something happen, or what was caused."""

    kind: str
    thing: Thing

    @classmethod
    def of(cls, by: By) -> Cause:
        """What makes something happen, as `By` says it."""
        return by if isinstance(by, Cause) else cls(REQUEST, by)

    @property
    def id(self) -> str:
        """The id as text."""
        return self.thing.id if isinstance(self.thing, Timer) else str(self.thing)

    @property
    def with_text(self) -> Cause:
        """The same with its id as text, so that those of one thing are equal."""
        return self if isinstance(self.thing, str) else Cause(self.kind, self.id)


#: What makes something happen; of a request the id, as most causes are requests, and few of them are asked for.
By = str | Cause


#: How much of what followed from a transition it names; chosen: more than anybody reads.
MOST_CAUSED = 20


class Changed(NamedTuple):
    """A transition that was taken: which event led which instance from which state to which."""

    at: datetime
    account: int
    machine: str
    key: Key
    event: str
    source: str
    target: str
    #: What has made it happen; None: nobody knows.
    by: By | None
    #: When it happened in real time, in seconds since 1970.
    real_at: float
    #: The kinds and things that followed from it, once they have; of many, the last ones.
    effects: list[tuple[str, Thing]]

    @property
    def caused(self) -> list[Cause]:
        """The e-mails, deliveries and timers that followed from it, each once."""
        return list(dict.fromkeys(starmap(Cause, self.effects)))

    @property
    def cause(self) -> Cause | None:
        """What has made it happen, or None if nobody knows."""
        return None if self.by is None else Cause.of(self.by)


class Link(NamedTuple):
    """A cause, and what it has caused, both with their ids as text."""

    cause: Cause
    effect: Cause


def _link(by: By, kind: str, thing: Thing) -> Link:
    return Link(Cause.of(by).with_text, Cause(kind, thing).with_text)


class Links:
    """The last links of a workspace; the oldest are evicted when there are more than the limit.

    Each takes a few hundred bytes: what it refers to is bounded elsewhere. To add one is to append it, as most are
    never asked for; an index is made when the first one is, and is kept up from then on.
    """

    def __init__(self, limit: int) -> None:
        # Side by side and not in tuples, each of which the garbage collector would look at again and again.
        self._causes: deque[By] = deque(maxlen=limit)
        self._kinds: deque[str] = deque(maxlen=limit)
        self._things: deque[Thing] = deque(maxlen=limit)
        self._index: _Index | None = None
        #: How many links were ever added.
        self.added = 0

    def __iter__(self) -> Iterator[Link]:
        """The links, oldest first; one that was noted again is there again."""
        return map(_link, tuple(self._causes), tuple(self._kinds), tuple(self._things))

    def __len__(self) -> int:
        return len(self._causes)

    @property
    def counts(self) -> RingCounts:
        """How far they have come; the position of the next link is the number of those before it."""
        length = len(self._causes)
        return RingCounts(self.added, self.added - length, self.added, length)

    def resume(self, counts: RingCounts) -> None:
        """Count on from where others were, which were added to these."""
        self.added = counts.added

    def drop_oldest(self, number: int) -> None:
        """Drop so many links."""
        for items in (self._causes, self._kinds, self._things):
            for _ in range(number):
                items.popleft()
        self._index = None

    def since(self, position: int) -> Iterator[tuple[int, tuple[By, str, Thing]]]:
        """What `add` was called with from a position on, oldest first, with the positions: they count all calls."""
        first = self.added - len(self)
        start = max(position, first)
        rows = (islice(items, start - first, None) for items in (self._causes, self._kinds, self._things))
        return enumerate(zip(*rows, strict=True), start)

    def add(self, by: By, kind: str, thing: Thing) -> None:
        """Note that something has caused a thing of a kind; to note it again changes nothing."""
        self.added += 1
        if self._index is not None:
            if len(self) == self._causes.maxlen:
                self._index.remove(next(iter(self)))
            self._index.add(_link(by, kind, thing))
        self._causes.append(by)
        self._kinds.append(kind)
        self._things.append(thing)

    def caused(self, cause: Cause) -> list[Cause]:
        """What something has caused, in the order in which it did."""
        return list(self._indexed().effects.get(cause.with_text, ()))

    def caused_by(self, effect: Cause) -> list[Cause]:
        """What has caused something; several things where one is set, or added to, more than once."""
        return list(self._indexed().causes.get(effect.with_text, ()))

    def last(self, count: int) -> list[tuple[str, Thing]]:
        """What was caused by so many of the last links, oldest first, and `MOST_CAUSED` of them at most."""
        kinds, things = self._kinds, self._things
        return [(kinds[at], things[at]) for at in range(-min(count, MOST_CAUSED, len(things)), 0)]

    def forget(self, is_gone: Callable[[Cause], bool]) -> None:
        """Drop the links from and to things that are gone."""
        kept = [link for link in self if not any(map(is_gone, link))]
        self._index = None
        for items in (self._causes, self._kinds, self._things):
            items.clear()
        for link in kept:
            self.add(link.cause, *link.effect)

    def _indexed(self) -> _Index:
        if self._index is None:
            self._index = _Index()
            for link in self:
                self._index.add(link)
        return self._index


class _Index:
    """Links by cause and by effect, and how often each is there."""

    def __init__(self) -> None:
        self.effects: dict[Cause, dict[Cause, int]] = {}
        self.causes: dict[Cause, dict[Cause, int]] = {}

    def add(self, link: Link) -> None:
        _increment(self.effects.setdefault(link.cause, {}), link.effect)
        _increment(self.causes.setdefault(link.effect, {}), link.cause)

    def remove(self, link: Link) -> None:
        _decrement(self.effects, link.cause, link.effect)
        _decrement(self.causes, link.effect, link.cause)


def _increment(row: dict[Cause, int], other: Cause) -> None:
    row[other] = row.get(other, 0) + 1


def _decrement(table: dict[Cause, dict[Cause, int]], one: Cause, other: Cause) -> None:
    """Count one link less in a table, in which nothing stands that is not linked."""
    row = table[one]
    row[other] -= 1
    if not row[other]:
        del row[other]
    if not row:
        del table[one]


#: What a transition takes beside the text of its key, in bytes: measured, and rounded up.
_TRANSITION_BYTES = 600
#: The most that a character of a text takes, in bytes (PEP 393).
_CHARACTER_BYTES = 4
#: How many bytes there are for a transition on average. Chosen: enough for keys of 100 characters.
_AVERAGE_BYTES = 1_000
#: How many bytes there are however few transitions are kept. Chosen: a ring keeps nothing that takes a quarter of it,
#: and this is far more than four transitions with keys of a thousand characters.
_LEAST_BYTES = 64 * 1024


class History:
    """The last transitions of a workspace, up to a number, and to as many bytes as long keys are expected to take."""

    def __init__(self, limit: int) -> None:
        self._changes = Ring[Changed](limit, max(limit * _AVERAGE_BYTES, _LEAST_BYTES))

    def __len__(self) -> int:
        return len(self._changes)

    @property
    def evicted(self) -> int:
        """How many transitions are no longer kept."""
        return self._changes.evicted

    @property
    def bytes(self) -> int:
        """How many bytes the transitions take."""
        return self._changes.bytes

    @property
    def ring(self) -> Ring[Changed]:
        """The transitions, to be written down."""
        return self._changes

    def add(self, change: Changed) -> None:
        key = change.key
        self._changes.add(change, _TRANSITION_BYTES + (_CHARACTER_BYTES * len(key) if type(key) is str else 0))

    def of(self, machine: str, key: Key) -> Iterator[Changed]:
        """The transitions of an instance that are kept, newest first; the cost grows with all that are kept."""
        return (change for change in self._changes if change.machine == machine and change.key == key)

    def last(self, machine: str) -> Changed | None:
        """The newest transition of any instance of a machine, or None if none is kept."""
        return next((change for change in self._changes if change.machine == machine), None)


#: How many transitions of a timer or a control call are remembered. Chosen: more than anybody reads.
MOST_TRANSITIONS = 100
#: What a fired timer and a control call take beside their texts and transitions, in bytes: measured, and rounded up.
_FIRED_BYTES, _CALL_BYTES = 600, 900


class FiredTimer(NamedTuple):
    """A timer that has fired, and the transitions that it has caused."""

    timer: Timer
    #: When it fired in real time, in seconds since 1970.
    real_at: float
    #: The first `MOST_TRANSITIONS` of them.
    transitions: Sequence[Changed]

    @property
    def size(self) -> int:
        """What it takes in memory, in bytes."""
        return _FIRED_BYTES + _TRANSITION_BYTES * len(self.transitions) + _CHARACTER_BYTES * len(str(self.timer.key))


class CallRecord(NamedTuple):
    """A call of the control API: what was asked for, and how it was answered."""

    id: str
    #: When it was over, on the workspace's clock.
    at: datetime
    #: The same in real time, in seconds since 1970.
    real_at: float
    method: str
    #: Without the `/w/<name>` of a workspace.
    path: str
    query: str
    content_type: str
    body: bytes
    status: int
    #: The first `MOST_TRANSITIONS` that it has caused.
    transitions: Sequence[Changed] = ()
    #: How many bytes the body had that is not kept, as it is too large.
    left_out: int = 0

    @property
    def size(self) -> int:
        """What it takes in memory, in bytes."""
        texts = len(self.path) + len(self.query) + len(self.content_type)
        return _CALL_BYTES + len(self.body) + _CHARACTER_BYTES * texts + _TRANSITION_BYTES * len(self.transitions)

    def without_body(self) -> CallRecord:
        """The same with the length of the body in its place."""
        return self._replace(body=b"", left_out=len(self.body))


class Ids(Protocol):
    """Draws the ids of control calls."""

    def call(self) -> str:
        """The id of the next one."""
        ...


class CurrentCall:
    """A control call that is under way. It gets an id when it causes something, or when it is over."""

    def __init__(self) -> None:
        #: The workspace on which it acts; None: it has not said so yet.
        self.on: object | None = None
        #: The transitions that it has caused, the first ones.
        self.changes: list[Changed] = []
        self._cause: Cause | None = None

    @property
    def has_caused(self) -> bool:
        """Whether anything was caused so far."""
        return self._cause is not None

    def cause(self, ids: Ids) -> Cause:
        """The call as a cause; its id is drawn when it is first asked for."""
        if self._cause is None:
            self._cause = Cause(CONTROL, ids.call())
        return self._cause

    def note(self, change: Changed) -> None:
        """Take in a transition that it has caused."""
        if len(self.changes) < MOST_TRANSITIONS:
            self.changes.append(change)


#: The control call of this thread, or None. A variable of the context: calls of other threads go on beside it, and act
#: on the same workspace whenever they have its lock.
CURRENT_CALL: ContextVar[CurrentCall | None] = ContextVar("acting", default=None)

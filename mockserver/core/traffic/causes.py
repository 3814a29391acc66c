"""Transitions, timers and control calls, with causes and effects."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from datetime import datetime
from itertools import islice, starmap
from typing import NamedTuple

from mockserver.core.time.clock import Key, Timer
from mockserver.core.traffic.ring import Ring, RingCounts

#: The kinds of causes. A mail is an inbound or a sent e-mail; a control is a call of the control API.
REQUEST, MAIL, DELIVERY, TIMER, CONTROL = KINDS = ("request", "mail", "delivery", "timer", "control")
#: The id of a cause or an effect, as text or number, or a timer itself, whose id is written only when it is shown.
Thing = str | int | Timer
#: The most effects that a transition lists, and the most transitions that a timer or a control call lists. Chosen: more
#: than anybody reads.
MOST_CAUSED, MOST_TRANSITIONS = 20, 100
#: The bytes of a transition, a fired timer and a control call without texts, and of a character (PEP 393): measured.
_TRANSITION_BYTES, _FIRED_BYTES, _CALL_BYTES, _CHARACTER_BYTES = 600, 600, 900, 4
#: The average bytes of a transition in a history, and the least bytes of a history. Chosen: keys of 100 characters, and
#: room for some keys of a thousand characters.
_AVERAGE_BYTES, _LEAST_BYTES = 1_000, 64 * 1024


class Cause(NamedTuple):
    """A cause or effect: kind and id."""

    kind: str
    thing: Thing

    @classmethod
    def of(cls, by: By) -> Cause:
        return by if isinstance(by, Cause) else cls(REQUEST, by)

    @property
    def id(self) -> str:
        return self.thing.id if isinstance(self.thing, Timer) else str(self.thing)

    @property
    def with_text(self) -> Cause:
        """The cause with text id, for comparison."""
        return self if isinstance(self.thing, str) else Cause(self.kind, self.id)


#: A cause, or the id of a request: most causes are requests, and few of them are ever shown.
By = str | Cause


class Changed(NamedTuple):
    at: datetime
    account: int
    machine: str
    key: Key
    event: str
    source: str
    target: str
    #: The cause, or None if it is unknown.
    by: By | None
    #: The real time, in seconds since 1970.
    real_at: float
    #: The kinds and ids of its effects; of many, the last ones.
    effects: list[tuple[str, Thing]]

    @property
    def caused(self) -> list[Cause]:
        return list(dict.fromkeys(starmap(Cause, self.effects)))

    @property
    def cause(self) -> Cause | None:
        return None if self.by is None else Cause.of(self.by)


class History(Ring[Changed]):
    """The last transitions of a workspace, bounded by number, and by bytes where keys are long."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit, max(limit * _AVERAGE_BYTES, _LEAST_BYTES))

    def add(self, change: Changed) -> None:
        key = change.key
        self.push(change, _TRANSITION_BYTES + (_CHARACTER_BYTES * len(key) if type(key) is str else 0))

    def of(self, machine: str, key: Key) -> Iterator[Changed]:
        """Return the kept transitions of an instance, newest first."""
        return (change for change in self if change.machine == machine and change.key == key)

    def last(self, machine: str) -> Changed | None:
        """Return a machine's newest transition, or None."""
        return next((change for change in self if change.machine == machine), None)


class FiredTimer(NamedTuple):
    timer: Timer
    #: The real time when it fired, in seconds since 1970.
    real_at: float
    transitions: Sequence[Changed]

    @property
    def size(self) -> int:
        return _FIRED_BYTES + _TRANSITION_BYTES * len(self.transitions) + _CHARACTER_BYTES * len(str(self.timer.key))


class CallRecord(NamedTuple):
    """An effective control call, with answer status and first transitions."""

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
    transitions: Sequence[Changed] = ()
    #: The bytes of a body that is too large to keep.
    left_out: int = 0

    @property
    def size(self) -> int:
        texts = len(self.path) + len(self.query) + len(self.content_type)
        return _CALL_BYTES + len(self.body) + _CHARACTER_BYTES * texts + _TRANSITION_BYTES * len(self.transitions)

    def without_body(self) -> CallRecord:
        return self._replace(body=b"", left_out=len(self.body))


class CurrentCall:
    """A running control call; its id is drawn with its first effect, or finally."""

    def __init__(self) -> None:
        #: The workspace that the call changes, or None if it is not known yet.
        self.on: object | None = None
        #: The first transitions that it has caused.
        self.changes: list[Changed] = []
        self._cause: Cause | None = None

    @property
    def has_caused(self) -> bool:
        """Whether the call has any effect."""
        return self._cause is not None

    def cause(self, draw_id: Callable[[], str]) -> Cause:
        """Return the call as a cause, and draw its id on first use."""
        if self._cause is None:
            self._cause = Cause(CONTROL, draw_id())
        return self._cause

    def note(self, change: Changed) -> None:
        if len(self.changes) < MOST_TRANSITIONS:
            self.changes.append(change)


#: The control call of this context, or None: other threads may act on the same workspace at the same time.
CURRENT_CALL: ContextVar[CurrentCall | None] = ContextVar("current call", default=None)


class Link(NamedTuple):
    """A cause and its effect, with text ids."""

    cause: Cause
    effect: Cause


def _link(by: By, kind: str, thing: Thing) -> Link:
    return Link(Cause.of(by).with_text, Cause(kind, thing).with_text)


class Links:
    """A workspace's last links; the oldest are evicted.

    Most links are never looked up: an index is built on the first look-up, and kept up to date from then on.
    """

    def __init__(self, limit: int) -> None:
        # Side by side and not in tuples, each of which the garbage collector would look at again and again.
        self._causes: deque[By] = deque(maxlen=limit)
        self._kinds: deque[str] = deque(maxlen=limit)
        self._things: deque[Thing] = deque(maxlen=limit)
        self._index: _Index | None = None
        #: The number of links that were ever added.
        self.added = 0

    def __iter__(self) -> Iterator[Link]:
        return map(_link, tuple(self._causes), tuple(self._kinds), tuple(self._things))

    def __len__(self) -> int:
        return len(self._causes)

    @property
    def counts(self) -> RingCounts:
        length = len(self._causes)
        return RingCounts(self.added, self.added - length, self.added, length)

    def resume(self, counts: RingCounts) -> None:
        """Continue numbering after links loaded from the store."""
        self.added = counts.added

    def drop_oldest(self, number: int) -> None:
        for items in (self._causes, self._kinds, self._things):
            for _ in range(number):
                items.popleft()
        self._index = None

    def since(self, position: int) -> Iterator[tuple[int, tuple[By, str, Thing]]]:
        """Return the arguments of `add` from a position on, oldest first, with their positions."""
        first = self.added - len(self)
        start = max(position, first)
        rows = (islice(items, start - first, None) for items in (self._causes, self._kinds, self._things))
        return enumerate(zip(*rows, strict=True), start)

    def add(self, by: By, kind: str, thing: Thing) -> None:
        self.added += 1
        if self._index is not None:
            if len(self) == self._causes.maxlen:
                self._index.remove(next(iter(self)))
            self._index.add(_link(by, kind, thing))
        self._causes.append(by)
        self._kinds.append(kind)
        self._things.append(thing)

    def caused(self, cause: Cause) -> list[Cause]:
        return list(self._indexed().effects.get(cause.with_text, ()))

    def caused_by(self, effect: Cause) -> list[Cause]:
        """Return an effect's causes; timers set again have several."""
        return list(self._indexed().causes.get(effect.with_text, ()))

    def last(self, count: int) -> list[tuple[str, Thing]]:
        """Return the effects of the last links, oldest first, at most `MOST_CAUSED` of them."""
        kinds, things = self._kinds, self._things
        return [(kinds[at], things[at]) for at in range(-min(count, MOST_CAUSED, len(things)), 0)]

    def forget(self, is_gone: Callable[[Cause], bool]) -> None:
        """Drop the links of causes and effects that are gone."""
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
    """Links by cause and effect, with duplicate counts."""

    def __init__(self) -> None:
        self.effects: dict[Cause, dict[Cause, int]] = {}
        self.causes: dict[Cause, dict[Cause, int]] = {}

    def add(self, link: Link) -> None:
        for table, one, other in ((self.effects, link.cause, link.effect), (self.causes, link.effect, link.cause)):
            row = table.setdefault(one, {})
            row[other] = row.get(other, 0) + 1

    def remove(self, link: Link) -> None:
        for table, one, other in ((self.effects, link.cause, link.effect), (self.causes, link.effect, link.cause)):
            row = table[one]
            row[other] -= 1
            if not row[other]:
                del row[other]
            if not row:
                del table[one]

"""Links: which thing of a workspace has caused which other one."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from mockserver.core.time.cause import By, Cause, Thing
from mockserver.core.time.transition import MOST_CAUSED
from mockserver.core.traffic.ring import RingCounts


class Link(NamedTuple):
    """A cause, and what it has caused, both with their ids as text."""

    cause: Cause
    effect: Cause


def _read(by: By, kind: str, thing: Thing) -> Link:
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
        return map(_read, tuple(self._causes), tuple(self._kinds), tuple(self._things))

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
            self._index.add(_read(by, kind, thing))
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
        _count(self.effects.setdefault(link.cause, {}), link.effect)
        _count(self.causes.setdefault(link.effect, {}), link.cause)

    def remove(self, link: Link) -> None:
        _take(self.effects, link.cause, link.effect)
        _take(self.causes, link.effect, link.cause)


def _count(row: dict[Cause, int], other: Cause) -> None:
    row[other] = row.get(other, 0) + 1


def _take(table: dict[Cause, dict[Cause, int]], one: Cause, other: Cause) -> None:
    """Count one link less in a table, in which nothing stands that is not linked."""
    row = table[one]
    row[other] -= 1
    if not row[other]:
        del row[other]
    if not row:
        del table[one]

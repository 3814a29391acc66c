"""Plan updates for several sub-accounts at once, from their acceptance until they are carried out for all of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from heapq import heapify, heappop, heappush
from typing import Any

from mockserver.core.state.state import Account
from mockserver.core.state.tables import Derived
from mockserver.core.workspaces.caller import Visit
from mockserver.resources.corporate.plan import Allotment

#: How many entries of changes that are gone the heaps may hold before they are rebuilt, besides as many as there are
#: changes; chosen: so few take no memory to speak of, and small heaps are not rebuilt all the time.
_TOLERATED_GONE = 64


@dataclass(slots=True, eq=False)
class BulkPlan:
    """A plan update for several sub-accounts that was accepted and is not applied yet; a row of the master."""

    id: int
    due: datetime
    change: Allotment
    #: The sub-accounts for which it is still to be applied, in the order in which they were named.
    members: dict[int, None]
    #: Of the request that asked for it.
    user_ip: str = Visit().ip
    user_agent: str = ""
    #: The event that is fired for every member, apply_bulk or reject_bulk; None until that is decided.
    verdict: str | None = None


class Waiting(dict[int, OrderedDict[int, None]]):
    """The changes that each sub-account of a master waits for: the one that is decided first, then by acceptance."""


class Queue:
    """The ids of a master's changes: those that are due, in the order in which they were accepted.

    Two heaps hold them, by moment and by order of acceptance. A change that is removed stays in its heap until it
    comes to the top, or until most entries are of such changes.
    """

    def __init__(self, bulks: Iterable[BulkPlan]) -> None:
        #: Which one it was to be accepted, counted from 1, by id.
        self._turns: dict[int, int] = {}
        self._last = 0
        self._coming: list[tuple[datetime, int, int]] = []
        #: Those that were due at a moment that `before` was asked about.
        self._ready: list[tuple[int, int]] = []
        for bulk in bulks:
            self.add(bulk)

    def add(self, bulk: BulkPlan) -> None:
        """Add a change behind all that were accepted before."""
        self._last += 1
        self._turns[bulk.id] = self._last
        heappush(self._coming, (bulk.due, self._last, bulk.id))

    def remove(self, number: int) -> None:
        """Remove the change with this id."""
        self._turns.pop(number, None)
        if len(self._coming) + len(self._ready) > 2 * len(self._turns) + _TOLERATED_GONE:
            self._coming = [entry for entry in self._coming if self._is_waiting(*entry[1:])]
            self._ready = [entry for entry in self._ready if self._is_waiting(*entry)]
            heapify(self._coming)
            heapify(self._ready)

    def before(self, number: int, moment: datetime) -> list[int]:
        """The ids of the changes that were accepted before another one and were due by a moment."""
        while self._coming and self._coming[0][0] <= moment:
            heappush(self._ready, heappop(self._coming)[1:])
        found = []
        while self._ready and self._ready[0][0] < self._turns[number]:
            entry = heappop(self._ready)
            if self._is_waiting(*entry):
                found.append(entry)
        for entry in found:
            heappush(self._ready, entry)
        return [other for _, other in found]

    def _is_waiting(self, turn: int, number: int) -> bool:
        """Whether the change of an entry is not removed; a later one may have its id."""
        return self._turns.get(number) == turn


class Due(Derived):
    """The queue of a master's changes, made when the first one is due; one record of the master."""

    def __init__(self) -> None:
        self.queue: Queue | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Due:
        """An empty record: a trial copies the records of the workspace below it, and seldom needs the queue."""
        return Due()


def enter(master: Account, bulk: BulkPlan) -> None:
    """Add a change behind those that its members wait for already; each member counts as a row."""
    master.table(BulkPlan)[bulk.id] = bulk
    queue = master.record(Due).queue
    if queue is not None:
        queue.add(bulk)
    master.tally.rows += len(bulk.members)
    waiting = master.record(Waiting)
    for number in bulk.members:
        waiting.setdefault(number, OrderedDict())[bulk.id] = None


def oldest(master: Account, sub_account_id: int) -> BulkPlan | None:
    """The change that a sub-account waits for, or None: the one that is decided, else the first that was accepted."""
    waiting = master.record(Waiting).get(sub_account_id)
    return master.table(BulkPlan)[next(iter(waiting))] if waiting else None


def before(master: Account, bulk: BulkPlan, moment: datetime) -> list[BulkPlan]:
    """The changes that were accepted before another one and are due by a moment, in the order of acceptance."""
    table, due = master.table(BulkPlan), master.record(Due)
    queue = due.queue = due.queue or Queue(table.values())
    earlier = map(table.__getitem__, queue.before(bulk.id, moment))
    return [other for other in earlier if other.due <= moment]


def decide(master: Account, bulk: BulkPlan, verdict: str) -> None:
    """Decide what happens to a change, which comes before all others that its members wait for."""
    bulk.verdict = verdict
    for number in bulk.members:
        master.record(Waiting)[number].move_to_end(bulk.id, last=False)


def leave(master: Account, bulk: BulkPlan, sub_account_id: int) -> None:
    """Remove a sub-account from the members of a change, and the change itself with its last member."""
    if sub_account_id in bulk.members:
        del bulk.members[sub_account_id]
        master.tally.rows -= 1
    waiting = master.record(Waiting)
    waiting[sub_account_id].pop(bulk.id, None)
    if not waiting[sub_account_id]:
        del waiting[sub_account_id]
    if not bulk.members:
        master.table(BulkPlan).pop(bulk.id, None)
        queue = master.record(Due).queue
        if queue is not None:
            queue.remove(bulk.id)


def forget(master: Account, sub_account_id: int) -> None:
    """Remove a sub-account that is deleted from all changes that it waits for."""
    for number in tuple(master.record(Waiting).get(sub_account_id, ())):
        leave(master, master.table(BulkPlan)[number], sub_account_id)

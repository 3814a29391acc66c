"""Plan updates for several sub-accounts at once, from their acceptance until the last one is settled."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from heapq import heapify, heappop, heappush
from typing import Any

from mockserver.core.state.account import Account
from mockserver.core.workspaces.caller import Visit
from mockserver.resources.corporate.plan import Allotment

#: So many changes that are gone are not worth a look.
_FEW = 64


@dataclass(slots=True, eq=False)
class BulkPlan:
    """A plan update for several sub-accounts that was accepted and is not applied yet; a row of the master."""

    id: int
    due: datetime
    change: Allotment
    #: The sub-accounts for which it is still to be applied, in the order in which they were named.
    members: dict[int, None]
    #: Who asked for it.
    user_ip: str = Visit().ip
    user_agent: str = ""
    #: What happens to every member, while it is occurrence: apply_bulk or reject_bulk.
    verdict: str | None = None


class Waiting(dict[int, OrderedDict[int, None]]):
    """Which changes each sub-account of a master waits for: the one that is being settled first, then by acceptance."""


class Queue:
    """The ids of a master's changes, to be asked for those that are due, as they were accepted.

    Each is looked at when it falls due; what is gone stays in the heaps until it comes up, or until most of it is gone.
    """

    def __init__(self, bulks: Iterable[BulkPlan]) -> None:
        #: In which place each was accepted.
        self._places: dict[int, int] = {}
        self._last = 0
        self._coming: list[tuple[datetime, int, int]] = []
        #: Those that have been due.
        self._ready: list[tuple[int, int]] = []
        for bulk in bulks:
            self.add(bulk)

    def add(self, bulk: BulkPlan) -> None:
        self._last += 1
        self._places[bulk.id] = self._last
        heappush(self._coming, (bulk.due, self._last, bulk.id))

    def remove(self, number: int) -> None:
        self._places.pop(number, None)
        if len(self._coming) + len(self._ready) > 2 * len(self._places) + _FEW:
            self._coming = [entry for entry in self._coming if self._waits(*entry[1:])]
            self._ready = [entry for entry in self._ready if self._waits(*entry)]
            heapify(self._coming)
            heapify(self._ready)

    def before(self, number: int, moment: datetime) -> list[int]:
        """Those that were accepted before one and have been due by a moment."""
        while self._coming and self._coming[0][0] <= moment:
            heappush(self._ready, heappop(self._coming)[1:])
        found = []
        while self._ready and self._ready[0][0] < self._places[number]:
            entry = heappop(self._ready)
            if self._waits(*entry):
                found.append(entry)
        for entry in found:
            heappush(self._ready, entry)
        return [other for _, other in found]

    def _waits(self, place: int, number: int) -> bool:
        """Whether it is not gone; another one of its id may have come."""
        return self._places.get(number) == place


class Due:
    """What a master's changes are asked for by their moments; made when the first one is due."""

    def __init__(self) -> None:
        self.queue: Queue | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Due:
        """Another one that is yet to be made: what stands above another workspace copies no more than it needs."""
        return Due()


def enter(master: Account, bulk: BulkPlan) -> None:
    """Let a change be the last one that its members wait for; each of them counts as a row."""
    master.table(BulkPlan)[bulk.id] = bulk
    queue = master.record(Due).queue
    if queue is not None:
        queue.add(bulk)
    master.tally.rows += len(bulk.members)
    waiting = master.record(Waiting)
    for number in bulk.members:
        waiting.setdefault(number, OrderedDict())[bulk.id] = None


def oldest(master: Account, sub_account_id: int) -> BulkPlan | None:
    """The change that a sub-account waits for: the one that is being settled, else the first that was accepted."""
    waiting = master.record(Waiting).get(sub_account_id)
    return master.table(BulkPlan)[next(iter(waiting))] if waiting else None


def before(master: Account, bulk: BulkPlan, moment: datetime) -> list[BulkPlan]:
    """The changes that were accepted before one and are due by a moment."""
    table, due = master.table(BulkPlan), master.record(Due)
    queue = due.queue = due.queue or Queue(table.values())
    earlier = map(table.__getitem__, queue.before(bulk.id, moment))
    return [other for other in earlier if other.due <= moment]


def decide(master: Account, bulk: BulkPlan, verdict: str) -> None:
    """Let a change be settled for all its members now, whatever else they wait for."""
    bulk.verdict = verdict
    for number in bulk.members:
        master.record(Waiting)[number].move_to_end(bulk.id, last=False)


def leave(master: Account, bulk: BulkPlan, sub_account_id: int) -> None:
    """Let a change be for one sub-account fewer; what is for none any more is gone."""
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
    """Let a sub-account that is gone wait for nothing."""
    for number in tuple(master.record(Waiting).get(sub_account_id, ())):
        leave(master, master.table(BulkPlan)[number], sub_account_id)

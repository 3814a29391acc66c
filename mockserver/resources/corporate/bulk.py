"""Plan updates for several sub-accounts at once, from their acceptance until the last one is settled."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from mockserver.core.account import Account
from mockserver.core.caller import Visit
from mockserver.resources.corporate.plan import Allotment


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
    #: What happens to every member, while it is happening: apply_bulk or reject_bulk.
    verdict: str | None = None


class Waiting(dict[int, OrderedDict[int, None]]):
    """Which changes each sub-account of a master waits for: the one that is being settled first, then by acceptance."""


class Order(OrderedDict[int, None]):
    """The changes of a master as they were accepted; unlike a table, what goes at its front leaves no gap behind."""


def enter(master: Account, bulk: BulkPlan) -> None:
    """Let a change be the last one that its members wait for; each of them counts as a row."""
    master.table(BulkPlan)[bulk.id] = bulk
    master.record(Order)[bulk.id] = None
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
    table = master.table(BulkPlan)
    earlier = takewhile(lambda other: other is not bulk, map(table.__getitem__, master.record(Order)))
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
        master.record(Order).pop(bulk.id, None)


def forget(master: Account, sub_account_id: int) -> None:
    """Let a sub-account that is gone wait for nothing."""
    for number in tuple(master.record(Waiting).get(sub_account_id, ())):
        leave(master, master.table(BulkPlan)[number], sub_account_id)

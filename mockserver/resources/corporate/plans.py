"""Plan updates of sub-accounts: at once for one sub-account, delayed for several (contract/corporate)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from heapq import heapify, heappop, heappush
from typing import Any

from mockserver.core.contract.errors import MISSING_PARAMETER, NOT_ENOUGH_CREDITS, OUT_OF_RANGE, no_room
from mockserver.core.state import reasons
from mockserver.core.state.state import MOST_ADDED, Account
from mockserver.core.state.tables import Derived
from mockserver.core.workspaces.caller import Caller, Visit
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.activities import model as activities
from mockserver.resources.corporate import pool
from mockserver.resources.corporate.model import require
from mockserver.resources.corporate.pool import SUB_ACCOUNT_PLAN, Allotment, SubAccount

#: Number of stale heap entries, besides one per change, before a rebuild; chosen: small heaps are rarely rebuilt.
_TOLERATED_STALE = 64


def change_plan(caller: Caller, sub_account_id: int, change: Allotment) -> None:
    """Change the plan of one sub-account."""
    row = require(caller, sub_account_id)
    change = _checked(caller, [row], change)
    pool.assign(caller.workspace, caller.account, row, change)
    event = "assign" if row.state in (pool.UNASSIGNED, pool.ASSIGNMENT_PENDING) else "change"
    SUB_ACCOUNT_PLAN.fire(caller.workspace, caller.account, row, event)
    activities.log(caller.workspace, caller.account, activities.PLAN_UPDATED, caller.visit)


def change_plans(caller: Caller, sub_account_ids: list[int], change: Allotment) -> None:
    """Accept a change of several plans, applied to all or none after `behaviour.bulk_plan`."""
    if not sub_account_ids:
        reason = "empty field `subAccountIds` in the body: expected at least one sub-account"
        raise MISSING_PARAMETER("Missing subAccountIds attribute in the request").because(reason)
    rows = [require(caller, number) for number in dict.fromkeys(sub_account_ids)]
    change = _checked(caller, rows, change)
    workspace, master = caller.workspace, caller.account
    if full := workspace.state.full(MOST_ADDED + len(rows)):
        raise no_room(full)
    due = workspace.state.clock.after(workspace.state.behaviour.bulk_plan)
    members, visit = {row.id: None for row in rows}, caller.visit
    bulk = BulkPlan(workspace.state.next_id("bulk_plan"), due, change, members, visit.ip, visit.user_agent)
    enqueue(master, bulk)
    for row in rows:
        SUB_ACCOUNT_PLAN.fire(workspace, master, row, "accept_bulk")
        set_bulk_timer(workspace, master, row)


def _checked(caller: Caller, rows: list[SubAccount], change: Allotment) -> Allotment:
    """Return a change without the features that the solution ignores."""
    solution = caller.workspace.state.solution
    pool.check_solution(change, solution)
    requested, change = change, pool.applicable(change, solution)
    for name in requested.features.keys() - change.features.keys():
        caller.warn(f"ignored the body field `{pool.path(name)}`: the {solution} solution does not have it")
    excess = pool.below_used(caller.workspace, rows, change)
    if excess:
        taken = f"sub-account {excess.sub_account_id} has used {excess.used}"
        reason = f"the new {pool.path(excess.name)} is too small: {taken}"
        raise OUT_OF_RANGE(f"{pool.path(excess.name)}: {excess.used} are used already").because(reason)
    short = pool.shortage(caller.workspace, caller.account, rows, change)
    if short:
        refused = NOT_ENOUGH_CREDITS(f"Not enough credits: the master account has too little {short.name} left")
        needed = f"the change for sub-account {reasons.listed(row.id for row in rows)} requires {short.needed} more"
        lack = f"not enough {pool.path(short.name)} in the pool of account {caller.account.name}"
        raise refused.because(f"{lack}: {needed}, {short.left} are left")
    return change


@dataclass(slots=True, eq=False)
class BulkPlan:
    """A pending plan update of several sub-accounts; a row of the master."""

    id: int
    due: datetime
    change: Allotment
    #: Remaining sub-accounts, in the order of the request.
    members: dict[int, None]
    #: Sender of the request.
    user_ip: str = Visit().ip
    user_agent: str = ""
    #: Event for all members, apply_bulk or reject_bulk; None until decided.
    verdict: str | None = None


class Waiting(dict[int, OrderedDict[int, None]]):
    """Pending changes of a master's sub-accounts: a decided change first, then in order of acceptance."""


class DueQueue(Derived):
    """The ids of a master's pending changes, by due moment and by order of acceptance.

    Two heaps, built when the first change is due. The entry of a removed change stays in its heap until the entry
    reaches the top, or most entries are stale.
    """

    def __init__(self) -> None:
        self._is_built = False
        #: Acceptance number, counted from 1, by id.
        self._turns: dict[int, int] = {}
        self._last = 0
        self._coming: list[tuple[datetime, int, int]] = []
        #: Entries due at a moment that `earlier` was called with.
        self._ready: list[tuple[int, int]] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> DueQueue:
        """Return an empty queue: a dry run copies the workspace's records, and rarely needs the queue."""
        return DueQueue()

    def build(self, bulks: Iterable[BulkPlan]) -> None:
        """Add all pending changes, unless already built."""
        if not self._is_built:
            self._is_built = True
            for bulk in bulks:
                self.add(bulk)

    def add(self, bulk: BulkPlan) -> None:
        """Add a change after all accepted changes."""
        if self._is_built:
            self._last += 1
            self._turns[bulk.id] = self._last
            heappush(self._coming, (bulk.due, self._last, bulk.id))

    def remove(self, number: int) -> None:
        self._turns.pop(number, None)
        if len(self._coming) + len(self._ready) > 2 * len(self._turns) + _TOLERATED_STALE:
            self._coming = [entry for entry in self._coming if self._is_pending(*entry[1:])]
            self._ready = [entry for entry in self._ready if self._is_pending(*entry)]
            heapify(self._coming)
            heapify(self._ready)

    def earlier(self, number: int, moment: datetime) -> list[int]:
        """Return the ids of changes due by a moment that were accepted before a change."""
        while self._coming and self._coming[0][0] <= moment:
            heappush(self._ready, heappop(self._coming)[1:])
        found = []
        while self._ready and self._ready[0][0] < self._turns[number]:
            entry = heappop(self._ready)
            if self._is_pending(*entry):
                found.append(entry)
        for entry in found:
            heappush(self._ready, entry)
        return [other for _, other in found]

    def _is_pending(self, turn: int, number: int) -> bool:
        """Return whether an entry is current; another change may reuse the id of a removed change."""
        return self._turns.get(number) == turn


def enqueue(master: Account, bulk: BulkPlan) -> None:
    """Add a pending change behind its members' other changes; each member counts as a row."""
    master.table(BulkPlan)[bulk.id] = bulk
    master.record(DueQueue).add(bulk)
    master.tally.rows += len(bulk.members)
    waiting = master.record(Waiting)
    for number in bulk.members:
        waiting.setdefault(number, OrderedDict())[bulk.id] = None


def next_change(master: Account, sub_account_id: int) -> BulkPlan | None:
    """Return a sub-account's decided change, else its first accepted change, or None."""
    waiting = master.record(Waiting).get(sub_account_id)
    return master.table(BulkPlan)[next(iter(waiting))] if waiting else None


def earlier_due(master: Account, bulk: BulkPlan, moment: datetime) -> list[BulkPlan]:
    """Return the changes due by a moment that were accepted before a change, in order of acceptance."""
    table, queue = master.table(BulkPlan), master.record(DueQueue)
    queue.build(table.values())
    return [table[number] for number in queue.earlier(bulk.id, moment) if table[number].due <= moment]


def leave(master: Account, bulk: BulkPlan, sub_account_id: int) -> None:
    """Remove a sub-account from the members of a change; remove the change with its last member."""
    if sub_account_id in bulk.members:
        del bulk.members[sub_account_id]
        master.tally.rows -= 1
    waiting = master.record(Waiting)
    waiting[sub_account_id].pop(bulk.id, None)
    if not waiting[sub_account_id]:
        del waiting[sub_account_id]
    if not bulk.members:
        master.table(BulkPlan).pop(bulk.id, None)
        master.record(DueQueue).remove(bulk.id)


def set_bulk_timer(workspace: Workspace, master: Account, row: SubAccount) -> None:
    """Set the timer that applies a sub-account's next change."""
    bulk = next_change(master, row.id)
    if bulk is not None:
        workspace.set_timer(bulk.due, master, pool.MACHINE.name, row.id, "apply_bulk")


@SUB_ACCOUNT_PLAN.guard("apply_bulk")
def _apply_or_reject(workspace: Workspace, master: Account, row: SubAccount) -> str:
    bulk = next_change(master, row.id)
    if bulk is None:
        return "apply_bulk"
    if bulk.verdict is not None:
        return bulk.verdict
    # Earlier accepted changes come first: the pool may not suffice for all.
    for earlier in earlier_due(master, bulk, workspace.state.clock.now()):
        if earlier.members:
            first = next(iter(earlier.members))
            SUB_ACCOUNT_PLAN.fire(workspace, master, master.table(SubAccount)[first], "apply_bulk")
    rows = [master.table(SubAccount)[number] for number in bulk.members]
    is_impossible = pool.below_used(workspace, rows, bulk.change) or pool.shortage(workspace, master, rows, bulk.change)
    return "reject_bulk" if is_impossible else "apply_bulk"


@SUB_ACCOUNT_PLAN.on("apply_bulk")
def _apply(workspace: Workspace, master: Account, row: SubAccount) -> None:
    _finish(workspace, master, row, "apply_bulk")


@SUB_ACCOUNT_PLAN.on("reject_bulk")
def _reject(workspace: Workspace, master: Account, row: SubAccount) -> None:
    _finish(workspace, master, row, "reject_bulk")


def _finish(workspace: Workspace, master: Account, row: SubAccount, event: str) -> None:
    """Apply or reject a change for one sub-account, and for all other members unless decided before."""
    bulk = next_change(master, row.id)
    if bulk is None:
        return
    if event == "apply_bulk":
        pool.assign(workspace, master, row, bulk.change)
    leave(master, bulk, row.id)
    workspace.state.timers.cancel(pool.MACHINE.name, row.id)
    if next_change(master, row.id) is not None:
        SUB_ACCOUNT_PLAN.fire(workspace, master, row, "accept_bulk")
        set_bulk_timer(workspace, master, row)
    if bulk.verdict is None:
        bulk.verdict = event
        for number in bulk.members:
            master.record(Waiting)[number].move_to_end(bulk.id, last=False)
        action = activities.PLAN_UPDATED if event == "apply_bulk" else activities.PLAN_REJECTED
        activities.log(workspace, master, action, Visit(ip=bulk.user_ip, user_agent=bulk.user_agent))
        for number in list(bulk.members):
            SUB_ACCOUNT_PLAN.fire(workspace, master, master.table(SubAccount)[number], event)


@SUB_ACCOUNT_PLAN.on("delete")
def _delete(workspace: Workspace, master: Account, row: SubAccount) -> None:
    for number in tuple(master.record(Waiting).get(row.id, ())):
        leave(master, master.table(BulkPlan)[number], row.id)
    pool.release(workspace, master, row)
    workspace.remove_account(workspace.state.accounts[row.id])

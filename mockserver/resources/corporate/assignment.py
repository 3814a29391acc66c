"""Changes of the plans of sub-accounts: of one at once, or of several later (contract/corporate)."""

from __future__ import annotations

from mockserver.core.contract.errors import MISSING_PARAMETER, NOT_ENOUGH_CREDITS, OUT_OF_RANGE, no_room
from mockserver.core.state import reasons
from mockserver.core.state.state import MOST_ADDED, Account
from mockserver.core.workspaces.caller import Caller, Visit
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.activities import model as activities
from mockserver.resources.corporate import bulk as bulks
from mockserver.resources.corporate import plan, pool
from mockserver.resources.corporate.bulk import BulkPlan
from mockserver.resources.corporate.lifecycle import ASSIGNMENT_PENDING, MACHINE, SUB_ACCOUNT_PLAN, UNASSIGNED
from mockserver.resources.corporate.model import require
from mockserver.resources.corporate.plan import Allotment
from mockserver.resources.corporate.pool import SubAccount


def change_plan(caller: Caller, sub_account_id: int, change: Allotment) -> None:
    """Change the plan of one sub-account.

    Raises:
        ServiceError: 400; an unknown sub-account, a value that the solution does not know, too few credits, or less
            than is used.
    """
    row = require(caller, sub_account_id)
    change = _checked(caller, [row], change)
    pool.assign(caller.workspace, caller.account, row, change)
    event = "assign" if row.state in (UNASSIGNED, ASSIGNMENT_PENDING) else "change"
    SUB_ACCOUNT_PLAN.fire(caller.workspace, caller.account, row, event)
    activities.log(caller.workspace, caller.account, activities.PLAN_UPDATED, caller.visit)


def change_plans(caller: Caller, sub_account_ids: list[int], change: Allotment) -> None:
    """Accept a change of several plans, which is applied after `behaviour.bulk_plan`, to all of them or to none.

    Raises:
        ServiceError: 400 as for one plan; no sub-account is named; there is no room for so many changes.
    """
    if not sub_account_ids:
        reason = "empty field `subAccountIds` in the body: expected at least one sub-account"
        raise MISSING_PARAMETER("Missing subAccountIds attribute in the request").because(reason)
    rows = [require(caller, number) for number in dict.fromkeys(sub_account_ids)]
    change = _checked(caller, rows, change)
    workspace, master = caller.workspace, caller.account
    if full := workspace.state.full(MOST_ADDED + len(rows)):
        raise no_room(full)
    due = workspace.state.clock.after(workspace.state.behaviour.bulk_plan)
    visit = caller.visit
    bulk = BulkPlan(
        workspace.state.next_id("bulk_plan"), due, change, {row.id: None for row in rows}, visit.ip, visit.user_agent
    )  # fmt: skip
    bulks.enter(master, bulk)
    for row in rows:
        SUB_ACCOUNT_PLAN.fire(workspace, master, row, "accept_bulk")
        await_bulk(workspace, master, row)


def _checked(caller: Caller, rows: list[SubAccount], change: Allotment) -> Allotment:
    """A change without what the solution ignores.

    Raises:
        ServiceError: 400; the solution does not know it, a sub-account has used more, or the pool holds too little.
    """
    solution = caller.workspace.state.solution
    plan.check_solution(change, solution)
    asked, change = change, plan.applicable(change, solution)
    for name in asked.features.keys() - change.features.keys():
        caller.warn(f"ignored the body field `{plan.path(name)}`: the {solution} solution does not have it")
    used = pool.below_used(caller.workspace, rows, change)
    if used:
        taken = f"sub-account {used.sub_account_id} has used {used.amount}"
        reason = f"the new {plan.path(used.name)} is too small: {taken}"
        raise OUT_OF_RANGE(f"{plan.path(used.name)}: {used.amount} are used already").because(reason)
    short = pool.shortage(caller.workspace, caller.account, rows, change)
    if short:
        refused = NOT_ENOUGH_CREDITS(f"Not enough credits: the master account has too little {short.name} left")
        needed = f"the change for sub-account {reasons.listed(row.id for row in rows)} requires {short.needed} more"
        lack = f"not enough {plan.path(short.name)} in the pool of account {caller.account.name}"
        raise refused.because(f"{lack}: {needed}, {short.left} are left")
    return change


def await_bulk(workspace: Workspace, master: Account, row: SubAccount) -> None:
    """Set the timer that applies the oldest change that a sub-account waits for, when it is due."""
    bulk = bulks.oldest(master, row.id)
    if bulk is not None:
        workspace.set_timer(bulk.due, master, MACHINE.name, row.id, "apply_bulk")


@SUB_ACCOUNT_PLAN.guard("apply_bulk")
def _apply_or_reject(workspace: Workspace, master: Account, row: SubAccount) -> str:
    bulk = bulks.oldest(master, row.id)
    if bulk is None:
        return "apply_bulk"
    if bulk.verdict is not None:
        return bulk.verdict
    _carry_out_earlier(workspace, master, bulk)
    rows = [master.table(SubAccount)[number] for number in bulk.members]
    is_impossible = pool.below_used(workspace, rows, bulk.change) or pool.shortage(workspace, master, rows, bulk.change)
    return "reject_bulk" if is_impossible else "apply_bulk"


def _carry_out_earlier(workspace: Workspace, master: Account, bulk: BulkPlan) -> None:
    """Carry out the changes that were accepted earlier and are due as well: the pool may not hold enough for all."""
    for earlier in bulks.before(master, bulk, workspace.state.clock.now()):
        if earlier.members:
            first = next(iter(earlier.members))
            SUB_ACCOUNT_PLAN.fire(workspace, master, master.table(SubAccount)[first], "apply_bulk")


@SUB_ACCOUNT_PLAN.on("apply_bulk")
def _apply(workspace: Workspace, master: Account, row: SubAccount) -> None:
    _carry_out(workspace, master, row, "apply_bulk")


@SUB_ACCOUNT_PLAN.on("reject_bulk")
def _reject(workspace: Workspace, master: Account, row: SubAccount) -> None:
    _carry_out(workspace, master, row, "reject_bulk")


def _carry_out(workspace: Workspace, master: Account, row: SubAccount, event: str) -> None:
    """Apply or reject a change for one sub-account; if that was not decided before, for all its other members too."""
    bulk = bulks.oldest(master, row.id)
    if bulk is None:
        return
    if event == "apply_bulk":
        pool.assign(workspace, master, row, bulk.change)
    bulks.leave(master, bulk, row.id)
    workspace.state.timers.cancel(MACHINE.name, row.id)
    if bulks.oldest(master, row.id) is not None:
        SUB_ACCOUNT_PLAN.fire(workspace, master, row, "accept_bulk")
        await_bulk(workspace, master, row)
    if bulk.verdict is None:
        bulks.decide(master, bulk, event)
        action = activities.PLAN_UPDATED if event == "apply_bulk" else activities.PLAN_REJECTED
        activities.log(workspace, master, action, Visit(ip=bulk.user_ip, user_agent=bulk.user_agent))
        for number in list(bulk.members):
            SUB_ACCOUNT_PLAN.fire(workspace, master, master.table(SubAccount)[number], event)

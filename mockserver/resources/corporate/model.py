"""Master accounts and their sub-accounts: plans out of a pool, and keys (SPEC 4.5, ledger 4)."""

from __future__ import annotations

from typing import Any

from mockserver.core.contract.errors import (
    DOCUMENT_NOT_FOUND,
    INVALID_PARAMETER,
    MISSING_PARAMETER,
    NOT_ENOUGH_CREDITS,
    OUT_OF_RANGE,
    no_room,
)
from mockserver.core.contract.operation import Role
from mockserver.core.state import reasons
from mockserver.core.state.account import Account, User
from mockserver.core.state.state import MOST_ADDED
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.caller import Caller, Visit
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.activities import model as activities
from mockserver.resources.corporate import bulk as bulks
from mockserver.resources.corporate import plan, pool
from mockserver.resources.corporate.bulk import BulkPlan
from mockserver.resources.corporate.plan import Allotment, Amount
from mockserver.resources.corporate.pool import Groups, SubAccount

UNASSIGNED, ACTIVE = "unassigned", "active"
ASSIGNMENT_PENDING, CHANGE_PENDING = "assignment_pending", "change_pending"

MACHINE = StateMachine(
    "sub_account_plan",
    ("create", ABSENT, UNASSIGNED),
    ("assign", UNASSIGNED, ACTIVE),
    ("assign", ASSIGNMENT_PENDING, CHANGE_PENDING),
    ("change", ACTIVE, ACTIVE),
    ("change", CHANGE_PENDING, CHANGE_PENDING),
    ("accept_bulk", UNASSIGNED, ASSIGNMENT_PENDING),
    ("accept_bulk", ACTIVE, CHANGE_PENDING),
    ("accept_bulk", ASSIGNMENT_PENDING, ASSIGNMENT_PENDING),
    ("accept_bulk", CHANGE_PENDING, CHANGE_PENDING),
    ("apply_bulk", ASSIGNMENT_PENDING, ACTIVE),
    ("apply_bulk", CHANGE_PENDING, ACTIVE),
    ("reject_bulk", ASSIGNMENT_PENDING, UNASSIGNED),
    ("reject_bulk", CHANGE_PENDING, ACTIVE),
    *(("delete", state, ABSENT) for state in (UNASSIGNED, ACTIVE, ASSIGNMENT_PENDING, CHANGE_PENDING)),
    timed=frozenset({"apply_bulk", "reject_bulk"}),
)


def _shown(row: SubAccount) -> dict[str, dict[str, Amount]]:
    """A plan as the control API shows it; what is used of a feature or a credit, and left, where it was assigned."""
    balances = {name: row.balance(name) for name, _ in row.assigned.items()}
    return {
        "assigned": {name: balance.quantity for name, balance in balances.items()},
        "used": {name: balance.used for name, balance in balances.items()},
        "left": {name: balance.left for name, balance in balances.items()},
    }


SUB_ACCOUNT_PLAN = Lifecycle(MACHINE, SubAccount, key="id", parse=int, reveal=_shown)


# ---------------------------------------------------------------------- sub-accounts


def get(caller: Caller, sub_account_id: int) -> SubAccount | None:
    return caller.account.table(SubAccount).get(sub_account_id)


def require(caller: Caller, sub_account_id: int) -> SubAccount:
    """A sub-account of the caller.

    Raises:
        ServiceError: 400, as the read, key and token operations document for an unknown one (ledger 2.23, 2.28).
    """
    row = get(caller, sub_account_id)
    if row is None:
        raise INVALID_PARAMETER("Invalid sub-account id.").because(_unknown(caller, sub_account_id))
    return row


def _unknown(caller: Caller, sub_account_id: int) -> str:
    other = caller.workspace.state.accounts.get(sub_account_id)
    if other is not None and other.role is not Role.SUB_ACCOUNT:
        return f"{sub_account_id} is account {other.name}, of role {other.role}, and no sub-account"
    return reasons.absent(caller.workspace.state, caller.account, "sub-account", SubAccount, sub_account_id)


def create(caller: Caller, body: dict[str, Any]) -> int:
    """A new sub-account without a plan; answers its id.

    Raises:
        ServiceError: 400; a group is not one of the master's.
    """
    workspace, master = caller.workspace, caller.account
    group_ids = list(dict.fromkeys(body.get("groupIds", ())))
    groups = master.record(Groups)
    for group_id in group_ids:
        if group_id not in groups:
            reason = f"account {master.name} has no group {reasons.shown(group_id)}; {reasons.there(groups)}"
            raise INVALID_PARAMETER(f"groupIds: {group_id} is not a group of the account").because(reason)
    number = workspace.state.next_id("account")
    workspace.state.add_account(
        Account(
            id=number,
            name=workspace.state.free_name(f"sub-{number}"),
            email=body["email"],
            created_at=workspace.state.clock.now(),
            organization_id=workspace.state.random.digits("organization", 24),
            user_id=workspace.state.next_id("user"),
            role=Role.SUB_ACCOUNT,
            of=master.name,
            company_name=body["companyName"],
            language=body.get("language"),
            users=[User(body["email"], admin=True)],
        )
    )
    row = SubAccount(number, UNASSIGNED, timezone=body.get("timezone"), group_ids=group_ids)
    SUB_ACCOUNT_PLAN.begin(workspace, master, row)
    return number


def delete(caller: Caller, sub_account_id: int) -> None:
    """Remove a sub-account with all its data; its keys die, and what it has not used is the pool's again.

    Raises:
        ServiceError: 404.
    """
    row = get(caller, sub_account_id)
    if row is None:
        refused = DOCUMENT_NOT_FOUND(f"Sub-account {sub_account_id} was not found")
        raise refused.because(_unknown(caller, sub_account_id))
    SUB_ACCOUNT_PLAN.fire(caller.workspace, caller.account, row, "delete")


@SUB_ACCOUNT_PLAN.on("delete")
def _remove(workspace: Workspace, master: Account, row: SubAccount) -> None:
    bulks.forget(master, row.id)
    pool.release(workspace, master, row)
    workspace.remove_account(workspace.state.accounts[row.id])


def create_key(caller: Caller, sub_account_id: int) -> str:
    """A new API key of a sub-account.

    Raises:
        ServiceError: 400.
    """
    row = require(caller, sub_account_id)
    key = caller.workspace.state.draw_api_key()
    caller.workspace.add_key(caller.workspace.state.accounts[row.id], key)
    activities.log(caller.workspace, caller.account, activities.KEY_CREATED, caller.visit)
    return key


# ---------------------------------------------------------------------- plans


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
    """Accept a change of several plans: it is applied after `behaviour.bulk_plan`, to all or to none.

    Raises:
        ServiceError: 400 as for one plan; no sub-account is named; there is no room for so many changes.
    """
    if not sub_account_ids:
        reason = "the body's member subAccountIds is empty, and the change is for one sub-account at least"
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
    """The change as the solution keeps it.

    Raises:
        ServiceError: 400.
    """
    solution = caller.workspace.state.solution
    plan.check_solution(change, solution)
    asked, change = change, plan.applicable(change, solution)
    for name in asked.features.keys() - change.features.keys():
        caller.warn(f"{plan.path(name)} is not of the {solution} solution; it is ignored")
    used = pool.below_used(caller.workspace, rows, change)
    if used:
        reason = f"sub-account {used.sub_account_id} has used {used.amount} {used.name}, and is to have less"
        raise OUT_OF_RANGE(f"{plan.path(used.name)}: {used.amount} are used already").because(reason)
    short = pool.shortage(caller.workspace, caller.account, rows, change)
    if short:
        refused = NOT_ENOUGH_CREDITS(f"Not enough credits: the master account has too little {short.name} left")
        whom = f"sub-account {reasons.listed(row.id for row in rows)}"
        taken = f"takes {short.needed} more {short.name} from the pool of account {caller.account.name}"
        raise refused.because(f"the change for {whom} {taken}, which has {short.left} left")
    return change


def await_bulk(workspace: Workspace, master: Account, row: SubAccount) -> None:
    """Let the oldest change that a sub-account waits for be applied when it is due."""
    bulk = bulks.oldest(master, row.id)
    if bulk is not None:
        workspace.state.timers.set(bulk.due, master.id, MACHINE.name, row.id, "apply_bulk")


@SUB_ACCOUNT_PLAN.guard("apply_bulk")
def _apply_or_reject(workspace: Workspace, master: Account, row: SubAccount) -> str:
    bulk = bulks.oldest(master, row.id)
    if bulk is None:
        return "apply_bulk"
    if bulk.verdict is not None:
        return bulk.verdict
    _settle_earlier(workspace, master, bulk)
    rows = [master.table(SubAccount)[number] for number in bulk.members]
    is_impossible = pool.below_used(workspace, rows, bulk.change) or pool.shortage(workspace, master, rows, bulk.change)
    return "reject_bulk" if is_impossible else "apply_bulk"


def _settle_earlier(workspace: Workspace, master: Account, bulk: BulkPlan) -> None:
    """Give what was accepted earlier, and is due as well, its turn first: the pool may not hold enough for both."""
    for earlier in bulks.before(master, bulk, workspace.state.clock.now()):
        if earlier.members:
            first = next(iter(earlier.members))
            SUB_ACCOUNT_PLAN.fire(workspace, master, master.table(SubAccount)[first], "apply_bulk")


@SUB_ACCOUNT_PLAN.on("apply_bulk")
def _apply(workspace: Workspace, master: Account, row: SubAccount) -> None:
    _settle(workspace, master, row, "apply_bulk")


@SUB_ACCOUNT_PLAN.on("reject_bulk")
def _reject(workspace: Workspace, master: Account, row: SubAccount) -> None:
    _settle(workspace, master, row, "reject_bulk")


def _settle(workspace: Workspace, master: Account, row: SubAccount, event: str) -> None:
    """Do for one sub-account what was decided, and for the others of its change with it: all or none."""
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

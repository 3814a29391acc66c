"""Loading what a scenario says of masters and sub-accounts, with checks that it does not contradict itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mockserver.core.contract.errors import ServiceError
from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account
from mockserver.core.text.messages import shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.corporate import bulk as bulks
from mockserver.resources.corporate import plan, pool
from mockserver.resources.corporate.assignment import await_bulk
from mockserver.resources.corporate.bulk import BulkPlan
from mockserver.resources.corporate.lifecycle import ACTIVE, ASSIGNMENT_PENDING, CHANGE_PENDING, UNASSIGNED
from mockserver.resources.corporate.plan import CREDITS, SWITCHES, Allotment, Amount
from mockserver.resources.corporate.pool import Assigned, Groups, Master, SubAccount
from mockserver.resources.section import SectionError, TakenError, once_per_load

#: The members that only a master has, and those that only a sub-account has.
MASTER = ("currency_code", "billing_info", "plan_info", "groups", "pool", "bulk_plans")
SUB_ACCOUNT = ("plan_type", "group_ids", "assigned", "used", "plan_state")
#: The states of a sub-account that waits for a bulk plan.
_PENDING = (ASSIGNMENT_PENDING, CHANGE_PENDING)
#: The members of a sub-account that are taken without a check here.
_UNCHECKED = ("plan_type", "timezone", "group_ids")


def load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    """Put what a scenario says of a master or a sub-account into its records.

    Members of accounts of another role, and members that contradict each other or the pool, are refused.
    """
    yield from _refuse_foreign(account, data)
    if account.role is Role.MASTER:
        yield from _load_master(workspace, account, data)
    elif account.role is Role.SUB_ACCOUNT:
        yield from _load_sub_account(workspace, account, data)


def _refuse_foreign(account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    """Check that the members of a master or a sub-account are those of an account of that role."""
    for names, role in ((MASTER, Role.MASTER), (SUB_ACCOUNT, Role.SUB_ACCOUNT)):
        for name in names:
            if name in data and account.role is not role:
                message = f"only for accounts of role {role}: account {shown(account.name)} has role {account.role}"
                yield SectionError((name,), message)
    if "timezone" in data and account.role not in (Role.MASTER, Role.SUB_ACCOUNT):
        told = f"account {shown(account.name)} has role {account.role}"
        yield SectionError(("timezone",), f"only for accounts of role master or sub_account: {told}")


def _load_master(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    master = account.record(Master)
    for name in ("currency_code", "timezone", "billing_info", "plan_info", "pool"):
        if name in data:
            setattr(master, name, data[name])
    account.record(Groups).update({group["id"]: group["name"] for group in data.get("groups", ())})
    if master.plan_info.get("features") and any(master.pool.items()):
        yield SectionError(("plan_info", "features"), "the features of a plan follow from the pool: leave them out")
    if "pool" in data:
        yield from _check_solution(workspace, ("pool",), Allotment(_unlimited(master.pool)))
    for index, bulk in enumerate(data.get("bulk_plans", ())):
        if not bulk.members:
            yield SectionError(("bulk_plans", index, "members"), "no members: expected the id of a sub-account")
        yield from _check_plan(workspace, ("bulk_plans", index, "change"), bulk.change)
        workspace.state.claim_id("bulk_plan", bulk.id)
        if bulk.id in account.table(BulkPlan):
            yield TakenError(("bulk_plans", index, "id"), f"duplicate bulk plan id {bulk.id}")
            continue
        bulks.enter(account, bulk)
        _to_check(workspace).append((account, index, bulk))
    yield from _check_pool(account)


def _to_check(workspace: Workspace) -> list[tuple[Account, int, BulkPlan]]:
    """The changes whose members may come later in the document: master, index in its `bulk_plans`, row."""
    return once_per_load(workspace, BulkPlan, list)


def finish(workspace: Workspace) -> Iterator[SectionError]:
    """Set the timers of the changes that were loaded, once all sub-accounts are.

    Members that are no sub-account of the master, or whose state is not a pending one, are refused.
    """
    found = _to_check(workspace)
    for master, index, bulk in found:
        for number in bulk.members:
            row = master.table(SubAccount).get(number)
            if row is None or row.state not in _PENDING:
                problem = (
                    f"not a sub-account of {shown(master.name)}: got {number}"
                    if row is None
                    else f"sub-account {number} has plan_state {row.state}, expected {' or '.join(_PENDING)}"
                )
                path = ("bulk_plans", index, "members")
                yield SectionError(path, problem, account=master.id, wanted=(number,))
                continue
            await_bulk(workspace, master, row)
    found.clear()


def _check_pool(master: Account) -> Iterator[SectionError]:
    """Check that a pool holds what the sub-accounts were assigned."""
    for name in master.record(Assigned):
        balance = pool.of_master(master, name)
        if name not in SWITCHES and not balance.is_unlimited and balance.used > balance.quantity:
            told = f"holds {balance.quantity} {name}, and the sub-accounts were assigned {balance.used}"
            yield SectionError(("pool",), f"the pool is too small: it {told}")


def _unlimited(pool: Allotment) -> dict[str, Amount]:
    """The unlimited credits of a pool. All else may be in a pool, whether the workspace's solution knows it or not."""
    return {name: amount for name, amount in pool.credits.items() if amount == plan.UNLIMITED and name not in SWITCHES}


def _check_solution(workspace: Workspace, path: tuple[str | int, ...], found: Allotment) -> Iterator[SectionError]:
    """Check that the workspace's corporate solution knows all credits and features that are named."""
    try:
        plan.check_solution(found, workspace.state.solution)
    except ServiceError as error:
        yield SectionError(path, error.message)


def _check_plan(workspace: Workspace, path: tuple[str | int, ...], found: Allotment) -> Iterator[SectionError]:
    """Check that the solution has all that a plan names; an operation ignores what it does not have."""
    yield from _check_solution(workspace, path, found)
    applicable = plan.applicable(found, workspace.state.solution).features
    for name in found.features:
        if name not in applicable:
            message = f"the {workspace.state.solution} solution does not have this feature: leave it out"
            yield SectionError((*path, "features", name), message)


def _load_sub_account(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    master = workspace.state.master_of(account)
    assert master is not None, "the scenario's accounts are checked first"
    row = master.table(SubAccount).setdefault(account.id, SubAccount(account.id, UNASSIGNED))
    for name in _UNCHECKED:
        if name in data:
            setattr(row, name, data[name])
    row.group_ids = list(dict.fromkeys(row.group_ids))
    for index, group_id in enumerate(row.group_ids):
        if group_id not in master.record(Groups):
            message = f"not a group of {shown(master.name)}: got {shown(group_id)}"
            yield SectionError(("group_ids", index), message, wanted=(group_id,))
    yield from _load_plan(workspace, master, row, data.get("assigned", Allotment()), data.get("used", Allotment()))
    row.state = data.get("plan_state") or (ACTIVE if row.assigned else UNASSIGNED)
    if bulks.oldest(master, row.id) is not None and row.state not in _PENDING:
        told = f"the sub-account waits for a bulk plan of {shown(master.name)}"
        yield SectionError(("plan_state",), f"got {row.state}, expected {' or '.join(_PENDING)}: {told}")


def _load_plan(
    workspace: Workspace, master: Account, row: SubAccount, assigned: Allotment, used: Allotment
) -> Iterator[SectionError]:
    """Load what a sub-account was assigned, and what it has used of that.

    What the solution does not have, what the pool does not hold, and usage above what was assigned are refused.
    """
    yield from _check_plan(workspace, ("assigned",), assigned)
    # A sub-account that exists, and gets more from a partial document, first gives back what it has.
    for name in dict.fromkeys(name for amounts in (row.assigned, assigned) for name, _ in amounts.items()):
        pool.count_assigned(master, name, row.assigned.get(name), assigned.get(name))
    row.assigned, row.used = assigned, used
    for name in (*assigned.credits, *assigned.features):
        balance = pool.of_master(master, name)
        if name not in SWITCHES and not balance.is_unlimited and balance.used > balance.quantity:
            told = f"holds {balance.quantity} {name}, and {balance.used} are assigned"
            yield SectionError(("assigned",), f"the pool of {shown(master.name)} is too small: it {told}")
    for name, amount in used.items():
        quantity = assigned.get(name)
        if quantity != plan.UNLIMITED and amount > quantity:
            kind = "credits" if name in CREDITS else "features"
            yield SectionError(
                ("used", kind, name), f"more used than assigned: got {amount}, expected at most {quantity}"
            )

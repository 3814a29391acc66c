"""Loading what a scenario says of masters and sub-accounts, with checks that it does not contradict itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.core.contract.errors import ServiceError
from mockserver.core.contract.operation import Role
from mockserver.core.state.account import Account
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


def load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    """Put what a scenario says of a master or a sub-account into its records.

    Raises:
        SectionError: an account of another role has such a member, or members contradict each other or the pool.
    """
    _refuse_foreign(account, data)
    if account.role is Role.MASTER:
        _load_master(workspace, account, data)
    elif account.role is Role.SUB_ACCOUNT:
        _load_sub_account(workspace, account, data)


def _refuse_foreign(account: Account, data: Mapping[str, Any]) -> None:
    """Check that the members of a master or a sub-account are those of an account of that role.

    Raises:
        SectionError: they are not.
    """
    for names, role in ((MASTER, Role.MASTER), (SUB_ACCOUNT, Role.SUB_ACCOUNT)):
        for name in names:
            if name in data and account.role is not role:
                raise SectionError((name,), f"only an account of role {role} has it")
    if "timezone" in data and account.role not in (Role.MASTER, Role.SUB_ACCOUNT):
        raise SectionError(("timezone",), "only an account of role master or sub_account has it")


def _load_master(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    master = account.record(Master)
    for name in ("currency_code", "timezone", "billing_info", "plan_info", "pool"):
        if name in data:
            setattr(master, name, data[name])
    account.record(Groups).update({group["id"]: group["name"] for group in data.get("groups", ())})
    if master.plan_info.get("features") and any(master.pool.items()):
        raise SectionError(("plan_info", "features"), "they follow from the pool")
    if "pool" in data:
        _check_solution(workspace, ("pool",), Allotment(_unlimited(master.pool)))
    for index, bulk in enumerate(data.get("bulk_plans", ())):
        if not bulk.members:
            raise SectionError(("bulk_plans", index, "members"), "names no sub-account")
        _check_plan(workspace, ("bulk_plans", index, "change"), bulk.change)
        workspace.state.claim_id("bulk_plan", bulk.id)
        if bulk.id in account.table(BulkPlan):
            raise TakenError(("bulk_plans", index, "id"), f"{bulk.id} is there already")
        bulks.enter(account, bulk)
        _to_check(workspace).append((account, index, bulk))
    _check_pool(account)


def _to_check(workspace: Workspace) -> list[tuple[Account, int, BulkPlan]]:
    """The changes whose members may come later in the document: master, index in its `bulk_plans`, row."""
    return once_per_load(workspace, BulkPlan, list)


def finish(workspace: Workspace) -> None:
    """Set the timers of the changes that were loaded, once all sub-accounts are.

    Raises:
        SectionError: a member of a change is no sub-account of the master, or its own state is not a pending one.
    """
    found = _to_check(workspace)
    for master, index, bulk in found:
        for number in bulk.members:
            row = master.table(SubAccount).get(number)
            if row is None or row.state not in _PENDING:
                problem = "is no sub-account" if row is None else f"is {row.state}, and no pending sub-account"
                raise SectionError(
                    ("bulk_plans", index, "members"), f"{number} {problem} of {master.name}", account=master.id
                )
            await_bulk(workspace, master, row)
    found.clear()


def _check_pool(master: Account) -> None:
    """Check that a pool holds what the sub-accounts were assigned.

    Raises:
        SectionError: it holds less.
    """
    for name in master.record(Assigned):
        balance = pool.of_master(master, name)
        if name not in SWITCHES and not balance.is_unlimited and balance.used > balance.quantity:
            raise SectionError(("pool",), f"the sub-accounts have been assigned more {name} already")


def _unlimited(pool: Allotment) -> dict[str, Amount]:
    """The unlimited credits of a pool. All else may be in a pool, whether the workspace's solution knows it or not."""
    return {name: amount for name, amount in pool.credits.items() if amount == plan.UNLIMITED and name not in SWITCHES}


def _check_solution(workspace: Workspace, path: tuple[str | int, ...], found: Allotment) -> None:
    """Check that the workspace's corporate solution knows all credits and features that are named.

    Raises:
        SectionError: it does not.
    """
    try:
        plan.check_solution(found, workspace.state.solution)
    except ServiceError as error:
        raise SectionError(path, error.message) from error


def _check_plan(workspace: Workspace, path: tuple[str | int, ...], found: Allotment) -> None:
    """Check that the workspace's corporate solution has all that a plan names, where an operation ignores some of it.

    Raises:
        SectionError: it does not.
    """
    _check_solution(workspace, path, found)
    applicable = plan.applicable(found, workspace.state.solution).features
    for name in found.features:
        if name not in applicable:
            raise SectionError((*path, "features", name), f"the {workspace.state.solution} solution does not have it")


def _load_sub_account(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    master = workspace.state.master_of(account)
    assert master is not None, "the scenario's accounts are checked first"
    row = master.table(SubAccount).setdefault(account.id, SubAccount(account.id, UNASSIGNED))
    for name in _UNCHECKED:
        if name in data:
            setattr(row, name, data[name])
    row.group_ids = list(dict.fromkeys(row.group_ids))
    for index, group_id in enumerate(row.group_ids):
        if group_id not in master.record(Groups):
            raise SectionError(("group_ids", index), f"{group_id} is not one of the groups of {master.name}")
    _load_plan(workspace, master, row, data.get("assigned", Allotment()), data.get("used", Allotment()))
    row.state = data.get("plan_state") or (ACTIVE if row.assigned else UNASSIGNED)
    if bulks.oldest(master, row.id) is not None and row.state not in _PENDING:
        raise SectionError(
            ("plan_state",), f"it waits for a bulk plan of {master.name}, and is {' or '.join(_PENDING)}"
        )


def _load_plan(workspace: Workspace, master: Account, row: SubAccount, assigned: Allotment, used: Allotment) -> None:
    """Load what a sub-account was assigned, and what it has used of that.

    Raises:
        SectionError: the solution does not have it, the pool does not hold it, or more is used than was assigned.
    """
    _check_plan(workspace, ("assigned",), assigned)
    # A sub-account that exists, and gets more from a partial document, first gives back what it has.
    for name in dict.fromkeys(name for amounts in (row.assigned, assigned) for name, _ in amounts.items()):
        pool.count_assigned(master, name, row.assigned.get(name), assigned.get(name))
    row.assigned, row.used = assigned, used
    for name in (*assigned.credits, *assigned.features):
        balance = pool.of_master(master, name)
        if name not in SWITCHES and not balance.is_unlimited and balance.used > balance.quantity:
            raise SectionError(("assigned",), f"the pool of {master.name} holds too little {name}")
    for name, amount in used.items():
        quantity = assigned.get(name)
        if quantity != plan.UNLIMITED and amount > quantity:
            kind = "credits" if name in CREDITS else "features"
            raise SectionError(("used", kind, name), f"{amount} are used, and {quantity} were assigned")

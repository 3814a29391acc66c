"""A master's pool, and what its sub-accounts were assigned out of it and have used (contract/corporate#plans)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account
from mockserver.core.state.tables import Table
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.corporate.plan import SWITCHES, UNLIMITED, Allotment, Amount, Balance, exact, is_spent


@dataclass(slots=True, eq=False)
class SubAccount:
    """The plan and groups of a sub-account: a row of its master, whose id is that of the sub-account itself."""

    id: int
    state: str
    assigned: Allotment = field(default_factory=Allotment)
    used: Allotment = field(default_factory=Allotment)
    #: What the plan is called; None: `free` without a plan, `paid` with one.
    plan_type: str | None = None
    timezone: str | None = None
    group_ids: list[str] = field(default_factory=list)

    def balance(self, name: str) -> Balance:
        """How much the sub-account was assigned of a credit or a feature, and how much of that it has used."""
        return Balance(self.assigned.get(name), self.used.get(name))

    @property
    def effective_plan_type(self) -> str:
        """What the plan is called: as the scenario says, else `free` or `paid`."""
        return self.plan_type or ("paid" if self.assigned else "free")


class Groups(Table[str, str]):
    """The names of a master account's groups by their id."""


@dataclass(slots=True, eq=False)
class Master:
    """What only a master account has; one record of it."""

    currency_code: str = "EUR"
    timezone: str = "Europe/Paris"
    billing_info: dict[str, Any] | None = None
    plan_info: dict[str, Any] = field(default_factory=dict)
    #: All that the master has. What sub-accounts were assigned is part of it, what they have used too, until it is
    #: deducted.
    pool: Allotment = field(default_factory=Allotment)


class Assigned(dict[str, Amount]):
    """How much of each credit and feature a master's sub-accounts were assigned in all; one record of the master."""


class Shortage(NamedTuple):
    """A credit or feature that a pool holds too little of: how much more a change needs, and how much is left."""

    name: str
    needed: Amount
    left: Amount


class Used(NamedTuple):
    """A credit or feature of which a sub-account has used more than a change leaves it, and the amount used."""

    sub_account_id: int
    name: str
    amount: Amount


def holding(workspace: Workspace, account: Account, name: str) -> Balance | None:
    """The balance of a credit or a feature of an account, or None if the account has nothing out of a pool.

    A sub-account has what it was assigned. A master has its pool, of which as much is used as sub-accounts were
    assigned.
    """
    if account.role is Role.MASTER and account.record(Master).pool:
        return of_master(account, name)
    row = _row(workspace, account)
    return None if row is None else row.balance(name)


def plan_type(workspace: Workspace, account: Account) -> str:
    """What the plan of a master or a sub-account is called."""
    row = _row(workspace, account)
    return "paid" if row is None else row.effective_plan_type


def use(workspace: Workspace, account: Account, name: str, amount: Amount = 1) -> bool:
    """Let an account use credits up; returns whether it had as many, and changes nothing otherwise.

    The credits of an account that has nothing out of a pool never change.
    """
    balance = holding(workspace, account, name)
    if balance is None:
        return True
    enough = balance.is_unlimited or balance.left >= amount
    row = _row(workspace, account)
    if enough and row is not None:
        row.used.set(name, row.used.get(name) + amount)
    elif enough and not balance.is_unlimited:
        pool = account.record(Master).pool
        pool.set(name, pool.get(name) - amount)
    return enough


def _row(workspace: Workspace, account: Account) -> SubAccount | None:
    master = workspace.state.master_of(account) if account.role is Role.SUB_ACCOUNT else None
    return None if master is None else master.table(SubAccount).get(account.id)


def of_master(master: Account, name: str) -> Balance:
    """The balance of a master's pool: what it holds of a credit or a feature, and what of that is assigned."""
    return Balance(master.record(Master).pool.get(name), master.record(Assigned).get(name, 0))


def count_assigned(master: Account, name: str, before: Amount, after: Amount) -> None:
    """Update what a master's sub-accounts were assigned in all, where one had one amount and has another now."""
    assigned = master.record(Assigned)
    assigned[name] = exact(assigned.get(name, 0) - max(before, 0) + max(after, 0))


def shortage(workspace: Workspace, master: Account, rows: Iterable[SubAccount], change: Allotment) -> Shortage | None:
    """The first credit or feature that the pool holds too little of to change the plan of all rows, or None."""
    rows = list(rows)
    for name, quantity in change.items():
        pool = of_master(master, name)
        if name in SWITCHES or pool.is_unlimited:
            continue
        needed = exact(sum(_needed(workspace, row.balance(name), name, quantity) for row in rows))
        if needed > pool.left:
            return Shortage(name, needed, pool.left)
    return None


def _needed(workspace: Workspace, before: Balance, name: str, quantity: Amount) -> Amount:
    """How much more the pool has to give for another quantity; negative where the pool gets something back."""
    after = before.changed(quantity)
    spent = before.used_beyond(after) if _is_deducted(workspace, name) else 0
    return max(after.quantity, 0) - max(before.quantity, 0) + spent


def _is_deducted(workspace: Workspace, name: str) -> bool:
    """Whether what was used of a credit or feature does not come back to the pool (`behaviour.plan_refund`)."""
    return is_spent(name) and workspace.state.behaviour.plan_refund == "unused"


def below_used(workspace: Workspace, rows: Iterable[SubAccount], change: Allotment) -> Used | None:
    """The first credit or feature of which a change leaves a row less than it has used, or None.

    None as well unless `behaviour.plan_below_used` is `refuse`. Switches and unlimited amounts are not compared.
    """
    if workspace.state.behaviour.plan_below_used != "refuse":
        return None
    for row in rows:
        for name, quantity in change.items():
            balance = row.balance(name)
            is_counted = name not in SWITCHES and UNLIMITED not in (quantity, balance.quantity)
            if is_counted and quantity < balance.used:
                return Used(row.id, name, balance.used)
    return None


def assign(workspace: Workspace, master: Account, row: SubAccount, change: Allotment) -> None:
    """Change the plan of a sub-account; what it has used and no longer holds is deducted from the pool."""
    for name, quantity in change.items():
        before = row.balance(name)
        after = before.changed(quantity)
        _deduct(workspace, master, name, before.used_beyond(after))
        row.assigned.set(name, after.quantity)
        count_assigned(master, name, before.quantity, after.quantity)
        if after.used != before.used:
            row.used.set(name, after.used)


def release(workspace: Workspace, master: Account, row: SubAccount) -> None:
    """Give back to the pool what a sub-account was assigned, but for what it has used up."""
    for name in (*row.used.credits, *row.used.features):
        _deduct(workspace, master, name, row.balance(name).used_beyond(Balance(0, 0)))
    for name, amount in row.assigned.items():
        count_assigned(master, name, amount, 0)


def _deduct(workspace: Workspace, master: Account, name: str, amount: Amount) -> None:
    """Take an amount that was used out of the pool, if such an amount does not come back."""
    pool = master.record(Master).pool
    if amount and _is_deducted(workspace, name) and pool.get(name) != UNLIMITED:
        pool.set(name, max(pool.get(name) - amount, 0))

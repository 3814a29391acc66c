"""A master's pool and what its sub-accounts have of it: assigned, used and left are one truth
(contract/corporate#plans).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mockserver.core.contract.operation import Role
from mockserver.core.state.account import Account
from mockserver.core.state.tables import Table
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.corporate.plan import SWITCHES, UNLIMITED, Allotment, Amount, Balance, exact, is_spent


@dataclass(slots=True, eq=False)
class SubAccount:
    """What a master knows of a sub-account; the account itself has the same id."""

    id: int
    state: str
    assigned: Allotment = field(default_factory=Allotment)
    used: Allotment = field(default_factory=Allotment)
    #: Left out: `free` without a plan, `paid` with one.
    plan_type: str | None = None
    timezone: str | None = None
    group_ids: list[str] = field(default_factory=list)

    def balance(self, name: str) -> Balance:
        """What it was assigned of a credit or a feature, and how much of that it has used."""
        return Balance(self.assigned.get(name), self.used.get(name))

    @property
    def kind(self) -> str:
        """What its plan is called."""
        return self.plan_type or ("paid" if self.assigned else "free")


class Groups(Table):
    """The names of a master account's groups by their id."""


@dataclass(slots=True, eq=False)
class Master:
    """What a master account has beside an account; one record of it."""

    currency_code: str = "EUR"
    timezone: str = "Europe/Paris"
    billing_info: dict[str, Any] | None = None
    plan_info: dict[str, Any] = field(default_factory=dict)
    #: All that the master has: what sub-accounts hold is part of it, what they have used until it is settled.
    pool: Allotment = field(default_factory=Allotment)


class Given(dict[str, Amount]):
    """How much of each credit and feature a master's sub-accounts were assigned together."""


class Shortage(NamedTuple):
    """What a pool holds too little of, how much of it is needed beside what is given already, and how much is left."""

    name: str
    needed: Amount
    left: Amount


class Used(NamedTuple):
    """What a sub-account has used more of than it is to have."""

    sub_account_id: int
    name: str
    amount: Amount


def holding(workspace: Workspace, account: Account, name: str) -> Balance | None:
    """What an account has of a credit or a feature, where that comes out of a pool; None: it does not.

    A sub-account has what it was assigned; a master has its pool, of which that is used which sub-accounts hold.
    """
    if account.role is Role.MASTER and account.record(Master).pool:
        return of_master(account, name)
    row = _row(workspace, account)
    return None if row is None else row.balance(name)


def plan_type(workspace: Workspace, account: Account) -> str:
    """What the plan of an account that lives out of a pool is called."""
    row = _row(workspace, account)
    return "paid" if row is None else row.kind


def use(workspace: Workspace, account: Account, name: str, amount: Amount = 1) -> bool:
    """Let an account use credits up; whether it had so many.

    Whoever lives out of no pool has what its scenario says, always.
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
    """How much of a credit or a feature a master has, and how much of that its sub-accounts were assigned."""
    return Balance(master.record(Master).pool.get(name), master.record(Given).get(name, 0))


def count(master: Account, name: str, before: Amount, after: Amount) -> None:
    """Note that a sub-account was assigned so much, and is now."""
    given = master.record(Given)
    given[name] = exact(given.get(name, 0) - max(before, 0) + max(after, 0))


def shortage(workspace: Workspace, master: Account, rows: Iterable[SubAccount], change: Allotment) -> Shortage | None:
    """The first thing that the pool holds too little of to change the plan of every row; None: it holds enough."""
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
    """How much more the pool has to give for another quantity; less than nothing comes back to it."""
    after = before.changed(quantity)
    spent = before.settled(after) if _is_gone(workspace, name) else 0
    return max(after.quantity, 0) - max(before.quantity, 0) + spent


def _is_gone(workspace: Workspace, name: str) -> bool:
    """Whether what was used does not come back to the pool (`behaviour.plan_refund`)."""
    return is_spent(name) and workspace.state.behaviour.plan_refund == "unused"


def below_used(workspace: Workspace, rows: Iterable[SubAccount], change: Allotment) -> Used | None:
    """The first thing that a row would have less of than it has used, where that is refused.

    `behaviour.plan_below_used` says whether it is; what is unlimited, and a switch, is not counted.
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
    """Change the plan of a sub-account; what it has used and does not keep is settled with the pool."""
    for name, quantity in change.items():
        before = row.balance(name)
        after = before.changed(quantity)
        _settle(workspace, master, name, before.settled(after))
        row.assigned.set(name, after.quantity)
        count(master, name, before.quantity, after.quantity)
        if after.used != before.used:
            row.used.set(name, after.used)


def release(workspace: Workspace, master: Account, row: SubAccount) -> None:
    """Let the pool have back what a sub-account holds, but for what it has spent."""
    for name in (*row.used.credits, *row.used.features):
        _settle(workspace, master, name, row.balance(name).settled(Balance(0, 0)))
    for name, amount in row.assigned.items():
        count(master, name, amount, 0)


def _settle(workspace: Workspace, master: Account, name: str, amount: Amount) -> None:
    """Take what was spent out of the pool."""
    pool = master.record(Master).pool
    if amount and _is_gone(workspace, name) and pool.get(name) != UNLIMITED:
        pool.set(name, max(pool.get(name) - amount, 0))

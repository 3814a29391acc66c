"""Plans of sub-accounts: credits and features that a master assigns out of its pool (contract/corporate#plans)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mockserver.core.contract.errors import INVALID_PARAMETER
from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account
from mockserver.core.state.tables import Table
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace

#: The amount of an unlimited credit; on the v2 solution only (contract/corporate#plans).
UNLIMITED = -1
CREDITS = ("email", "sms", "whatsapp", "wpSubscribers", "externalFeeds")
FEATURES = ("users", "landingPage", "salesUsers", "inbox")
#: Credits that may be fractions (contract/corporate#updateSubAccountPlan).
FRACTIONAL = ("sms", "whatsapp")
#: Credits and features of the v2 solution only (contract/corporate#updateSubAccountPlan), and of older solutions only
#: (contract/corporate#plans).
V2_ONLY = frozenset({"wpSubscribers", "externalFeeds", "salesUsers"})
V1_ONLY = frozenset({"inbox", "landingPage"})
#: Credits that are switches, with their values; a pool does not count switches
#: (contract/corporate#updateSubAccountPlan).
SWITCHES: dict[str, tuple[int, ...]] = {"wpSubscribers": (0, UNLIMITED), "externalFeeds": (0, 1)}

Amount = int | float
#: Amounts are rounded to this number of decimals; chosen: more than an SMS price has, without floating-point errors.
_DECIMALS = 9


@dataclass(slots=True)
class Allotment:
    """Amounts of credits and features by the names of a plan update; the default is 0."""

    credits: dict[str, Amount] = field(default_factory=dict)
    features: dict[str, Amount] = field(default_factory=dict)

    def items(self) -> Iterator[tuple[str, Amount]]:
        """Yield all names and amounts; credits and features have distinct names."""
        yield from self.credits.items()
        yield from self.features.items()

    def get(self, name: str) -> Amount:
        return (self.credits if name in CREDITS else self.features).get(name, 0)

    def set(self, name: str, amount: Amount) -> None:
        (self.credits if name in CREDITS else self.features)[name] = exact(amount)

    def __bool__(self) -> bool:
        return bool(self.credits or self.features)


def exact(amount: Amount) -> Amount:
    """Round floating-point errors away: return 0.3 for 0.30000000000000004, 1 for 1.0."""
    if isinstance(amount, int):
        return amount
    rounded = round(amount, _DECIMALS)
    return int(rounded) if rounded == int(rounded) else rounded


class Balance(NamedTuple):
    """The quantity of a credit or feature, and the used part of the quantity."""

    quantity: Amount
    used: Amount

    @property
    def is_unlimited(self) -> bool:
        return self.quantity == UNLIMITED

    @property
    def left(self) -> Amount:
        """The unused quantity, at least 0, or `UNLIMITED`."""
        return UNLIMITED if self.is_unlimited else max(exact(self.quantity - self.used), 0)

    def changed(self, quantity: Amount) -> Balance:
        """Return the balance with another quantity, which limits the used part.

        A change from or to an unlimited quantity resets the used part to 0.
        """
        if quantity == self.quantity:
            return self
        lasts = not self.is_unlimited and quantity != UNLIMITED
        return Balance(quantity, min(self.used, quantity) if lasts else 0)

    def used_beyond(self, after: Balance) -> Amount:
        """Return how much more is used than in a later balance; 0 if unlimited."""
        return 0 if self.is_unlimited else exact(self.used - after.used)


def check_solution(change: Allotment, solution: str) -> None:
    """Check that a corporate solution supports all names and amounts of a change."""
    for name, amount in change.items():
        problem = None
        if amount == UNLIMITED and name not in SWITCHES and (solution != "v2" or name in FEATURES):
            problem = "unlimited is for credits of the v2 solution only"
        elif name in V2_ONLY and solution != "v2":
            problem = "only the v2 solution has it"
        if problem is not None:
            reason = f"{path(name)} is {amount}, which the {solution} solution of the workspace does not allow"
            raise INVALID_PARAMETER(f"{path(name)}: {problem}").because(reason)


def path(name: str) -> str:
    """Return the path of a credit or feature in the body of a plan update, such as `credits.email`."""
    return f"{'credits' if name in CREDITS else 'features'}.{name}"


def applicable(change: Allotment, solution: str) -> Allotment:
    """Return a change without the features that the corporate solution ignores."""
    if solution != "v2":
        return change
    return Allotment(change.credits, {name: value for name, value in change.features.items() if name not in V1_ONLY})


# ---------------------------------------------------------------------- rows


@dataclass(slots=True, eq=False)
class SubAccount:
    """Plan and groups of a sub-account: a row of the master, with the sub-account's id."""

    id: int
    state: str
    assigned: Allotment = field(default_factory=Allotment)
    used: Allotment = field(default_factory=Allotment)
    #: Name of the plan; None: `free` without a plan, `paid` with a plan.
    plan_type: str | None = None
    timezone: str | None = None
    group_ids: list[str] = field(default_factory=list)

    def balance(self, name: str) -> Balance:
        """Return the assigned and the used amount of a credit or feature."""
        return Balance(self.assigned.get(name), self.used.get(name))

    @property
    def effective_plan_type(self) -> str:
        """Name of the plan, by default `free` or `paid`."""
        return self.plan_type or ("paid" if self.assigned else "free")


class Groups(Table[str, str]):
    """Group names of a master account by group id."""


@dataclass(slots=True, eq=False)
class Master:
    """Record of a master account."""

    currency_code: str = "EUR"
    timezone: str = "Europe/Paris"
    billing_info: dict[str, Any] | None = None
    plan_info: dict[str, Any] = field(default_factory=dict)
    #: All credits and features, including assigned amounts, and including used amounts until their deduction.
    pool: Allotment = field(default_factory=Allotment)


class Assigned(dict[str, Amount]):
    """Record of a master account: sums of assigned amounts by credit or feature."""


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


def _reveal(row: SubAccount) -> dict[str, dict[str, Amount]]:
    balances = {name: row.balance(name) for name, _ in row.assigned.items()}
    return {
        "assigned": {name: balance.quantity for name, balance in balances.items()},
        "used": {name: balance.used for name, balance in balances.items()},
        "left": {name: balance.left for name, balance in balances.items()},
    }


SUB_ACCOUNT_PLAN = Lifecycle(
    MACHINE,
    SubAccount,
    key="id",
    parse=int,
    reveal=_reveal,
    registered_in=(f"{__package__}.plans",),
)


# ---------------------------------------------------------------------- balances


class Shortage(NamedTuple):
    """A credit or feature that a change requires more of than the pool has left."""

    name: str
    needed: Amount
    left: Amount


class Excess(NamedTuple):
    """A credit or feature that a sub-account has used more of than a change assigns."""

    sub_account_id: int
    name: str
    used: Amount


def holding(workspace: Workspace, account: Account, name: str) -> Balance | None:
    """Return an account's balance of a credit or feature, or None if the account does not depend on a pool.

    A sub-account holds its assigned amounts; a master holds its pool, and uses the assigned amounts.
    """
    if account.role is Role.MASTER and account.record(Master).pool:
        return of_master(account, name)
    row = _row(workspace, account)
    return None if row is None else row.balance(name)


def plan_type(workspace: Workspace, account: Account) -> str:
    """Return the name of a master's or sub-account's plan."""
    row = _row(workspace, account)
    return "paid" if row is None else row.effective_plan_type


def use(workspace: Workspace, account: Account, name: str, amount: Amount) -> None:
    """Use credits that an account's pool or plan has left."""
    row = _row(workspace, account)
    if row is not None:
        row.used.set(name, row.used.get(name) + amount)
    elif (pool := account.record(Master).pool).get(name) != UNLIMITED:
        pool.set(name, pool.get(name) - amount)


def _row(workspace: Workspace, account: Account) -> SubAccount | None:
    master = workspace.state.master_of(account) if account.role is Role.SUB_ACCOUNT else None
    return None if master is None else master.table(SubAccount).get(account.id)


def of_master(master: Account, name: str) -> Balance:
    """Return the balance of a master's pool: the quantity of a credit or feature, and the assigned part."""
    return Balance(master.record(Master).pool.get(name), master.record(Assigned).get(name, 0))


def count_assigned(master: Account, name: str, before: Amount, after: Amount) -> None:
    """Update a master's sum of assigned amounts after a change of one sub-account."""
    assigned = master.record(Assigned)
    assigned[name] = exact(assigned.get(name, 0) - max(before, 0) + max(after, 0))


def shortage(workspace: Workspace, master: Account, rows: Iterable[SubAccount], change: Allotment) -> Shortage | None:
    """Return the first credit or feature that the pool lacks to change the plans of all rows, or None."""
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
    """Return the additional amount for another quantity; negative if the pool gets an amount back."""
    after = before.changed(quantity)
    spent = before.used_beyond(after) if _is_deducted(workspace, name) else 0
    return max(after.quantity, 0) - max(before.quantity, 0) + spent


def _is_deducted(workspace: Workspace, name: str) -> bool:
    """Return whether used amounts are lost for the pool: credits, unless `behaviour.plan_refund` refunds them."""
    return name in CREDITS and name not in SWITCHES and workspace.state.behaviour.plan_refund == "unused"


def below_used(workspace: Workspace, rows: Iterable[SubAccount], change: Allotment) -> Excess | None:
    """Return the first credit or feature with a used amount above the changed amount, or None.

    None unless `behaviour.plan_below_used` is `refuse`. Skips switches and unlimited amounts.
    """
    if workspace.state.behaviour.plan_below_used != "refuse":
        return None
    for row in rows:
        for name, quantity in change.items():
            balance = row.balance(name)
            is_counted = name not in SWITCHES and UNLIMITED not in (quantity, balance.quantity)
            if is_counted and quantity < balance.used:
                return Excess(row.id, name, balance.used)
    return None


def assign(workspace: Workspace, master: Account, row: SubAccount, change: Allotment) -> None:
    for name, quantity in change.items():
        before = row.balance(name)
        after = before.changed(quantity)
        _deduct(workspace, master, name, before.used_beyond(after))
        row.assigned.set(name, after.quantity)
        count_assigned(master, name, before.quantity, after.quantity)
        if after.used != before.used:
            row.used.set(name, after.used)


def release(workspace: Workspace, master: Account, row: SubAccount) -> None:
    for name in (*row.used.credits, *row.used.features):
        _deduct(workspace, master, name, row.balance(name).used_beyond(Balance(0, 0)))
    for name, amount in row.assigned.items():
        count_assigned(master, name, amount, 0)


def _deduct(workspace: Workspace, master: Account, name: str, amount: Amount) -> None:
    pool = master.record(Master).pool
    if amount and _is_deducted(workspace, name) and pool.get(name) != UNLIMITED:
        pool.set(name, max(pool.get(name) - amount, 0))

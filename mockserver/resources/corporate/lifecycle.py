"""The states of a sub-account's plan: none, one out of the pool, or one that a bulk change will bring
(contract/corporate).
"""

from __future__ import annotations

from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.resources.corporate.plan import Amount
from mockserver.resources.corporate.pool import SubAccount

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
    """A plan as the control API shows it: assigned, used and left of each credit and feature that was assigned."""
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
    reveal=_shown,
    registered_in=(f"{__package__}.assignment", f"{__package__}.model"),
)

"""Credits of an account, from a pool or from the scenario's plan."""

from __future__ import annotations

from typing import Any

from mockserver.core.contract.errors import NOT_ENOUGH_CREDITS
from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account.model import Profile
from mockserver.resources.corporate import pool
from mockserver.resources.corporate.pool import UNLIMITED, Amount, exact

#: Credits that sending uses, named as in plans of sub-accounts.
KINDS = ("email", "sms")
#: Type of plan rows for text messages; all other types are for e-mails (contract/account#getAccount).
_SMS = "sms"


def left(workspace: Workspace, account: Account, kind: str) -> Amount:
    balance = pool.holding(workspace, account, kind)
    if balance is not None:
        return balance.left
    amounts = [row["credits"] for row in account.record(Profile).plan if _is_for(row, kind)]
    return UNLIMITED if UNLIMITED in amounts else exact(sum(amounts))


def are_left(workspace: Workspace, account: Account, kind: str, amount: Amount) -> bool:
    """Return whether an account has enough credits."""
    found = left(workspace, account, kind)
    return found == UNLIMITED or found >= amount


def check(workspace: Workspace, account: Account, kind: str, amount: Amount) -> None:
    """Refuse with 402 `not_enough_credits` if an account has not enough credits."""
    if not are_left(workspace, account, kind, amount):
        found = left(workspace, account, kind)
        reason = f"not enough {kind} credits: {amount:,} required, account {account.name} has {found:,}"
        raise NOT_ENOUGH_CREDITS(status=402).because(reason)


def use(workspace: Workspace, account: Account, kind: str, amount: Amount = 1) -> bool:
    """Use credits of an account; return False and change nothing if too few are left."""
    if not are_left(workspace, account, kind, amount):
        return False
    if pool.holding(workspace, account, kind) is not None:
        pool.use(workspace, account, kind, amount)
    elif left(workspace, account, kind) != UNLIMITED:
        _take_from_plan(account.record(Profile), kind, amount)
    return True


def _take_from_plan(profile: Profile, kind: str, amount: Amount) -> None:
    """Take credits from the rows of a plan in order; replace rows instead of changing them."""
    rows: list[dict[str, Any]] = []
    rest = amount
    for row in profile.plan:
        taken = min(row["credits"], rest) if _is_for(row, kind) else 0
        rest -= taken
        rows.append({**row, "credits": exact(row["credits"] - taken)})
    profile.plan = rows
    if kind == "email" and profile.plan_verticals:
        profile.plan_verticals = [_vertical(row, amount) for row in profile.plan_verticals]


def _vertical(row: dict[str, Any], amount: Amount) -> dict[str, Any]:
    """Return a vertical without the used credits, if its credits are a number in a text."""
    text = row.get("credits", "")
    is_counted = row.get("planCategory") == "Marketing" and text.isascii() and text.isdecimal() and len(text) < 20
    return {**row, "credits": str(exact(max(int(text) - amount, 0)))} if is_counted else row


def _is_for(row: dict[str, Any], kind: str) -> bool:
    return (row["type"] == _SMS) is (kind == "sms")

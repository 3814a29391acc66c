"""Master accounts and their sub-accounts: creation, look-up, API keys and deletion (contract/corporate)."""

from __future__ import annotations

from typing import Any

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND, INVALID_PARAMETER
from mockserver.core.contract.operation import Role
from mockserver.core.state import reasons
from mockserver.core.state.state import Account, User
from mockserver.core.time.duration import months_later
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.activities import model as activities
from mockserver.resources.corporate import pool
from mockserver.resources.corporate.pool import SUB_ACCOUNT_PLAN, Groups, Master, SubAccount

#: Names of a read plan that differ from plan updates (contract/corporate#getSubAccount).
_READ_NAMES = {"email": "emails"}
#: Names of a master's features (contract/corporate#getMasterAccount), by name in the pool.
_MASTER_FEATURES = {
    "users": "MULTI_USER", "inbox": "INBOX", "landingPage": "LANDING_PAGE", "email": "RECURRING_CREDITS",
}  # fmt: skip


def require(caller: Caller, sub_account_id: int) -> SubAccount:
    """Return the caller's sub-account with an id."""
    row = caller.account.table(SubAccount).get(sub_account_id)
    if row is None:
        raise INVALID_PARAMETER("Invalid sub-account id.").because(_unknown(caller, sub_account_id))
    return row


def _unknown(caller: Caller, sub_account_id: int) -> str:
    other = caller.workspace.state.accounts.get(sub_account_id)
    if other is not None and other.role is not Role.SUB_ACCOUNT:
        return f"account {sub_account_id} ({other.name}) is not a sub-account: its role is {other.role}"
    return reasons.absent(caller.workspace.state, caller.account, "sub-account", SubAccount, sub_account_id)


def create(caller: Caller, body: dict[str, Any]) -> int:
    """Create a sub-account without a plan; return its id."""
    workspace, master = caller.workspace, caller.account
    group_ids = list(dict.fromkeys(body.get("groupIds", ())))
    groups = master.record(Groups)
    for group_id in group_ids:
        if group_id not in groups:
            reason = f"account {master.name} has no group {reasons.shown(group_id)} (it has {reasons.listed(groups)})"
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
    row = SubAccount(number, pool.UNASSIGNED, timezone=body.get("timezone"), group_ids=group_ids)
    SUB_ACCOUNT_PLAN.begin(workspace, master, row)
    return number


def delete(caller: Caller, sub_account_id: int) -> None:
    """Delete a sub-account with its data and keys; return unused credits to the pool."""
    row = caller.account.table(SubAccount).get(sub_account_id)
    if row is None:
        refused = DOCUMENT_NOT_FOUND(f"Sub-account {sub_account_id} was not found")
        raise refused.because(_unknown(caller, sub_account_id))
    SUB_ACCOUNT_PLAN.fire(caller.workspace, caller.account, row, "delete")


def create_key(caller: Caller, sub_account_id: int) -> str:
    """Create an API key of a sub-account; return the key."""
    row = require(caller, sub_account_id)
    key = caller.workspace.state.draw_api_key()
    caller.workspace.add_key(caller.workspace.state.accounts[row.id], key)
    activities.log(caller.workspace, caller.account, activities.KEY_CREATED, caller.visit)
    return key


def page(caller: Caller, offset: int, limit: int) -> dict[str, Any]:
    """Return a page of the master's sub-accounts, in order of creation."""
    rows = list(caller.account.rows_of(SubAccount).values())
    return {"count": len(rows), "subAccounts": [_entry(caller, row) for row in rows[offset : offset + limit]]}


def _entry(caller: Caller, row: SubAccount) -> dict[str, Any]:
    account = caller.workspace.state.accounts[row.id]
    return {
        "id": row.id,
        "companyName": account.company_name,
        "active": True,
        "createdAt": account.created_at,
        "groups": _groups(caller.account, row),
    }


def _groups(master: Account, row: SubAccount) -> list[dict[str, str]]:
    names = master.record(Groups)
    return [{"id": group_id, "name": names[group_id]} for group_id in row.group_ids]


def detail(caller: Caller, row: SubAccount) -> dict[str, Any]:
    """Return a sub-account with its plan, without its id."""
    account = caller.workspace.state.accounts[row.id]
    features = [name for name in pool.FEATURES if caller.workspace.state.solution != "v2" or name not in pool.V1_ONLY]
    return {
        "name": account.full_name or account.company_name,
        "email": account.email,
        "companyName": account.company_name,
        "groups": _groups(caller.account, row),
        "planInfo": {
            "planType": row.effective_plan_type,
            "credits": {_READ_NAMES.get(name, name): _balance(row, name) for name in pool.CREDITS},
            "features": {name: _balance(row, name) for name in features},
        },
    }


def _balance(row: SubAccount, name: str) -> dict[str, int]:
    # Integers, even for fractional credits (contract/corporate#plans).
    balance = row.balance(name)
    return {"quantity": int(balance.quantity), "remaining": int(balance.left)}


def master_details(caller: Caller) -> dict[str, Any]:
    """Return the answer of `GET /v3/corporate/masterAccount`, with defaults for members that the scenario omits."""
    account, details = caller.account, caller.account.record(Master)
    name = {"givenName": account.first_name, "familyName": account.last_name}
    billing = {"email": account.email, "companyName": account.company_name, "name": name, "address": {}}
    return {
        "id": account.id,
        "email": account.email,
        "companyName": account.company_name,
        "currencyCode": details.currency_code,
        "timezone": details.timezone,
        "billingInfo": details.billing_info or billing,
        "planInfo": {**_default_plan(caller.workspace, account, details), **details.plan_info},
    }


def _default_plan(workspace: Workspace, account: Account, details: Master) -> dict[str, Any]:
    bought = dict(details.pool.items())
    now = workspace.state.clock.now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return {
        "currencyCode": details.currency_code,
        "nextBillingAt": int(months_later(now, 1).timestamp()),
        "price": 0,
        "planPeriod": "month",
        "subAccounts": len(account.rows_of(SubAccount)),
        "features": [_feature(account, name) for name in _MASTER_FEATURES if name in bought],
    }


def _feature(account: Account, name: str) -> dict[str, Any]:
    balance = pool.of_master(account, name)
    return {
        "name": _MASTER_FEATURES[name],
        "unitValue": "1",
        "quantity": int(balance.quantity),
        "used": int(balance.used),
        "remaining": int(balance.left),
    }

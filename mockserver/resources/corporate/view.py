"""What the API shows of master and sub-accounts (contract/corporate)."""

from __future__ import annotations

from typing import Any

from mockserver.core.state.state import Account
from mockserver.core.time.duration import months_later
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.corporate import pool
from mockserver.resources.corporate.plan import CREDITS, FEATURES, V1_ONLY
from mockserver.resources.corporate.pool import Groups, Master, SubAccount

#: The update says `email`, the read model `emails` (contract/corporate#getSubAccount).
_READ_NAMES = {"email": "emails"}
#: The names that features of a master have (contract/corporate#getMasterAccount), by what the pool calls them.
_MASTER_FEATURES = {
    "users": "MULTI_USER", "inbox": "INBOX", "landingPage": "LANDING_PAGE", "email": "RECURRING_CREDITS",
}  # fmt: skip


def listed(caller: Caller, offset: int, limit: int) -> dict[str, Any]:
    """A page of the master's sub-accounts, in the order of their creation."""
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
    """One sub-account with its plan; the answer does not hold its id."""
    account = caller.workspace.state.accounts[row.id]
    features = [name for name in FEATURES if caller.workspace.state.solution != "v2" or name not in V1_ONLY]
    return {
        "name": account.full_name or account.company_name,
        "email": account.email,
        "companyName": account.company_name,
        "groups": _groups(caller.account, row),
        "planInfo": {
            "planType": row.effective_plan_type,
            "credits": {_READ_NAMES.get(name, name): _balance(row, name) for name in CREDITS},
            "features": {name: _balance(row, name) for name in features},
        },
    }


def _balance(row: SubAccount, name: str) -> dict[str, int]:
    """A balance in whole numbers, as the API shows even credits that can be fractions (contract/corporate#plans)."""
    balance = row.balance(name)
    return {"quantity": int(balance.quantity), "remaining": int(balance.left)}


def master(caller: Caller) -> dict[str, Any]:
    """The answer of `GET /v3/corporate/masterAccount`; what the scenario leaves open has defaults."""
    account, details = caller.account, caller.account.record(Master)
    return {
        "id": account.id,
        "email": account.email,
        "companyName": account.company_name,
        "currencyCode": details.currency_code,
        "timezone": details.timezone,
        "billingInfo": details.billing_info or _default_billing(account),
        "planInfo": {**_default_plan(caller.workspace, account, details), **details.plan_info},
    }


def _default_billing(account: Account) -> dict[str, Any]:
    name = {"givenName": account.first_name, "familyName": account.last_name}
    return {"email": account.email, "companyName": account.company_name, "name": name, "address": {}}


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

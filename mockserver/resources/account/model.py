"""The details of an account: identity, plan, relay, dedicated IPs (contract/senders#rows and contract/account)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.corporate import pool
from mockserver.resources.corporate.pool import Balance

PLAN_TYPES = ("payAsYouGo", "free", "subscription", "sms")


@dataclass(slots=True, eq=False)
class DedicatedIp:
    """A dedicated IP address for the account's e-mails."""

    id: int
    ip: str
    domain: str
    active: bool = True


@dataclass(slots=True, eq=False)
class Profile:
    """Record of an account: all members of `GET /v3/account` except the identity, in wire format."""

    address: dict[str, Any] = field(default_factory=dict)
    #: Plan and verticals, ignored if the account's credits come from a pool.
    plan: list[dict[str, Any]] = field(default_factory=lambda: [{"type": "free", "credits": 300}])
    plan_verticals: list[dict[str, Any]] | None = None
    #: None: the real relay, with the account's e-mail address as user.
    relay: dict[str, Any] | None = None
    marketing_automation: dict[str, Any] = field(default_factory=lambda: {"enabled": False})
    date_time_preferences: dict[str, Any] | None = None


def details(workspace: Workspace, account: Account) -> dict[str, Any]:
    """Return the answer of `GET /v3/account`, always with address and relay for strict clients.

    See contract/account#getAccount.
    """
    profile = account.record_of(Profile) or Profile()
    plan, verticals = _plan(workspace, account, profile)
    automation = profile.marketing_automation
    relay = {"userName": account.email, "relay": "smtp-relay.brevo.com", "port": 587}
    return {
        "organization_id": account.organization_id,
        "user_id": account.user_id,
        "enterprise": account.enterprise,
        "email": account.email,
        "firstName": account.first_name,
        "lastName": account.last_name,
        "companyName": account.company_name,
        "address": {"street": "", "city": "", "zipCode": "", "country": "", **profile.address},
        "plan": [{"creditsType": "sendLimit", **row} for row in plan],
        "planVerticals": [{"status": "active", **row} for row in verticals] if verticals else None,
        "relay": profile.relay or {"enabled": True, "data": relay},
        # The tracker's key only if enabled (specification 2.5).
        "marketingAutomation": automation if automation["enabled"] else {"enabled": False},
        "dateTimePreferences": profile.date_time_preferences,
        "language": account.language,
    }


Rows = list[dict[str, Any]]


def _plan(workspace: Workspace, account: Account, profile: Profile) -> tuple[Rows, Rows | None]:
    """Return plan and verticals, from the pool if the account's credits come from a pool, else from the scenario."""
    emails = pool.holding(workspace, account, "email")
    if emails is None:
        return profile.plan, profile.plan_verticals
    held = {name: pool.holding(workspace, account, name) or emails for name in ("sms", "users", "salesUsers")}
    plan_type = pool.plan_type(workspace, account)
    plan = [{"type": plan_type if plan_type in PLAN_TYPES else "subscription", "credits": emails.left}]
    if held["sms"].quantity:
        plan.append({"type": "sms", "credits": held["sms"].left})
    return plan, _verticals(plan_type, emails, held["users"], held["salesUsers"])


def _verticals(plan_type: str, emails: Balance, users: Balance, sales_users: Balance) -> Rows | None:
    """Return the verticals Marketing and CRM, each only with users or e-mails."""
    rows = []
    name = {"planType": plan_type, "name": plan_type.capitalize()}
    if users.quantity or emails.quantity:
        marketing = {"users": _seats(users), "credits": str(emails.left)}
        rows.append({"planCategory": "Marketing", **name, **marketing})
    if sales_users.quantity:
        rows.append({"planCategory": "CRM", **name, "users": _seats(sales_users)})
    return rows or None


def _seats(balance: Balance) -> dict[str, str]:
    return {"purchasedSeats": str(balance.quantity), "usedSeats": str(balance.used)}

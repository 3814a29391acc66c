"""What an account says of itself: identity, plan, relay, dedicated IPs (SPEC 2.4 and 2.5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mockserver.core.account import Account


@dataclass(slots=True, eq=False)
class DedicatedIp:
    """An IP address that only this account sends from."""

    id: int
    ip: str
    domain: str
    active: bool = True


@dataclass(slots=True, eq=False)
class Profile:
    """The facts that `GET /v3/account` shows beside the account's identity, in the form that they have there."""

    address: dict[str, Any] = field(default_factory=dict)
    plan: list[dict[str, Any]] = field(default_factory=lambda: [{"type": "free", "credits": 300}])
    plan_verticals: list[dict[str, Any]] | None = None
    #: Left out: the address of the real relay, with the account's e-mail as user.
    relay: dict[str, Any] | None = None
    marketing_automation: dict[str, Any] = field(default_factory=lambda: {"enabled": False})


def details(account: Account) -> dict[str, Any]:
    """The answer of `GET /v3/account`, address and relay always filled in for strict clients (ledger 2.19)."""
    profile = account.record(Profile)
    return {
        "organization_id": account.organization_id,
        "user_id": account.user_id,
        "enterprise": account.enterprise,
        "email": account.email,
        "firstName": account.first_name,
        "lastName": account.last_name,
        "companyName": account.company_name,
        "address": {"street": "", "city": "", "zipCode": "", "country": "", **profile.address},
        "plan": [{"creditsType": "sendLimit", **plan} for plan in profile.plan],
        "planVerticals": profile.plan_verticals and [{"status": "active", **row} for row in profile.plan_verticals],
        "relay": profile.relay or _default_relay(account),
        "marketingAutomation": profile.marketing_automation,
    }


def _default_relay(account: Account) -> dict[str, Any]:
    return {"enabled": True, "data": {"userName": account.email, "relay": "smtp-relay.brevo.com", "port": 587}}

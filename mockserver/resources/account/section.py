"""The account itself in a scenario: profile, plan and dedicated IPs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from marshmallow import fields, validate

from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account
from mockserver.core.text.messages import shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account.model import DedicatedIp, Profile
from mockserver.resources.account.schemas import (
    Address,
    DateTimePreferences,
    MarketingAutomation,
    Plan,
    PlanVertical,
    Relay,
)
from mockserver.resources.corporate import pool
from mockserver.resources.section import Item, Section, SectionError, TakenError, about
from mockserver.web.schemas.fields import Flag, Hostname, List


class DedicatedIpItem(Item):
    id = fields.Integer(required=True, strict=True, validate=validate.Range(min=1), **about("its number"))
    ip = fields.IP(required=True, **about("the address, IPv4 or IPv6"))
    domain = Hostname(required=True, **about("the domain that it belongs to"))
    active = Flag(load_default=True, **about("whether e-mails can leave by it"))


_PROFILE = ("address", "plan", "plan_verticals", "relay", "marketing_automation", "date_time_preferences")
#: Members of `_PROFILE` that a pool determines.
_FROM_POOL = ("plan", "plan_verticals")


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    yield from _check_plan(workspace, account, data)
    profile = account.record(Profile)
    for name in _PROFILE:
        if name in data:
            setattr(profile, name, data[name])
    ips = account.table(DedicatedIp)
    for index, item in enumerate(data.get("dedicated_ips", ())):
        address = str(item["ip"])
        if address in ips:
            yield TakenError(("dedicated_ips", index, "ip"), f"duplicate dedicated IP {shown(address)} in the account")
            continue
        ips[address] = DedicatedIp(**{**item, "ip": address})


def _check_plan(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    """Refuse a plan for an account with a pool, which determines the plan."""
    if pool.holding(workspace, account, "email") is None:
        return
    where = "its pool" if account.role is Role.MASTER else "what it was assigned and has used"
    for name in _FROM_POOL:
        if name in data:
            yield SectionError((name,), f"the plan of account {shown(account.name)} follows from {where}: leave it out")


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    profile = account.record(Profile)
    follows = () if pool.holding(workspace, account, "email") is None else _FROM_POOL
    members = {name: getattr(profile, name) for name in _PROFILE if name not in follows}
    members = {name: value for name, value in members.items() if value is not None}
    ips = [asdict(row) for row in account.rows_of(DedicatedIp).values()]
    return {**members, **({"dedicated_ips": ips} if ips else {})}


SECTION = Section(
    fields={
        # In wire format, including camel case.
        "address": fields.Nested(Address(partial=True), **about("the address of the company, as getAccount shows it")),
        "plan": List(fields.Nested(Plan(partial=("creditsType",))), **about("its plans, as getAccount shows them")),
        "plan_verticals": List(
            fields.Nested(PlanVertical(partial=("status",))), **about("its plans by product, as getAccount shows them")
        ),
        "relay": fields.Nested(Relay, **about("how e-mails are sent by SMTP, as getAccount shows it")),
        "marketing_automation": fields.Nested(
            MarketingAutomation, **about("whether there is marketing automation, as getAccount shows it")
        ),
        "date_time_preferences": fields.Nested(
            DateTimePreferences, **about("how dates are shown, as getAccount shows it")
        ),
        "dedicated_ips": List(fields.Nested(DedicatedIpItem), **about("its dedicated IPs")),
    },
    load=_load,
    dump=_dump,
    account_members=frozenset(_PROFILE),
)

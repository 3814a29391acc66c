"""Account details on the wire, and in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from marshmallow import fields, validate

from mockserver.core.contract.operation import Role
from mockserver.core.state.account import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account.model import PLAN_TYPES, DedicatedIp, Profile
from mockserver.resources.corporate import pool
from mockserver.resources.resource import Section
from mockserver.resources.section import Item, SectionError, TakenError
from mockserver.web.schemas.evidence import OPENAPI_NEWEST, documented, observed
from mockserver.web.schemas.fields import Choice, Email, Flag, Hostname, Int64, List, Number, Quantity, Text, Timezone
from mockserver.web.schemas.schema import Output


class Address(Output):
    street = Text(required=True, **documented())
    city = Text(required=True, **documented())
    zipCode = Text(required=True, **documented())
    country = Text(required=True, **documented())


class Plan(Output):
    type = Choice(*PLAN_TYPES, required=True, **documented())
    creditsType = Choice("sendLimit", required=True, **documented())
    credits = Number(
        required=True, validate=Quantity(), **documented("remaining; SMS credits may be fractional; -1: unlimited")
    )
    startDate = Text(**documented("left out unless the scenario gives it: clients disagree on its form"))
    endDate = Text(**documented("left out unless the scenario gives it"))


class Seats(Output):
    purchasedSeats = Text(required=True, **documented("a number as string"))
    usedSeats = Text(required=True, **documented("a number as string"))


class PlanVertical(Output):
    planCategory = Choice("Marketing", "Chat", "CRM", required=True, **documented())
    planType = Text(required=True, **documented())
    name = Text(required=True, **documented())
    status = Choice("active", "inactive", required=True, **documented())
    startDate = Text(**documented("Unix seconds as string"))
    endDate = Text(**documented("Unix seconds as string"))
    users = fields.Nested(Seats, **documented())
    credits = Text(**documented("a number as string"))


class RelayData(Output):
    userName = Email(required=True, **documented())
    relay = Text(required=True, **documented())
    port = Int64(required=True, **documented())


class Relay(Output):
    enabled = Flag(required=True, **documented())
    data = fields.Nested(RelayData, required=True, **documented())


class MarketingAutomation(Output):
    enabled = Flag(required=True, **documented())
    key = Text(**documented("only when enabled"))


class DateTimePreferences(Output):
    timezone = Timezone(required=True, **observed("IANA name", source="contract/account#getAccount"))
    timeFormat = Choice("12", "24", required=True, **observed(source="contract/account#getAccount"))
    dateFormat = Text(required=True, **observed("such as mm-dd-yyyy", source="contract/account#getAccount"))


class AccountOut(Output):
    names_from = OPENAPI_NEWEST

    organization_id = Text(required=True, **documented("24 hexadecimal digits"))
    user_id = Int64(required=True, **documented())
    enterprise = Flag(required=True, **documented())
    email = Email(required=True, **documented("login e-mail"))
    firstName = Text(required=True, **documented())
    lastName = Text(required=True, **documented())
    companyName = Text(required=True, **documented())
    address = fields.Nested(Address, **documented())
    plan = fields.List(fields.Nested(Plan), required=True, **documented())
    planVerticals = fields.List(fields.Nested(PlanVertical), **documented("only when available"))
    relay = fields.Nested(Relay, required=True, **documented())
    marketingAutomation = fields.Nested(MarketingAutomation, **documented())
    dateTimePreferences = fields.Nested(
        DateTimePreferences, **observed("of newer accounts", source="contract/account#getAccount")
    )
    language = Text(**observed("of newer accounts", source="contract/account#getAccount"))


# ---------------------------------------------------------------------- scenario


class DedicatedIpItem(Item):
    id = fields.Integer(required=True, strict=True, validate=validate.Range(min=1))
    ip = fields.IP(required=True)
    domain = Hostname(required=True)
    active = Flag(load_default=True)


_PROFILE = ("address", "plan", "plan_verticals", "relay", "marketing_automation", "date_time_preferences")
#: The members of `_PROFILE` that follow from the pool, if the credits of the account come out of one.
_FROM_POOL = ("plan", "plan_verticals")


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    _check_plan(workspace, account, data)
    profile = account.record(Profile)
    for name in _PROFILE:
        if name in data:
            setattr(profile, name, data[name])
    ips = account.table(DedicatedIp)
    for index, item in enumerate(data.get("dedicated_ips", ())):
        address = str(item["ip"])
        if address in ips:
            raise TakenError(("dedicated_ips", index, "ip"), f"{address} is there already")
        ips[address] = DedicatedIp(**{**item, "ip": address})


def _check_plan(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    """Check that no plan is given for an account whose plan follows from a pool.

    Raises:
        SectionError: one is given.
    """
    if pool.holding(workspace, account, "email") is None:
        return
    where = "its pool" if account.role is Role.MASTER else "what it was assigned and has used"
    for name in _FROM_POOL:
        if name in data:
            raise SectionError((name,), f"the plan of {account.name} follows from {where}")


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    profile = account.record(Profile)
    follows = () if pool.holding(workspace, account, "email") is None else _FROM_POOL
    members = {name: getattr(profile, name) for name in _PROFILE if name not in follows}
    members = {name: value for name, value in members.items() if value is not None}
    ips = [asdict(row) for row in account.table(DedicatedIp).values()]
    return {**members, **({"dedicated_ips": ips} if ips else {})}


SECTION = Section(
    fields={
        # As on the wire, camel case included: a profile is shown as it is.
        "address": fields.Nested(Address(partial=True)),
        "plan": List(fields.Nested(Plan(partial=("creditsType",)))),
        "plan_verticals": List(fields.Nested(PlanVertical(partial=("status",)))),
        "relay": fields.Nested(Relay),
        "marketing_automation": fields.Nested(MarketingAutomation),
        "date_time_preferences": fields.Nested(DateTimePreferences),
        "dedicated_ips": List(fields.Nested(DedicatedIpItem)),
    },
    load=_load,
    dump=_dump,
    account_members=frozenset(_PROFILE),
)

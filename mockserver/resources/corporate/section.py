"""Master and sub-accounts in a scenario: the schemas of their members, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from marshmallow import fields, post_load, validate

from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Visit
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.corporate.bulk import BulkPlan
from mockserver.resources.corporate.lifecycle import ACTIVE, MACHINE, UNASSIGNED
from mockserver.resources.corporate.loading import MASTER, SUB_ACCOUNT, finish, load
from mockserver.resources.corporate.plan import CREDITS, FEATURES, FRACTIONAL, SWITCHES, Allotment
from mockserver.resources.corporate.pool import Groups, Master, SubAccount
from mockserver.resources.corporate.schemas import BillingInfo, MasterPlan
from mockserver.resources.resource import Section
from mockserver.resources.section import ID_RANGE, Id24, Instant, Item, about
from mockserver.web.schemas.fields import INT64_MAX, Int64, List, Number, Quantity, Timezone

#: What the amounts count.
_MEANINGS = {
    "email": "e-mails",
    "sms": "credits for SMS",
    "whatsapp": "credits for WhatsApp messages",
    "wpSubscribers": "subscribers of web push",
    "externalFeeds": "external feeds",
    "users": "users",
    "landingPage": "landing pages",
    "salesUsers": "users of the sales platform",
    "inbox": "inboxes",
}
_NOT_NEGATIVE = validate.Range(min=0, error="must not be negative")


def _amount(name: str, check: Any) -> fields.Field[Any]:
    kind = Number if name in FRACTIONAL else Int64
    return kind(validate=[check, validate.Range(max=INT64_MAX)], **about(_MEANINGS[name]))


def _amounts(
    kind: str, names: tuple[str, ...], check: Any, others: Mapping[str, Any] = MappingProxyType({}), **options: Any
) -> Any:
    """A mapping of the named amounts, all validated by `check` but for those in `others`."""
    amounts = {name: _amount(name, others.get(name, check)) for name in names}
    return fields.Nested(Item.from_dict(amounts, name=kind), **options)


class AllotmentItem(Item):
    """Credits and features; -1 is an unlimited credit."""

    credits = _amounts("CreditAmounts", CREDITS, Quantity(), **about("amounts of credits, by what they are for"))
    features = _amounts("FeatureAmounts", FEATURES, _NOT_NEGATIVE, **about("amounts of features, by their names"))

    @post_load
    def _as_allotment(self, data: dict[str, Any], **_: Any) -> Allotment:
        found = Allotment()
        for name, amount in (*data.get("credits", {}).items(), *data.get("features", {}).items()):
            found.set(name, amount)
        return found


class AssignedItem(AllotmentItem):
    """What a sub-account is assigned; switches take their few values only."""

    credits = _amounts(
        "PlanCredits",
        CREDITS,
        Quantity(),
        {name: validate.OneOf(values, error="must be one of: {choices}") for name, values in SWITCHES.items()},
        **about("amounts of credits, by what they are for; wpSubscribers and externalFeeds are switches"),
    )


class UsedItem(AllotmentItem):
    """What a sub-account has used of what it was assigned; nothing is unlimited."""

    credits = _amounts(
        "UsedCredits", CREDITS, _NOT_NEGATIVE, **about("amounts of credits that were used, by what they are for")
    )


class GroupItem(Item):
    id = Id24(required=True, **about("its id, 24 hexadecimal digits in quotes"))
    name = fields.String(required=True, **about("its name"))


class BulkPlanItem(Item):
    id = fields.Integer(required=True, strict=True, validate=ID_RANGE, **about("the number of its process"))
    due = Instant(required=True, **about("when it is applied"))
    change = fields.Nested(AssignedItem, required=True, **about("what every one of the sub-accounts gets"))
    members = List(fields.Integer(strict=True), required=True, **about("the ids of the sub-accounts"))
    user_ip = fields.String(load_default=Visit().ip, **about("from which address it was requested"))
    user_agent = fields.String(load_default="", **about("with which program it was requested"))

    @post_load
    def _as_row(self, data: dict[str, Any], **_: Any) -> BulkPlan:
        return BulkPlan(**{**data, "members": dict.fromkeys(data["members"])})


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    if account.role is Role.MASTER:
        return _dump_master(account)
    master = workspace.state.master_of(account)
    row = master.table(SubAccount).get(account.id) if master else None
    return _dump_sub_account(row) if row else {}


def _dump_master(account: Account) -> dict[str, Any]:
    master = account.record(Master)
    found = {
        "currency_code": master.currency_code,
        "timezone": master.timezone,
        "billing_info": master.billing_info,
        "plan_info": master.plan_info,
        "groups": [{"id": group_id, "name": name} for group_id, name in account.record(Groups).items()],
        "pool": _dump_amounts(master.pool),
        "bulk_plans": [_dump_bulk(row) for row in account.rows_of(BulkPlan).values()],
    }
    return {name: value for name, value in found.items() if value}


def _dump_sub_account(row: SubAccount) -> dict[str, Any]:
    found = {
        "plan_type": row.plan_type,
        "timezone": row.timezone,
        "group_ids": row.group_ids,
        "assigned": _dump_amounts(row.assigned),
        "used": _dump_amounts(row.used),
        "plan_state": row.state if row.state != (ACTIVE if row.assigned else UNASSIGNED) else None,
    }
    return {name: value for name, value in found.items() if value}


def _dump_amounts(amounts: Allotment) -> dict[str, Any]:
    return {kind: values for kind, values in asdict(amounts).items() if values}


def _dump_bulk(row: BulkPlan) -> dict[str, Any]:
    found: dict[str, Any] = _BULK_ITEM.dump(row)
    return {**found, "change": _dump_amounts(row.change), "members": list(row.members)}


_BULK_ITEM = BulkPlanItem(exclude=("change", "members"))
SECTION = Section(
    fields={
        "currency_code": fields.String(validate=validate.Length(min=1), **about("the currency of a master, ISO 4217")),
        "timezone": Timezone(**about("the IANA time zone of a master or a sub-account")),
        "billing_info": fields.Nested(BillingInfo, **about("who pays, of a master, as on the wire")),
        "plan_info": fields.Nested(
            MasterPlan(exclude=("subAccounts",)), **about("the plan of a master, as on the wire")
        ),
        "groups": List(fields.Nested(GroupItem), **about("the groups of sub-accounts, of a master")),
        "pool": fields.Nested(AllotmentItem, **about("what a master has for its sub-accounts and itself")),
        "bulk_plans": List(
            fields.Nested(BulkPlanItem),
            **about("plan updates for many sub-accounts that are not applied yet, of a master"),
        ),
        "plan_type": fields.String(**about("the kind of plan of a sub-account")),
        "group_ids": List(Id24(), **about("the ids of the groups of a sub-account, in quotes")),
        "assigned": fields.Nested(AssignedItem, **about("what its master has assigned to a sub-account")),
        "used": fields.Nested(UsedItem, **about("what a sub-account has used of what it was assigned")),
        "plan_state": fields.String(
            validate=validate.OneOf(MACHINE.states), **about("whether a sub-account has a plan, or waits for one")
        ),
    },
    load=load,
    dump=_dump,
    finish=finish,
    checks_families=True,
    account_members=frozenset({*MASTER, *SUB_ACCOUNT, "timezone"} - {"groups", "bulk_plans"}),
)

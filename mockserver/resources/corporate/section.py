"""Master and sub-accounts in a scenario: the schemas of their members, and how they are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from marshmallow import fields, post_load, validate

from mockserver.core.contract.operation import Role
from mockserver.core.state.account import Account
from mockserver.core.workspaces.caller import Visit
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.corporate.bulk import BulkPlan
from mockserver.resources.corporate.lifecycle import ACTIVE, MACHINE, UNASSIGNED
from mockserver.resources.corporate.loading import MASTER, SUB_ACCOUNT, finish, load
from mockserver.resources.corporate.plan import CREDITS, FEATURES, FRACTIONAL, SWITCHES, Allotment
from mockserver.resources.corporate.pool import Groups, Master, SubAccount
from mockserver.resources.corporate.schemas import BillingInfo, MasterPlan
from mockserver.resources.resource import Section
from mockserver.resources.section import ID_RANGE, Id24, Instant, Item
from mockserver.web.schemas.fields import INT64_MAX, Int64, List, Number, Quantity, Timezone

_NOT_NEGATIVE = validate.Range(min=0, error="must not be negative")


def _amount(name: str, check: Any) -> fields.Field[Any]:
    kind = Number if name in FRACTIONAL else Int64
    return kind(validate=[check, validate.Range(max=INT64_MAX)])


def _amounts(kind: str, names: tuple[str, ...], check: Any, others: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """A mapping of the named amounts, all validated by `check` but for those in `others`."""
    return fields.Nested(Item.from_dict({name: _amount(name, others.get(name, check)) for name in names}, name=kind))


class AllotmentItem(Item):
    """Credits and features; -1 is an unlimited credit."""

    credits = _amounts("CreditAmounts", CREDITS, Quantity())
    features = _amounts("FeatureAmounts", FEATURES, _NOT_NEGATIVE)

    @post_load
    def _as_allotment(self, data: dict[str, Any], **_: Any) -> Allotment:
        found = Allotment()
        for name, amount in (*data.get("credits", {}).items(), *data.get("features", {}).items()):
            found.set(name, amount)
        return found


class PlanItem(AllotmentItem):
    """What a sub-account is assigned; switches take their few values only."""

    credits = _amounts(
        "PlanCredits",
        CREDITS,
        Quantity(),
        {name: validate.OneOf(values, error="must be one of: {choices}") for name, values in SWITCHES.items()},
    )


class UsedItem(AllotmentItem):
    """What a sub-account has used of what it was assigned; nothing is unlimited."""

    credits = _amounts("UsedCredits", CREDITS, _NOT_NEGATIVE)


class GroupItem(Item):
    id = Id24(required=True)
    name = fields.String(required=True)


class BulkPlanItem(Item):
    id = fields.Integer(required=True, strict=True, validate=ID_RANGE)
    due = Instant(required=True)
    change = fields.Nested(PlanItem, required=True)
    members = List(fields.Integer(strict=True), required=True)
    user_ip = fields.String(load_default=Visit().ip)
    user_agent = fields.String(load_default="")

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
        "bulk_plans": [_dump_bulk(row) for row in account.table(BulkPlan).values()],
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
        "currency_code": fields.String(validate=validate.Length(min=1)),
        "timezone": Timezone(),
        "billing_info": fields.Nested(BillingInfo),
        "plan_info": fields.Nested(MasterPlan(exclude=("subAccounts",))),
        "groups": List(fields.Nested(GroupItem)),
        "pool": fields.Nested(AllotmentItem),
        "bulk_plans": List(fields.Nested(BulkPlanItem)),
        "plan_type": fields.String(),
        "group_ids": List(Id24()),
        "assigned": fields.Nested(PlanItem),
        "used": fields.Nested(UsedItem),
        "plan_state": fields.String(validate=validate.OneOf(MACHINE.states)),
    },
    load=load,
    dump=_dump,
    finish=finish,
    account_members=frozenset({*MASTER, *SUB_ACCOUNT, "timezone"} - {"groups", "bulk_plans"}),
)

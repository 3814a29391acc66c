"""Master and sub-accounts in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from marshmallow import fields, post_load, validate

from mockserver.core.account import Account
from mockserver.core.caller import Visit
from mockserver.core.contract import Role
from mockserver.core.workspace import Workspace
from mockserver.resources.corporate import model, plan
from mockserver.resources.corporate.model import (
    ACTIVE,
    LANGUAGES,
    MACHINE,
    UNASSIGNED,
    BulkPlan,
    Master,
    SubAccount,
)
from mockserver.resources.corporate.plan import CREDITS, FEATURES, Allotment
from mockserver.resources.corporate.schemas import BillingInfo, MasterPlan
from mockserver.resources.room import Section
from mockserver.resources.section import Id24, Instant, Item, Misfit, kept
from mockserver.web.fields import List, Timezone

#: Every whole number up to here is a float of its own.
_MOST = 2**53


def _amounts(names: tuple[str, ...], lowest: int, *, name: str) -> Any:
    return Item.from_dict(
        {amount: fields.Float(validate=validate.Range(min=lowest, max=_MOST)) for amount in names}, name=name
    )


class AllotmentItem(Item):
    """Credits and features; the same form for a pool, for what is assigned, and for what is used."""

    credits = fields.Nested(_amounts(CREDITS, plan.UNLIMITED, name="CreditAmounts"))
    features = fields.Nested(_amounts(FEATURES, 0, name="FeatureAmounts"))

    @post_load
    def _as_allotment(self, data: dict[str, Any], **_: Any) -> Allotment:
        return Allotment(_whole(data.get("credits", {})), _whole(data.get("features", {})))


def _whole(amounts: dict[str, float]) -> dict[str, plan.Amount]:
    return {name: int(amount) if amount == int(amount) else amount for name, amount in amounts.items()}


class GroupItem(Item):
    id = Id24(required=True)
    name = fields.String(required=True)


class BulkPlanItem(Item):
    id = fields.Integer(required=True, strict=True, validate=validate.Range(min=1, max=2**62))
    due = Instant(required=True)
    change = fields.Nested(AllotmentItem, required=True)
    members = List(fields.Integer(strict=True), required=True)
    user_ip = fields.String(load_default=Visit().ip)
    user_agent = fields.String(load_default="")


_MASTER = ("currency_code", "billing_info", "plan_info", "groups", "pool", "bulk_plans")
_SUB_ACCOUNT = ("plan_type", "language", "group_ids", "assigned", "used", "plan_state")


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    _refuse_foreign(account, data)
    if account.role is Role.MASTER:
        _load_master(workspace, account, data)
    elif account.role is Role.SUB_ACCOUNT:
        _load_sub_account(workspace, account, data)


def _refuse_foreign(account: Account, data: Mapping[str, Any]) -> None:
    """Only a master has a pool, only a sub-account has a plan out of it."""
    for names, role in ((_MASTER, Role.MASTER), (_SUB_ACCOUNT, Role.SUB_ACCOUNT)):
        for name in names:
            if name in data and account.role is not role:
                raise Misfit((name,), f"only an account of role {role} has it")
    if "timezone" in data and account.role not in (Role.MASTER, Role.SUB_ACCOUNT):
        raise Misfit(("timezone",), "only an account of role master or sub_account has it")


def _load_master(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    master = account.record(Master)
    for name in ("currency_code", "timezone", "billing_info", "plan_info", "pool"):
        if name in data:
            setattr(master, name, data[name])
    master.groups.update({group["id"]: group["name"] for group in data.get("groups", ())})
    for item in data.get("bulk_plans", ()):
        workspace.claim_id("bulk_plan", item["id"])
        account.table(BulkPlan)[item["id"]] = BulkPlan(**item)


def _load_sub_account(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    master = workspace.master_of(account)
    assert master is not None, "the scenario's accounts are checked first"
    facts = {name: data[name] for name in ("plan_type", "language", "timezone", "group_ids", "used") if name in data}
    row = SubAccount(account.id, **facts)
    for index, group_id in enumerate(row.group_ids):
        if group_id not in master.record(Master).groups:
            raise Misfit(("group_ids", index), f"{group_id} is not one of the groups of {master.name}")
    assigned = data.get("assigned", Allotment())
    given = kept(workspace, ("given", master.id), lambda: _given(master))
    short = plan.shortage(master.record(Master).pool, [given], [Allotment()], assigned)
    if short:
        raise Misfit(("assigned",), f"the pool of {master.name} holds too little {short.name}")
    row.assigned = assigned
    given.add(assigned)
    row.state = data.get("plan_state") or (ACTIVE if assigned else UNASSIGNED)
    master.table(SubAccount)[row.id] = row
    model.await_bulk(workspace, master, row)


def _given(master: Account) -> Allotment:
    """What the sub-accounts of a master hold together."""
    found = Allotment()
    for row in master.table(SubAccount).values():
        found.add(row.assigned)
    return found


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    if account.role is Role.MASTER:
        return _dump_master(account)
    master = workspace.master_of(account)
    row = master.table(SubAccount).get(account.id) if master else None
    return _dump_sub_account(row) if row else {}


def _dump_master(account: Account) -> dict[str, Any]:
    master = account.record(Master)
    found = {
        "currency_code": master.currency_code,
        "timezone": master.timezone,
        "billing_info": master.billing_info,
        "plan_info": master.plan_info,
        "groups": [{"id": group_id, "name": name} for group_id, name in master.groups.items()],
        "pool": _written(master.pool),
        "bulk_plans": [_BULK_ITEM.dump(row) for row in account.table(BulkPlan).values()],
    }
    return {name: value for name, value in found.items() if value}


def _dump_sub_account(row: SubAccount) -> dict[str, Any]:
    found = {
        "plan_type": row.plan_type,
        "language": row.language,
        "timezone": row.timezone,
        "group_ids": row.group_ids,
        "assigned": _written(row.assigned),
        "used": _written(row.used),
        "plan_state": row.state if row.state != (ACTIVE if row.assigned else UNASSIGNED) else None,
    }
    return {name: value for name, value in found.items() if value}


def _written(amounts: Allotment) -> dict[str, Any]:
    return {kind: values for kind, values in asdict(amounts).items() if values}


_BULK_ITEM = BulkPlanItem()

SECTION = Section(
    fields={
        "currency_code": fields.String(),
        "timezone": Timezone(),
        "billing_info": fields.Nested(BillingInfo),
        "plan_info": fields.Nested(MasterPlan(exclude=("subAccounts",))),
        "groups": List(fields.Nested(GroupItem)),
        "pool": fields.Nested(AllotmentItem),
        "bulk_plans": List(fields.Nested(BulkPlanItem)),
        "plan_type": fields.String(),
        "language": fields.String(validate=validate.OneOf(LANGUAGES)),
        "group_ids": List(Id24()),
        "assigned": fields.Nested(AllotmentItem),
        "used": fields.Nested(AllotmentItem),
        "plan_state": fields.String(validate=validate.OneOf(MACHINE.states)),
    },
    load=_load,
    dump=_dump,
)

"""Master and sub-accounts in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from marshmallow import fields, post_load, validate

from mockserver.core.contract.errors import ServiceError
from mockserver.core.contract.operation import Role
from mockserver.core.state.account import Account
from mockserver.core.workspaces.caller import Visit
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.corporate import bulk as bulks
from mockserver.resources.corporate import model, plan, pool
from mockserver.resources.corporate.bulk import BulkPlan
from mockserver.resources.corporate.model import ACTIVE, ASSIGNMENT_PENDING, CHANGE_PENDING, MACHINE, UNASSIGNED
from mockserver.resources.corporate.plan import CREDITS, FEATURES, FRACTIONAL, SWITCHES, Allotment, Amount
from mockserver.resources.corporate.pool import Given, Groups, Master, SubAccount
from mockserver.resources.corporate.schemas import BillingInfo, MasterPlan
from mockserver.resources.resource import Section
from mockserver.resources.section import Id24, Instant, Item, SectionError, TakenError, kept
from mockserver.web.schemas.fields import INT64_MAX, Int64, List, Number, Quantity, Timezone

_NOT_NEGATIVE = validate.Range(min=0, error="must not be negative")


def _amount(name: str, check: Any) -> fields.Field[Any]:
    kind = Number if name in FRACTIONAL else Int64
    return kind(validate=[check, validate.Range(max=INT64_MAX)])


def _amounts(kind: str, names: tuple[str, ...], check: Any, others: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """The members of this kind; each is looked at by one check, or by another of its own."""
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
    """What a sub-account is assigned: what is a switch has a few values only."""

    credits = _amounts(
        "PlanCredits",
        CREDITS,
        Quantity(),
        {name: validate.OneOf(values, error="must be one of: {choices}") for name, values in SWITCHES.items()},
    )


class UsedItem(AllotmentItem):
    """What of that is used."""

    credits = _amounts("UsedCredits", CREDITS, _NOT_NEGATIVE)


class GroupItem(Item):
    id = Id24(required=True)
    name = fields.String(required=True)


class BulkPlanItem(Item):
    id = fields.Integer(required=True, strict=True, validate=validate.Range(min=1, max=2**62))
    due = Instant(required=True)
    change = fields.Nested(PlanItem, required=True)
    members = List(fields.Integer(strict=True), required=True)
    user_ip = fields.String(load_default=Visit().ip)
    user_agent = fields.String(load_default="")

    @post_load
    def _as_row(self, data: dict[str, Any], **_: Any) -> BulkPlan:
        return BulkPlan(**{**data, "members": dict.fromkeys(data["members"])})


_MASTER = ("currency_code", "billing_info", "plan_info", "groups", "pool", "bulk_plans")
_SUB_ACCOUNT = ("plan_type", "group_ids", "assigned", "used", "plan_state")
#: What a sub-account is that waits for a bulk plan.
_PENDING = (ASSIGNMENT_PENDING, CHANGE_PENDING)
#: What of a sub-account needs no check.
_AS_GIVEN = ("plan_type", "timezone", "group_ids")


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
                raise SectionError((name,), f"only an account of role {role} has it")
    if "timezone" in data and account.role not in (Role.MASTER, Role.SUB_ACCOUNT):
        raise SectionError(("timezone",), "only an account of role master or sub_account has it")


def _load_master(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    master = account.record(Master)
    for name in ("currency_code", "timezone", "billing_info", "plan_info", "pool"):
        if name in data:
            setattr(master, name, data[name])
    account.record(Groups).update({group["id"]: group["name"] for group in data.get("groups", ())})
    if master.plan_info.get("features") and any(master.pool.items()):
        raise SectionError(("plan_info", "features"), "they follow from the pool")
    if "pool" in data:
        _check_solution(workspace, ("pool",), Allotment(_unlimited(master.pool)))
    for index, bulk in enumerate(data.get("bulk_plans", ())):
        if not bulk.members:
            raise SectionError(("bulk_plans", index, "members"), "names no sub-account")
        _check_plan(workspace, ("bulk_plans", index, "change"), bulk.change)
        workspace.state.claim_id("bulk_plan", bulk.id)
        if bulk.id in account.table(BulkPlan):
            raise TakenError(("bulk_plans", index, "id"), f"{bulk.id} is there already")
        bulks.enter(account, bulk)
        _to_check(workspace).append((account, index, bulk))
    _check_pool(account)


def _to_check(workspace: Workspace) -> list[tuple[Account, int, BulkPlan]]:
    """The changes whose members may come later in the document, with their places in it."""
    return kept(workspace, BulkPlan, list)


def _settle(workspace: Workspace) -> None:
    """Let the members of changes wait for them, each of which is a sub-account that says so itself.

    Raises:
        SectionError: it is no sub-account of the master, or waits for nothing.
    """
    found = _to_check(workspace)
    for master, index, bulk in found:
        for number in bulk.members:
            row = master.table(SubAccount).get(number)
            if row is None or row.state not in _PENDING:
                told = "is no sub-account" if row is None else f"is {row.state}, and no pending sub-account"
                raise SectionError(
                    ("bulk_plans", index, "members"), f"{number} {told} of {master.name}", account=master.id
                )
            model.await_bulk(workspace, master, row)
    found.clear()


def _check_pool(master: Account) -> None:
    """Refuse a pool that holds less than what the sub-accounts have of it already.

    Raises:
        SectionError: as it says.
    """
    for name in master.record(Given):
        balance = pool.of_master(master, name)
        if name not in SWITCHES and not balance.is_unlimited and balance.used > balance.quantity:
            raise SectionError(("pool",), f"the sub-accounts have been assigned more {name} already")


def _unlimited(pool: Allotment) -> dict[str, Amount]:
    """The credits of a pool that are unlimited; what else only one solution has, it may hold in stock."""
    return {name: amount for name, amount in pool.credits.items() if amount == plan.UNLIMITED and name not in SWITCHES}


def _check_solution(workspace: Workspace, path: tuple[str | int, ...], found: Allotment) -> None:
    """Refuse what the workspace's corporate solution does not know.

    Raises:
        SectionError: as it says.
    """
    try:
        plan.check_solution(found, workspace.state.solution)
    except ServiceError as error:
        raise SectionError(path, error.message) from error


def _check_plan(workspace: Workspace, path: tuple[str | int, ...], found: Allotment) -> None:
    """Refuse a plan of what the solution does not know, or has no more; an operation would leave the latter out.

    Raises:
        SectionError: as it says.
    """
    _check_solution(workspace, path, found)
    applicable = plan.applicable(found, workspace.state.solution).features
    for name in found.features:
        if name not in applicable:
            raise SectionError((*path, "features", name), f"the {workspace.state.solution} solution does not have it")


def _load_sub_account(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    master = workspace.state.master_of(account)
    assert master is not None, "the scenario's accounts are checked first"
    row = master.table(SubAccount).setdefault(account.id, SubAccount(account.id, UNASSIGNED))
    for name in _AS_GIVEN:
        if name in data:
            setattr(row, name, data[name])
    row.group_ids = list(dict.fromkeys(row.group_ids))
    for index, group_id in enumerate(row.group_ids):
        if group_id not in master.record(Groups):
            raise SectionError(("group_ids", index), f"{group_id} is not one of the groups of {master.name}")
    _load_plan(workspace, master, row, data.get("assigned", Allotment()), data.get("used", Allotment()))
    row.state = data.get("plan_state") or (ACTIVE if row.assigned else UNASSIGNED)
    if bulks.oldest(master, row.id) is not None and row.state not in _PENDING:
        raise SectionError(
            ("plan_state",), f"it waits for a bulk plan of {master.name}, and is {' or '.join(_PENDING)}"
        )


def _load_plan(workspace: Workspace, master: Account, row: SubAccount, assigned: Allotment, used: Allotment) -> None:
    """Let a sub-account hold what it was assigned, and have used some of it.

    Raises:
        SectionError: the solution does not know it, the pool does not hold it, or more is used than was assigned.
    """
    _check_plan(workspace, ("assigned",), assigned)
    # One that is there already gives back what it has.
    for name in dict.fromkeys(name for amounts in (row.assigned, assigned) for name, _ in amounts.items()):
        pool.count(master, name, row.assigned.get(name), assigned.get(name))
    row.assigned, row.used = assigned, used
    for name in (*assigned.credits, *assigned.features):
        balance = pool.of_master(master, name)
        if name not in SWITCHES and not balance.is_unlimited and balance.used > balance.quantity:
            raise SectionError(("assigned",), f"the pool of {master.name} holds too little {name}")
    for name, amount in used.items():
        quantity = assigned.get(name)
        if quantity != plan.UNLIMITED and amount > quantity:
            kind = "credits" if name in CREDITS else "features"
            raise SectionError(("used", kind, name), f"{amount} are used, and {quantity} were assigned")


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
        "pool": _written(master.pool),
        "bulk_plans": [_written_bulk(row) for row in account.table(BulkPlan).values()],
    }
    return {name: value for name, value in found.items() if value}


def _dump_sub_account(row: SubAccount) -> dict[str, Any]:
    found = {
        "plan_type": row.plan_type,
        "timezone": row.timezone,
        "group_ids": row.group_ids,
        "assigned": _written(row.assigned),
        "used": _written(row.used),
        "plan_state": row.state if row.state != (ACTIVE if row.assigned else UNASSIGNED) else None,
    }
    return {name: value for name, value in found.items() if value}


def _written(amounts: Allotment) -> dict[str, Any]:
    return {kind: values for kind, values in asdict(amounts).items() if values}


def _written_bulk(row: BulkPlan) -> dict[str, Any]:
    found: dict[str, Any] = _BULK_ITEM.dump(row)
    return {**found, "change": _written(row.change), "members": list(row.members)}


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
    load=_load,
    dump=_dump,
    settle=_settle,
    facts=frozenset({*_MASTER, *_SUB_ACCOUNT, "timezone"} - {"groups", "bulk_plans"}),
)

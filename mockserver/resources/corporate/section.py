"""Masters and sub-accounts in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from marshmallow import fields, post_load, validate

from mockserver.core.contract.errors import ServiceError
from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account
from mockserver.core.text.messages import shown
from mockserver.core.workspaces.caller import Visit
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.corporate import plans, pool
from mockserver.resources.corporate.plans import BulkPlan
from mockserver.resources.corporate.pool import Allotment, Groups, Master, SubAccount
from mockserver.resources.corporate.schemas import BillingInfo, MasterPlan
from mockserver.resources.section import (
    ID_RANGE,
    Id24,
    Instant,
    Item,
    Section,
    SectionError,
    TakenError,
    about,
    once_per_load,
)
from mockserver.web.schemas.fields import INT64_MAX, Int64, List, Number, Quantity, Timezone

#: Members of masters, and members of sub-accounts.
_MASTER = ("currency_code", "billing_info", "plan_info", "groups", "pool", "bulk_plans")
_SUB_ACCOUNT = ("plan_type", "group_ids", "assigned", "used", "plan_state")
#: The states of a sub-account with a pending bulk plan.
_PENDING = (pool.ASSIGNMENT_PENDING, pool.CHANGE_PENDING)
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


def _amounts(
    kind: str, names: tuple[str, ...], check: Any, others: Mapping[str, Any] = MappingProxyType({}), **options: Any
) -> Any:
    """Return a mapping of named amounts, validated by `others` or else by `check`."""
    amounts: dict[str, fields.Field[Any]] = {}
    for name in names:
        amount = Number if name in pool.FRACTIONAL else Int64
        checks = [others.get(name, check), validate.Range(max=INT64_MAX)]
        amounts[name] = amount(validate=checks, **about(_MEANINGS[name]))
    return fields.Nested(Item.from_dict(amounts, name=kind), **options)


class AllotmentItem(Item):
    """Credits and features; -1 is an unlimited credit."""

    credits = _amounts("CreditAmounts", pool.CREDITS, Quantity(), **about("credits by purpose"))
    features = _amounts("FeatureAmounts", pool.FEATURES, _NOT_NEGATIVE, **about("features by name"))

    @post_load
    def _make(self, data: dict[str, Any], **_: Any) -> Allotment:
        found = Allotment()
        for name, amount in (*data.get("credits", {}).items(), *data.get("features", {}).items()):
            found.set(name, amount)
        return found


class AssignedItem(AllotmentItem):
    """Assigned credits and features of a sub-account; switches have few values."""

    credits = _amounts(
        "PlanCredits",
        pool.CREDITS,
        Quantity(),
        {name: validate.OneOf(values, error="must be one of: {choices}") for name, values in pool.SWITCHES.items()},
        **about("credits by purpose; wpSubscribers and externalFeeds are switches"),
    )


class UsedItem(AllotmentItem):
    """Used credits and features of a sub-account, never unlimited."""

    credits = _amounts("UsedCredits", pool.CREDITS, _NOT_NEGATIVE, **about("used credits by purpose"))


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
    def _make(self, data: dict[str, Any], **_: Any) -> BulkPlan:
        return BulkPlan(**{**data, "members": dict.fromkeys(data["members"])})


# ---------------------------------------------------------------------- loading


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    yield from _refuse_foreign(account, data)
    if account.role is Role.MASTER:
        yield from _load_master(workspace, account, data)
    elif account.role is Role.SUB_ACCOUNT:
        yield from _load_sub_account(workspace, account, data)


def _refuse_foreign(account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    """Refuse members that do not belong to the account's role."""
    given = f"account {shown(account.name)} has role {account.role}"
    for names, role in ((_MASTER, Role.MASTER), (_SUB_ACCOUNT, Role.SUB_ACCOUNT)):
        for name in names:
            if name in data and account.role is not role:
                yield SectionError((name,), f"only for accounts of role {role}: {given}")
    if "timezone" in data and account.role not in (Role.MASTER, Role.SUB_ACCOUNT):
        yield SectionError(("timezone",), f"only for accounts of role master or sub_account: {given}")


def _load_master(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    master = account.record(Master)
    for name in ("currency_code", "timezone", "billing_info", "plan_info", "pool"):
        if name in data:
            setattr(master, name, data[name])
    account.record(Groups).update({group["id"]: group["name"] for group in data.get("groups", ())})
    if master.plan_info.get("features") and any(master.pool.items()):
        yield SectionError(("plan_info", "features"), "the features of a plan follow from the pool: leave them out")
    if "pool" in data:
        # A pool may have any amounts, whatever the solution, except unlimited ones.
        credits_ = master.pool.credits.items()
        unlimited = {
            name: amount for name, amount in credits_ if amount == pool.UNLIMITED and name not in pool.SWITCHES
        }
        yield from _check_solution(workspace, ("pool",), Allotment(unlimited))
    for index, bulk in enumerate(data.get("bulk_plans", ())):
        if not bulk.members:
            yield SectionError(("bulk_plans", index, "members"), "no members: expected the id of a sub-account")
        yield from _check_plan(workspace, ("bulk_plans", index, "change"), bulk.change)
        workspace.state.claim_id("bulk_plan", bulk.id)
        if bulk.id in account.table(BulkPlan):
            yield TakenError(("bulk_plans", index, "id"), f"duplicate bulk plan id {bulk.id}")
            continue
        plans.enqueue(account, bulk)
        _loaded_bulk_plans(workspace).append((account, index, bulk))
    for name in account.record(pool.Assigned):
        balance = pool.of_master(account, name)
        if _is_exceeded(name, balance):
            held = f"it holds {balance.quantity} {name}, and the sub-accounts were assigned {balance.used}"
            yield SectionError(("pool",), f"the pool is too small: {held}")


def _is_exceeded(name: str, balance: pool.Balance) -> bool:
    return name not in pool.SWITCHES and not balance.is_unlimited and balance.used > balance.quantity


def _loaded_bulk_plans(workspace: Workspace) -> list[tuple[Account, int, BulkPlan]]:
    """Return the bulk plans whose members are checked at the end of loading: master, index in `bulk_plans`, row."""
    return once_per_load(workspace, BulkPlan, list)


def _finish(workspace: Workspace) -> Iterator[SectionError]:
    """Set the timers of loaded bulk plans; refuse members that are unknown or not in a pending state."""
    found = _loaded_bulk_plans(workspace)
    for master, index, bulk in found:
        for number in bulk.members:
            row = master.table(SubAccount).get(number)
            if row is None or row.state not in _PENDING:
                problem = (
                    f"not a sub-account of {shown(master.name)}: got {number}"
                    if row is None
                    else f"sub-account {number} has plan_state {row.state}, expected {' or '.join(_PENDING)}"
                )
                path = ("bulk_plans", index, "members")
                yield SectionError(path, problem, account=master.id, wanted=(number,))
                continue
            plans.set_bulk_timer(workspace, master, row)
    found.clear()


def _check_solution(workspace: Workspace, path: tuple[str | int, ...], found: Allotment) -> Iterator[SectionError]:
    try:
        pool.check_solution(found, workspace.state.solution)
    except ServiceError as error:
        yield SectionError(path, error.message)


def _check_plan(workspace: Workspace, path: tuple[str | int, ...], found: Allotment) -> Iterator[SectionError]:
    """Refuse credits and features that the solution does not support or ignores."""
    yield from _check_solution(workspace, path, found)
    applicable = pool.applicable(found, workspace.state.solution).features
    for name in found.features:
        if name not in applicable:
            message = f"the {workspace.state.solution} solution does not have this feature: leave it out"
            yield SectionError((*path, "features", name), message)


def _load_sub_account(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    master = workspace.state.master_of(account)
    assert master is not None, "the scenario's accounts are checked first"
    row = master.table(SubAccount).setdefault(account.id, SubAccount(account.id, pool.UNASSIGNED))
    for name in ("plan_type", "timezone", "group_ids"):
        if name in data:
            setattr(row, name, data[name])
    row.group_ids = list(dict.fromkeys(row.group_ids))
    for index, group_id in enumerate(row.group_ids):
        if group_id not in master.record(Groups):
            message = f"not a group of {shown(master.name)}: got {shown(group_id)}"
            yield SectionError(("group_ids", index), message, wanted=(group_id,))
    yield from _load_plan(workspace, master, row, data.get("assigned", Allotment()), data.get("used", Allotment()))
    row.state = data.get("plan_state") or (pool.ACTIVE if row.assigned else pool.UNASSIGNED)
    if plans.next_change(master, row.id) is not None and row.state not in _PENDING:
        reason = f"the sub-account waits for a bulk plan of {shown(master.name)}"
        yield SectionError(("plan_state",), f"got {row.state}, expected {' or '.join(_PENDING)}: {reason}")


def _load_plan(
    workspace: Workspace, master: Account, row: SubAccount, assigned: Allotment, used: Allotment
) -> Iterator[SectionError]:
    """Load the amounts of a sub-account; refuse unknown features, more than the pool has, more used than assigned."""
    yield from _check_plan(workspace, ("assigned",), assigned)
    # A partial document replaces the amounts that the sub-account has.
    for name in dict.fromkeys(name for amounts in (row.assigned, assigned) for name, _ in amounts.items()):
        pool.count_assigned(master, name, row.assigned.get(name), assigned.get(name))
    row.assigned, row.used = assigned, used
    for name in (*assigned.credits, *assigned.features):
        balance = pool.of_master(master, name)
        if _is_exceeded(name, balance):
            held = f"it holds {balance.quantity} {name}, and {balance.used} are assigned"
            yield SectionError(("assigned",), f"the pool of {shown(master.name)} is too small: {held}")
    for name, amount in used.items():
        quantity = assigned.get(name)
        if quantity != pool.UNLIMITED and amount > quantity:
            path = ("used", *pool.path(name).split("."))
            yield SectionError(path, f"more used than assigned: got {amount}, expected at most {quantity}")


# ---------------------------------------------------------------------- dumping


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    if account.role is Role.MASTER:
        found = _dump_master(account)
    else:
        master = workspace.state.master_of(account)
        row = master.table(SubAccount).get(account.id) if master else None
        found = _dump_sub_account(row) if row else {}
    return {name: value for name, value in found.items() if value}


def _dump_master(account: Account) -> dict[str, Any]:
    master = account.record(Master)
    return {
        "currency_code": master.currency_code,
        "timezone": master.timezone,
        "billing_info": master.billing_info,
        "plan_info": master.plan_info,
        "groups": [{"id": group_id, "name": name} for group_id, name in account.record(Groups).items()],
        "pool": _dump_amounts(master.pool),
        "bulk_plans": [_dump_bulk(row) for row in account.rows_of(BulkPlan).values()],
    }


def _dump_sub_account(row: SubAccount) -> dict[str, Any]:
    return {
        "plan_type": row.plan_type,
        "timezone": row.timezone,
        "group_ids": row.group_ids,
        "assigned": _dump_amounts(row.assigned),
        "used": _dump_amounts(row.used),
        "plan_state": row.state if row.state != (pool.ACTIVE if row.assigned else pool.UNASSIGNED) else None,
    }


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
            **about("plan updates of a master's sub-accounts that are not applied yet"),
        ),
        "plan_type": fields.String(**about("the kind of plan of a sub-account")),
        "group_ids": List(Id24(), **about("the ids of the groups of a sub-account, in quotes")),
        "assigned": fields.Nested(AssignedItem, **about("what the master has assigned to a sub-account")),
        "used": fields.Nested(UsedItem, **about("what a sub-account has used of it")),
        "plan_state": fields.String(validate=validate.OneOf(pool.MACHINE.states), **about("the plan of a sub-account")),
    },
    load=_load,
    dump=_dump,
    finish=_finish,
    checks_families=True,
    account_members=frozenset({*_MASTER, *_SUB_ACCOUNT, "timezone"} - {"groups", "bulk_plans"}),
)

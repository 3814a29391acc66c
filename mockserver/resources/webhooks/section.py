"""Webhooks, and the exports of their history, in a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.core.state.account import Account
from mockserver.core.text.domain_name import LONGEST_EMAIL, domain_of, is_host_name
from mockserver.core.text.spelling import cut, meant
from mockserver.core.time.clock import LATEST
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.resource import Section
from mockserver.resources.section import ID_RANGE, Instant, Item, SectionError, TakenError, claim
from mockserver.resources.webhooks import batches
from mockserver.resources.webhooks.blocked import BlockedContact, block
from mockserver.resources.webhooks.catalogue import (
    CREATE_EVENTS,
    EXPORT_EVENTS,
    HELD_EVENTS,
    INBOUND_DEFAULT,
    subscribed,
)
from mockserver.resources.webhooks.checks import BEARER, CHECK_HEADERS
from mockserver.resources.webhooks.event import (
    CHANNELS,
    INBOUND,
    MARKETING,
    MARKETING_EMAIL,
    TRANSACTIONAL,
    TYPES,
    Category,
)
from mockserver.resources.webhooks.history import ACCEPTED, MACHINE, Export, await_completion, keep_file
from mockserver.resources.webhooks.model import Webhook
from mockserver.web.schemas.fields import INT64_MAX, Day, Email, Flag, HeaderName, HeaderValue, List, Url


class AuthItem(Item):
    type = fields.String(validate=validate.OneOf((BEARER,)))
    token = HeaderValue()


class HeaderItem(Item):
    key = HeaderName()
    value = HeaderValue()


class WebhookItem(Item):
    id = fields.Integer(strict=True, validate=ID_RANGE)
    url = Url(required=True)
    type = fields.String(validate=validate.OneOf(TYPES), load_default=TRANSACTIONAL)
    channel = fields.String(validate=validate.OneOf(CHANNELS), load_default="email")
    events = List(fields.String())
    description = fields.String(load_default="")
    domain = fields.String(allow_none=True)
    batched = Flag(load_default=False)
    auth = fields.Nested(AuthItem, allow_none=True)
    headers = List(fields.Nested(HeaderItem), validate=CHECK_HEADERS, load_default=list)
    created_at = Instant()
    modified_at = Instant()


class BlockedContactItem(Item):
    email = fields.String(required=True, validate=validate.Length(min=1, max=LONGEST_EMAIL))
    blocked_at = Instant()


class WrittenDay(Day):
    """A day that is written back without a time, `2026-01-15`."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value.date().isoformat()


class FiltersItem(Item):
    """The body of the request for an export, as its schema has loaded it."""

    type = fields.String(required=True, validate=validate.OneOf((TRANSACTIONAL, MARKETING)))
    event = fields.String(required=True, validate=validate.OneOf(EXPORT_EVENTS))
    notifyURL = Url(required=True)
    days = fields.Integer(strict=True, validate=validate.Range(1, INT64_MAX))
    startDate = WrittenDay()
    endDate = WrittenDay()
    email = Email()
    sort = fields.String(validate=validate.OneOf(("asc", "desc")))
    messageId = fields.String()
    webhookId = fields.Integer(strict=True)

    @validates_schema
    def _check_period(self, data: dict[str, Any], **_: Any) -> None:
        if ("startDate" in data) is not ("endDate" in data):
            raise ValidationError("give both startDate and endDate, or none")


class ExportItem(Item):
    id = fields.Integer(required=True, strict=True, validate=ID_RANGE)
    requested_at = Instant(required=True)
    filters = fields.Nested(FiltersItem, required=True)
    url = fields.String(load_default="")
    state = fields.String(validate=validate.OneOf(MACHINE.states), load_default=ACCEPTED)
    ready_at = Instant(allow_none=True, load_default=None)
    content = fields.String(allow_none=True, load_default=None)


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    items, last = data.get("webhooks", ()), workspace.state.last_ids.get("webhook", 0)
    for item in items:
        workspace.state.claim_id("webhook", item.get("id", 0))
    for index, item in enumerate(items):
        _load_webhook(workspace, account, index, item, last)
    _load_exports(workspace, account, data.get("exports", ()))
    for item in data.get("blocked_contacts", ()):
        block(account, BlockedContact(**{"blocked_at": workspace.state.clock.now(), **item}))
    batches.resume(account)


def _load_exports(workspace: Workspace, account: Account, items: Iterable[Mapping[str, Any]]) -> None:
    last = workspace.state.last_ids.get("process", 0)
    for index, item in enumerate(items):
        if not claim(workspace, Export, item["id"], is_next=item["id"] > last):
            raise TakenError(("exports", index, "id"), f"export {item['id']} is there already")
        workspace.state.claim_id("process", item["id"])
        row = account.table(Export)[item["id"]] = Export(**item)
        if row.content is not None:
            keep_file(workspace, row, row.content)
        if row.state == ACCEPTED:
            row.ready_at = row.ready_at or min(row.requested_at + workspace.state.behaviour.export, LATEST)
            await_completion(workspace, account, row)


def _load_webhook(workspace: Workspace, account: Account, index: int, item: Mapping[str, Any], last: int) -> None:
    created = item.get("created_at", workspace.state.clock.now())
    members = {"modified_at": created, **item, "created_at": created}
    members["id"] = item["id"] if "id" in item else workspace.state.next_id("webhook")
    members["events"] = item.get("events") or ([INBOUND_DEFAULT] if item["type"] == INBOUND else [])
    if not claim(workspace, Webhook, members["id"], is_next=members["id"] > last):
        raise TakenError(("webhooks", index, "id"), f"webhook {members['id']} is there already")
    category = Category(members["type"], members["channel"])
    _check_subscription(("webhooks", index), category, members)
    members["events"] = subscribed(category, members["events"])
    domain = members.pop("domain", None)
    if members["type"] == INBOUND:  # webhooks of other types have no domain
        members["domain"] = domain_of(domain)
    account.table(Webhook)[members["id"]] = Webhook(**members)


def _check_subscription(path: tuple[str | int, ...], category: Category, members: Mapping[str, Any]) -> None:
    """Check events and domain of a webhook by the rules that operations have as well.

    Raises:
        SectionError: a rule is broken.
    """
    webhook_type, known = category.type, HELD_EVENTS[category]
    if not members["events"]:
        raise SectionError((*path, "events"), f"a webhook of type {webhook_type} needs events")
    for event in members["events"]:
        if event not in known:
            near = meant(event, known)
            instead = f"; did you mean {near}?" if near else ""
            problem = f"{cut(event, 80)} is not an event of {webhook_type} webhooks{instead}"
            raise SectionError((*path, "events"), problem)
    if webhook_type == INBOUND and not members.get("domain"):
        raise SectionError((*path, "domain"), "a webhook of type inbound needs a domain")
    if webhook_type == INBOUND and ("@" in members["domain"] or not is_host_name(domain_of(members["domain"]))):
        raise SectionError((*path, "domain"), "is no name of a domain")


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    webhooks = [_WEBHOOK_ITEM.dump(row) for row in account.table(Webhook).values()]
    exports = [_EXPORT_ITEM.dump(row) for row in account.table(Export).values()]
    contacts = [_BLOCKED_CONTACT_ITEM.dump(row) for row in account.table(BlockedContact).values()]
    found = {"webhooks": webhooks, "exports": exports, "blocked_contacts": contacts}
    return {name: rows for name, rows in found.items() if rows}


_WEBHOOK_ITEM = WebhookItem()
_EXPORT_ITEM = ExportItem()
_BLOCKED_CONTACT_ITEM = BlockedContactItem()

SECTION = Section(
    fields={
        "webhooks": List(fields.Nested(WebhookItem)),
        "exports": List(fields.Nested(ExportItem)),
        "blocked_contacts": List(fields.Nested(BlockedContactItem)),
    },
    load=_load,
    dump=_dump,
    generators={
        "webhooks": lambda people, workspace, account: {
            "url": f"https://{people.domain()}/hook",
            "type": MARKETING,
            "channel": "email",
            "events": [people.choice(CREATE_EVENTS[MARKETING_EMAIL])],
            "description": people.sentence(),
            "headers": [],
        }
    },
)

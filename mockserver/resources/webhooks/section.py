"""Webhooks and history exports in a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, ClassVar

from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.core.state.state import Account
from mockserver.core.text.addresses import domain_of, is_host_name
from mockserver.core.text.messages import nearest
from mockserver.core.time.clock import LATEST
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import ID_RANGE, Instant, Item, Section, SectionError, TakenError, about, claim
from mockserver.resources.webhooks.catalogue import (
    CREATE_EVENTS,
    EXPORT_EVENTS,
    HELD_EVENTS,
    INBOUND_DEFAULT,
    subscribed,
)
from mockserver.resources.webhooks.event import (
    CHANNELS,
    INBOUND,
    MARKETING,
    MARKETING_EMAIL,
    TRANSACTIONAL,
    TYPES,
    Category,
)
from mockserver.resources.webhooks.events import resume_batches
from mockserver.resources.webhooks.history import ACCEPTED, MACHINE, Export, await_completion, keep_file
from mockserver.resources.webhooks.model import Webhook
from mockserver.web.schemas.errors import Longest, invalid
from mockserver.web.schemas.fields import INT64_MAX, Day, Email, Flag, HeaderName, HeaderValue, List, Url

#: The only documented kind of `auth` (contract/webhooks#configuration); others are refused, which is proposed.
BEARER = "bearer"
#: The most headers of a webhook (proposed); chosen: far above what honest clients send.
MOST_HEADERS = 100
#: The most characters of their names and values together (proposed): few receivers take more.
_LONGEST_HEADERS = 64 * 1024


def _check_headers(headers: list[dict[str, str]]) -> None:
    if sum(len(text) for header in headers for text in header.values()) > _LONGEST_HEADERS:
        raise invalid(f"Longer than {_LONGEST_HEADERS:,} characters altogether")


#: The validators of a list of headers, on the wire and in a scenario.
CHECK_HEADERS = (Longest(MOST_HEADERS), _check_headers)


class AuthItem(Item):
    type = fields.String(validate=validate.OneOf((BEARER,)), **about("the scheme"))
    token = HeaderValue(**about("what follows the scheme in the header Authorization"))


class HeaderItem(Item):
    key = HeaderName(**about("the name of the header"))
    value = HeaderValue(**about("its value"))


class WebhookItem(Item):
    """A webhook with its subscriptions."""

    #: `_check_subscription` compares them with type and channel.
    constraints: ClassVar[dict[str, Any]] = {
        "properties": {"events": {"items": {"enum": sorted({*chain(*HELD_EVENTS.values())})}}}
    }

    id = fields.Integer(strict=True, validate=ID_RANGE, **about("counts up from the largest one if left out"))
    url = Url(required=True, **about("where the calls go"))
    type = fields.String(
        validate=validate.OneOf(TYPES),
        load_default=TRANSACTIONAL,
        **about("which e-mails it reports: transactional, marketing, or received ones"),
    )
    channel = fields.String(validate=validate.OneOf(CHANNELS), load_default="email", **about("e-mail or SMS"))
    events = List(fields.String(), **about("the events that it reports"))
    description = fields.String(load_default="", **about("what it is for, in words"))
    domain = fields.String(allow_none=True, **about("the domain whose mails an inbound webhook reports"))
    batched = Flag(load_default=False, **about("whether one call carries the events of some seconds"))
    auth = fields.Nested(AuthItem, allow_none=True, **about("the credentials of its calls"))
    headers = List(fields.Nested(HeaderItem), validate=CHECK_HEADERS, load_default=list, **about("further headers"))
    created_at = Instant(**about("its creation; the clock's start if left out"))
    modified_at = Instant(**about("its last change; its creation if left out"))

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_subscription(self, data: dict[str, Any], original: Any, **_: Any) -> None:
        # A member with an error is missing in the data, and needs no second error.
        given = {"events", "domain"}.intersection(original) if isinstance(original, Mapping) else set()
        if not {"type", "channel", *given} <= data.keys():
            return
        found = _wrong_subscription(Category(data["type"], data["channel"]), data)
        if found:
            raise ValidationError(found)


class WrittenDay(Day):
    """A day, dumped without time: `2026-01-15`."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return value.date().isoformat()


class FiltersItem(Item):
    """An export request's loaded body."""

    constraints: ClassVar[dict[str, Any]] = {"dependentRequired": {"startDate": ["endDate"], "endDate": ["startDate"]}}

    type = fields.String(required=True, validate=validate.OneOf((TRANSACTIONAL, MARKETING)), **about("their type"))
    event = fields.String(required=True, validate=validate.OneOf(EXPORT_EVENTS), **about("the event"))
    notifyURL = Url(required=True, **about("the address that gets a call when the file is ready"))
    days = fields.Integer(strict=True, validate=validate.Range(1, INT64_MAX), **about("how many days back"))
    startDate = WrittenDay(**about("the first day, YYYY-MM-DD"))
    endDate = WrittenDay(**about("the last day, YYYY-MM-DD"))
    email = Email(**about("only events of this recipient"))
    sort = fields.String(validate=validate.OneOf(("asc", "desc")), **about("the order by time"))
    messageId = fields.String(**about("only events of this e-mail"))
    webhookId = fields.Integer(strict=True, **about("only calls of this webhook"))

    @validates_schema
    def _check_period(self, data: dict[str, Any], **_: Any) -> None:
        if ("startDate" in data) is not ("endDate" in data):
            raise ValidationError("give both startDate and endDate, or none")


class ExportItem(Item):
    """A history export, possibly with its file."""

    id = fields.Integer(required=True, strict=True, validate=ID_RANGE, **about("the number of its process"))
    requested_at = Instant(required=True, **about("when it was requested"))
    filters = fields.Nested(FiltersItem, required=True, **about("the body of the request"))
    url = fields.String(load_default="", **about("the address of the file"))
    state = fields.String(validate=validate.OneOf(MACHINE.states), load_default=ACCEPTED, **about("its state"))
    ready_at = Instant(
        allow_none=True,
        load_default=None,
        **about("when the file is ready; after behaviour.export if left out"),
    )
    content = fields.String(allow_none=True, load_default=None, **about("the file; null before it is ready"))


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    items, last = data.get("webhooks", ()), workspace.state.last_ids.get("webhook", 0)
    for item in items:
        workspace.state.claim_id("webhook", item.get("id", 0))
    for index, item in enumerate(items):
        yield from _load_webhook(workspace, account, index, item, last)
    yield from _load_exports(workspace, account, data.get("exports", ()))
    resume_batches(account)


def _load_exports(workspace: Workspace, account: Account, items: Iterable[Mapping[str, Any]]) -> Iterator[SectionError]:
    last = workspace.state.last_ids.get("process", 0)
    for index, item in enumerate(items):
        if not claim(workspace, Export, item["id"], is_next=item["id"] > last):
            yield TakenError(("exports", index, "id"), f"duplicate export id {item['id']}")
            continue
        workspace.state.claim_id("process", item["id"])
        row = account.table(Export)[item["id"]] = Export(**item)
        if row.content is not None:
            keep_file(workspace, row, row.content)
        if row.state == ACCEPTED:
            row.ready_at = row.ready_at or min(row.requested_at + workspace.state.behaviour.export, LATEST)
            await_completion(workspace, account, row)


def _load_webhook(
    workspace: Workspace, account: Account, index: int, item: Mapping[str, Any], last: int
) -> Iterator[SectionError]:
    created = item.get("created_at", workspace.state.clock.now())
    members = {"modified_at": created, **item, "created_at": created}
    members["id"] = item["id"] if "id" in item else workspace.state.next_id("webhook")
    members["events"] = item.get("events") or ([INBOUND_DEFAULT] if item["type"] == INBOUND else [])
    if not claim(workspace, Webhook, members["id"], is_next=members["id"] > last):
        yield TakenError(("webhooks", index, "id"), f"duplicate webhook id {members['id']}")
        return
    members["events"] = subscribed(Category(members["type"], members["channel"]), members["events"])
    domain = members.pop("domain", None)
    if members["type"] == INBOUND:  # webhooks of other types have no domain
        members["domain"] = domain_of(domain)
    account.table(Webhook)[members["id"]] = Webhook(**members)


def _wrong_subscription(category: Category, members: Mapping[str, Any]) -> dict[str, Any]:
    """Return errors of a webhook's events and domain, by operation rules."""
    webhook_type, known = category.type, HELD_EVENTS[category]
    events = members.get("events", ())
    found: dict[str, Any] = {
        "events": {
            position: [f"not an event of {webhook_type} webhooks; {nearest(event, known)}"]
            for position, event in enumerate(events)
            if event not in known
        }
    }
    domain = members.get("domain") or ""
    if not events and webhook_type != INBOUND:
        needed = f"one or more of {', '.join(sorted(known))}"
        found["events"] = [f"no events: a webhook of type {webhook_type} needs {needed}"]
    if webhook_type == INBOUND and not domain:
        found["domain"] = ["no domain: a webhook of type inbound needs one, such as in.acme.test"]
    elif webhook_type == INBOUND and ("@" in domain or not is_host_name(domain_of(domain))):
        found["domain"] = ["not a domain name, such as in.acme.test"]
    return {name: errors for name, errors in found.items() if errors}


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    webhooks = [_WEBHOOK_ITEM.dump(row) for row in account.rows_of(Webhook).values()]
    exports = [_EXPORT_ITEM.dump(row) for row in account.rows_of(Export).values()]
    found = {"webhooks": webhooks, "exports": exports}
    return {name: rows for name, rows in found.items() if rows}


_WEBHOOK_ITEM = WebhookItem()
_EXPORT_ITEM = ExportItem()

SECTION = Section(
    fields={
        "webhooks": List(fields.Nested(WebhookItem), **about("its webhooks")),
        "exports": List(fields.Nested(ExportItem), **about("exports of the history of its webhooks")),
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

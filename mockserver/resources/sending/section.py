"""Blocked contacts and idempotency keys in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields, post_dump, pre_dump, validate

from mockserver.core.state.state import Account
from mockserver.core.text.addresses import LONGEST_EMAIL
from mockserver.core.text.messages import shown
from mockserver.core.traffic.mail import EmailEvent
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import ID_RANGE, Instant, Item, Section, SectionError, TakenError, about
from mockserver.resources.sending.checks import LONGEST_KEY
from mockserver.resources.sending.model import IdempotencyKey
from mockserver.resources.webhooks.blocked import HARD_BOUNCE, REASONS, BlockedContact, block
from mockserver.resources.webhooks.catalogue import REPORTED
from mockserver.web.schemas.fields import Email, List


class BlockedContactItem(Item):
    """A contact who receives no e-mails."""

    email = fields.String(
        required=True,
        validate=validate.Length(min=1, max=LONGEST_EMAIL),
        **about("the address to which nothing is delivered"),
    )
    blocked_at = Instant(**about("since when; the clock's start if left out"))
    reason = fields.String(validate=validate.OneOf(tuple(REASONS)), load_default=HARD_BOUNCE, **about("as in the API"))
    sender = Email(**about("the only sender whose e-mails are blocked"))

    @pre_dump
    def _as_members(self, row: BlockedContact, **_: Any) -> dict[str, Any]:
        found = {"email": row.email, "blocked_at": row.blocked_at}
        extra = {"reason": row.reason if row.reason != HARD_BOUNCE else "", "sender": row.sender}
        return {**found, **{name: value for name, value in extra.items() if value}}


class IdempotencyKeyItem(Item):
    """The idempotency key of a request in the last half hour."""

    key = fields.String(required=True, validate=validate.Length(min=1, max=LONGEST_KEY), **about("usually a UUID"))
    used_at = Instant(**about("when the request came; the clock's start if left out"))
    request = fields.String(allow_none=True, **about("the id of the request"))


class EmailEventItem(Item):
    """An event of an e-mail to one recipient."""

    date = Instant(required=True, **about("when it happens; future events are listed from then on"))
    event = fields.String(required=True, validate=validate.OneOf(REPORTED), **about("what happened; requests: sent"))
    email = fields.String(required=True, **about("the recipient"))
    message_id = fields.String(required=True, **about("of the e-mail, with its angle brackets"))
    subject = fields.String(load_default="", **about("of the e-mail"))
    sender = fields.String(load_default="", **about("the sender's address"))
    tags = List(fields.String(), load_default=[], **about("of the e-mail"))
    template_id = fields.Integer(
        strict=True, validate=ID_RANGE, allow_none=True, load_default=None, **about("the template that was used")
    )
    reason = fields.String(load_default="", **about("why it went wrong"))
    ip = fields.String(load_default="", **about("of the service, or of the person who opens or clicks"))
    link = fields.String(load_default="", **about("that was clicked"))

    @post_dump
    def _without_empty(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        required = ("email", "message_id")
        return {name: value for name, value in data.items() if name in required or value not in ("", [], None)}


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    now = workspace.state.clock.now()
    for item in data.get("blocked_contacts", ()):
        block(account, BlockedContact(**{"blocked_at": now, **item}))
    for item in data.get("email_events", ()):
        event = EmailEvent(account.id, **{**item, "tags": tuple(item["tags"])})
        workspace.state.email_events.add(event)
    keys: dict[str, IdempotencyKey] = {}
    for index, item in enumerate(data.get("idempotency_keys", ())):
        if item["key"] in keys:
            yield TakenError(("idempotency_keys", index, "key"), f"duplicate idempotency key {shown(item['key'])}")
        keys.setdefault(item["key"], IdempotencyKey(**{"used_at": now, **item}))
    if keys:
        account.table(IdempotencyKey).update(sorted(keys.items(), key=lambda pair: pair[1].used_at))


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    now = workspace.state.clock.now()
    contacts = [_BLOCKED_CONTACT.dump(row) for row in account.rows_of(BlockedContact).values()]
    keys = [_KEY.dump(row) for row in account.rows_of(IdempotencyKey).values() if row.is_taken(now)]
    events = [_EMAIL_EVENT.dump(row) for row in workspace.state.email_events.of(account.id)]
    members = {"blocked_contacts": contacts, "email_events": events, "idempotency_keys": keys}
    return {name: rows for name, rows in members.items() if rows}


_BLOCKED_CONTACT = BlockedContactItem()
_KEY = IdempotencyKeyItem()
_EMAIL_EVENT = EmailEventItem()

SECTION = Section(
    fields={
        "blocked_contacts": List(
            fields.Nested(BlockedContactItem),
            **about("contacts who get no e-mails after a bounce, a spam report or an unsubscription"),
        ),
        "email_events": List(fields.Nested(EmailEventItem), **about("events of sent e-mails, oldest first")),
        "idempotency_keys": List(fields.Nested(IdempotencyKeyItem), **about("keys of requests of the last half hour")),
    },
    load=_load,
    dump=_dump,
)

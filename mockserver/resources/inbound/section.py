"""Received e-mails in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from marshmallow import fields, post_load, validate

from mockserver.core.state.state import Account
from mockserver.core.text.messages import shown
from mockserver.core.traffic.mail import MEDIA_TYPE, InboundContent, InboundFile
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.inbound.model import InboundEvent
from mockserver.resources.scheduled_emails.section import Base64
from mockserver.resources.section import Instant, Item, Section, SectionError, TakenError, about, dump_rows
from mockserver.web.schemas.errors import Longest
from mockserver.web.schemas.fields import Email, List


class InboundFileItem(Item):
    """An attachment of a received mail."""

    name = fields.String(load_default="", **about("its file name"))
    content_type = fields.String(
        load_default="application/octet-stream",
        validate=validate.Regexp(MEDIA_TYPE, error="must be a media type, such as text/plain; charset=utf-8"),
        **about("its media type, such as text/plain; charset=utf-8"),
    )
    content_id = fields.String(allow_none=True, load_default=None, **about("its Content-ID, without angle brackets"))
    content = Base64(allow_none=True, load_default=None, **about("its bytes in Base64; null: too large to keep"))
    size = fields.Integer(
        strict=True, validate=validate.Range(min=0, max=2**62), **about("its bytes; those of content if given")
    )
    token = fields.String(validate=Longest(200), **about("its download token; drawn if left out"))

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> InboundFile:
        size = data.get("size", 0) if data["content"] is None else len(data["content"])
        return InboundFile(**{**data, "size": size})


class InboundEventItem(Item):
    date = Instant(required=True, **about("when it came in"))
    uuid = fields.UUID(**about("its id; drawn if left out"))
    sender = Email(required=True, **about("who has sent it"))
    recipient = Email(required=True, **about("the address at which it came in"))
    message_id = fields.String(**about("its header Message-ID"))
    subject = fields.String(**about("its subject; not processed yet without subject, message_id and attachments"))
    attachments = List(fields.Nested(InboundFileItem), validate=Longest(1_000), **about("its attachments"))


#: The members of an event, and of the content of its mail.
_EVENT, _CONTENT = ("date", "uuid", "sender", "recipient"), ("message_id", "subject", "attachments")


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    random, rows, items = workspace.state.random, [], data.get("inbound_events", ())
    yield from _repeated(items)
    for item in items:
        uuid = str(item.get("uuid") or random.uuid("inbound"))
        rows.append(InboundEvent(item["date"], uuid, item["sender"], item["recipient"]))
        content = {name: item[name] for name in _CONTENT if name in item}
        if content:
            files = content.pop("attachments", ())
            files = [file._replace(token=file.token or random.secret("attachment", 40)) for file in files]
            workspace.state.received.add(InboundContent(uuid, account.id, **content, attachments=files))
    account.timeline(InboundEvent).extend(rows)


def _repeated(items: Sequence[Mapping[str, Any]]) -> Iterator[SectionError]:
    """Yield an error for each id and token that leads to another mail or attachment of the document, too."""
    found: set[tuple[int | str, str]] = set()
    for path, value in _keys(items):
        key = (path[-1], value)
        if key in found:
            yield TakenError(("inbound_events", *path), f"duplicate {path[-1]} {shown(value)}")
        found.add(key)


def _keys(items: Sequence[Mapping[str, Any]]) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """Yield the ids and tokens that a document gives, with their places."""
    for index, item in enumerate(items):
        if item.get("uuid"):
            yield (index, "uuid"), str(item["uuid"])
        for number, file in enumerate(item.get("attachments", ())):
            if file.token:
                yield (index, "attachments", number, "token"), file.token


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    events = account.timeline_of(InboundEvent)
    contents = workspace.state.received.of(account.id) if events else {}
    rows = [
        {name: getattr(part, name) for part, names in parts if part is not None for name in names}
        for parts in (((row, _EVENT), (contents.get(row.uuid), _CONTENT)) for row in events)
    ]
    return dump_rows("inbound_events", _INBOUND_ITEM, rows)


_INBOUND_ITEM = InboundEventItem()

SECTION = Section(
    fields={
        "inbound_events": List(
            fields.Nested(InboundEventItem), **about("received e-mails, which getInboundEmailEvents lists")
        )
    },
    load=_load,
    dump=_dump,
    generators={
        "inbound_events": lambda people, workspace, account: {
            "date": workspace.state.clock.before(timedelta(seconds=people.number(1, 60 * 24 * 3600))),
            "sender": people.email(),
            "recipient": "reply@in.acme.test",
        }
    },
)

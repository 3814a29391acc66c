"""The webhooks of the OpenAPI document: the payload of each event, made of the event table (contract/events)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from mockserver.core.contract.operation import Mark
from mockserver.evidence.fidelity import readable
from mockserver.resources.webhooks.catalogue import BY_NAME
from mockserver.resources.webhooks.event import (
    INBOUND,
    MARKETING,
    SMS,
    Category,
    Event,
    Members,
    Occurrence,
    PayloadName,
    RaisedEvent,
    campaign,
    contact,
    email,
    email_with_uuid,
    sms,
)
from mockserver.resources.webhooks.events import BATCH_SIZE
from mockserver.web.schemas.evidence import documented, observed, proposed

_Schema = dict[str, Any]
_TEXT: _Schema = {"type": "string"}
_INTEGER: _Schema = {"type": "integer"}
_INTEGERS: _Schema = {"type": "array", "items": _INTEGER}
_UUID: _Schema = {"type": "string", "format": "uuid"}
_URI: _Schema = {"type": "string", "format": "uri"}
_NULLABLE: _Schema = {"type": ["string", "null"]}
_LOCAL: _Schema = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$"}
_DOCUMENTED = documented()


def _member(schema: _Schema, evidence: Mapping[str, Any] = _DOCUMENTED) -> _Schema:
    return {**schema, **evidence["metadata"]}


_ANY_EVENT = {"id": _member(_INTEGER, documented("of the webhook"))}
_EMAIL = {
    **_ANY_EVENT,
    "email": _member(_TEXT, documented("of the recipient")),
    "date": _member(_LOCAL, documented("in the zone of the account, which the text leaves out")),
    "ts": _member(_INTEGER, documented("seconds since 1970; some captures have it in the zone of `date`")),
    "ts_event": _member(_INTEGER, documented("seconds since 1970, in UTC")),
    "ts_epoch": _member(_INTEGER, documented("milliseconds since 1970")),
    "message-id": _member(_TEXT, documented("with its brackets")),
    "subject": _member(_TEXT),
    "sender_email": _member(_TEXT, observed()),
    "contact_id": _member(_INTEGER, observed("0 where there is no contact")),
    "mirror_link": _member(_URI, observed()),
}
_CAMPAIGN = {
    **_ANY_EVENT,
    "camp_id": _member(_INTEGER),
    "email": _member(_TEXT, documented("of the recipient")),
    "campaign name": _member(_TEXT),
    "date_sent": _member(_LOCAL),
    "date_event": _member(_LOCAL),
    "tag": _member(_TEXT),
    "ts_sent": _member(_INTEGER),
    "ts_event": _member(_INTEGER),
    "ts": _member(_INTEGER),
    "segment_ids": _member(_INTEGERS),
}
_SMS = {
    **_ANY_EVENT,
    "to": _member(_TEXT, documented("digits, without plus")),
    "sms_count": _member(_INTEGER),
    "credits_used": _member(_INTEGER),
    "messageId": _member(_INTEGER),
    "remaining_credit": _member(_INTEGER),
    "date": _member(_LOCAL),
    "type": _member({"type": "string", "enum": ["transactional", "marketing"]}),
    "reference": _member(_TEXT),
}


class _Family(NamedTuple):
    """The members that similar payloads share."""

    members: Mapping[str, _Schema]
    #: The member with the name of the event, and the section of docs/contract/events.md.
    named_in: str
    section: str
    #: Members that only some payloads have.
    optional: Mapping[str, _Schema] = {}  # never written to


_RARE = {
    "tag": _member(_TEXT, documented("the tags as the text of a JSON array")),
    "tags": _member({"type": "array", "items": _TEXT}),
    "X-Mailin-custom": _member(_TEXT, documented("the e-mail's header of this name")),
    "template_id": _member(_INTEGER),
}
_CONTACT = {name: _EMAIL[name] for name in ("id", "email", "date", "ts")}
_FAMILIES: Mapping[Members, _Family] = {
    email: _Family(_EMAIL, "event", "transactional", _RARE),
    email_with_uuid: _Family({**_EMAIL, "uuid": _member(_UUID, observed())}, "event", "transactional", _RARE),
    campaign: _Family(_CAMPAIGN, "event", "marketing"),
    contact: _Family(_CONTACT, "event", "marketing"),
    sms: _Family(_SMS, "msg_status", "text-messages"),
}
#: Members of single events, where the value of the event table does not tell all.
_SINGLE = {
    "content": _member(
        {
            "type": "array",
            "items": {"type": "object", "properties": {"email": _TEXT, "attributes": {"type": "object"}}},
        },
        observed(),
    ),
    "coupon_code": _member(_TEXT, proposed()),
    "collection_id": _member(_UUID, proposed()),
}
#: Members on whose form sources contradict each other, by the name of the event in payloads: the first one is sent.
_CONTRADICTED = {
    "contact_deleted": {
        "email": _member(
            {"oneOf": [{"type": "array", "items": _TEXT}, _TEXT]}, observed("captured as a list, documented as text")
        ),
        "date": _member(
            {"oneOf": [{"type": "string", "format": "date-time"}, _LOCAL]},
            observed("captured in ISO 8601, documented like all others"),
        ),
    }
}
_PERSON: _Schema = {
    "type": "object", "required": ["Name", "Address"], "properties": {"Name": _NULLABLE, "Address": _TEXT},
}  # fmt: skip
_PEOPLE: _Schema = {"type": "array", "items": _PERSON}
_ATTACHMENT: _Schema = {
    "type": "object",
    "required": ["Name", "ContentType", "ContentLength", "ContentID", "DownloadToken"],
    "properties": {
        "Name": _TEXT, "ContentType": _TEXT, "ContentLength": _INTEGER, "ContentID": _NULLABLE, "DownloadToken": _TEXT,
    },
}  # fmt: skip
_MAIL = {
    "Uuid": {"type": "array", "items": _UUID, "minItems": 1, "maxItems": 1},
    "MessageId": _TEXT,
    "InReplyTo": _NULLABLE,
    "From": _PERSON,
    "To": _PEOPLE,
    "Cc": _PEOPLE,
    "ReplyTo": {"oneOf": [_PERSON, {"type": "null"}]},
    "SentAtDate": {**_TEXT, "description": "RFC 2822"},
    "Subject": _TEXT,
    "RawHtmlBody": _TEXT,
    "RawTextBody": _TEXT,
    "ExtractedMarkdownMessage": _TEXT,
    "ExtractedMarkdownSignature": _TEXT,
    "SpamScore": {"type": "number"},
    "Attachments": {"type": "array", "items": _ATTACHMENT},
    "Headers": {
        "type": "object", "additionalProperties": {"oneOf": [_TEXT, {"type": "array", "items": _TEXT}]},
    },
}  # fmt: skip
#: The component of received mails, which is the same for all inbound events.
_INBOUND = {
    "ReceivedMail": {
        "type": "object",
        "required": list(_MAIL),
        "properties": {name: _member(schema) for name, schema in _MAIL.items()},
    },
    "InboundEvent": {
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": _member({"type": "array", "items": {"$ref": "#/components/schemas/ReceivedMail"}, "minItems": 1})
        },
    },
}
#: The types of members whose value in the event table tells all.
_TYPES: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}
#: Statuses of a receiver, which OpenAPI wants; contract/deliveries tells what follows each of them.
_ANSWERS = {
    "2XX": {"description": "The call has arrived."},
    "4XX": {"description": "The call is refused."},
}
#: Text messages of which no source shows the members (contract/events#text-messages).
_NOT_FOUND = ("reply", "unsubscribe")


def add_webhooks(document: dict[str, Any], tag: str) -> None:
    """Add the payloads of all events to an OpenAPI document: `webhooks`, and their schemas as components."""
    schemas: dict[str, _Schema] = document["components"]["schemas"]
    calls: dict[str, _Schema] = {}
    for category, by_name in BY_NAME.items():
        rows = list({row.name: row for row in by_name.values()}.values())
        prefix = category.type if category.type == INBOUND else f"{category.type}{category.channel.capitalize()}"
        union = f"{_capital(prefix)}Event"
        if category.type == INBOUND:
            schemas |= _INBOUND
            calls[prefix] = _call(category, rows, "contract/events#inbound", _reference(union))
        else:
            raised = {f"{prefix}{_capital(row.name)}": row for row in rows if isinstance(row, RaisedEvent)}
            for name, row in raised.items():
                schemas[_capital(name)] = _payload(row, category)
                source = f"contract/events#{_FAMILIES[row.members].section}"
                calls[name] = _call(category, [row], source, _reference(_capital(name)))
            schemas[union] = _union({_capital(name): row for name, row in raised.items()})
        batch = {"type": "array", "items": _reference(union), "minItems": 1, "maxItems": BATCH_SIZE}
        calls[f"{prefix}Batch"] = _call(category, rows, "contract/deliveries", batch)
    for name, call in calls.items():
        call["post"].update({"operationId": name, "tags": [tag]})
    document["webhooks"] = calls


def _union(rows: Mapping[str, RaisedEvent]) -> _Schema:
    """Return the schema of any payload of a category; `rows` are its rows by the names of their components."""
    references = {name: _reference(name) for name in rows}
    mapping = {
        told: references[name]["$ref"] for name, row in rows.items() for told in (row.sent_as.name, *row.sent_as.others)
    }
    named_in = next(_FAMILIES[row.members].named_in for row in rows.values())
    return {"oneOf": list(references.values()), "discriminator": {"propertyName": named_in, "mapping": mapping}}


def _call(category: Category, rows: Sequence[Event], source: str, body: _Schema) -> _Schema:
    to = (getattr(row, "sent_to", ()) or row.names for row in rows)
    names = dict.fromkeys(name for some in to for name in some)
    channel = "" if category.type == INBOUND else f" of the channel `{category.channel}`"
    batched = "batched " if body.get("type") == "array" else ""
    subscribed = ", ".join(f"`{name}`" for name in names)
    return {
        "post": {
            "summary": f"{category.type}: {batched or rows[0].name}",
            "description": (
                f"Called for {batched}webhooks of the type `{category.type}`{channel} that subscribe to "
                f"{'one of ' if len(names) > 1 else ''}{subscribed}.\n\nSource: {readable(source)}."
            ),
            "security": [],
            "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
            "responses": _ANSWERS,
        }
    }


def _payload(row: RaisedEvent, category: Category) -> _Schema:
    family = _FAMILIES[row.members]
    added = row.adds(Occurrence(category, row.name, "bob@acme.test", datetime(2026, 1, 1, tzinfo=UTC), "<1@acme.test>"))
    members = {
        family.named_in: _member(_name(row.sent_as)),
        **family.members,
        **{name: _SINGLE.get(name) or _member(_type_of(value)) for name, value in added.items()},
        **_CONTRADICTED.get(row.sent_as.name, {}),
    }
    if category.channel == SMS and (category.type == MARKETING or row.name in _NOT_FOUND):
        members = {name: {**member, "x-fidelity": str(Mark.PROPOSED)} for name, member in members.items()}
    return {"type": "object", "required": list(members), "properties": {**members, **family.optional}}


def _name(sent_as: PayloadName) -> _Schema:
    """Return the schema of an event's name: one of several if sources contradict each other."""
    if not sent_as.others:
        return {"type": "string", "const": sent_as.name}
    return {"type": "string", "oneOf": [{"const": name} for name in (sent_as.name, *sent_as.others)]}


def _type_of(value: Any) -> _Schema:
    """Return the type of a value of the event table."""
    if isinstance(value, list):
        return {"type": "array", "items": _type_of(value[0]) if value else {}}
    return {"type": _TYPES[type(value)]}


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]


def _reference(name: str) -> _Schema:
    return {"$ref": f"#/components/schemas/{name}"}

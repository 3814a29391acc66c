"""How the kinds of values that scenarios take are told in a JSON schema."""

from __future__ import annotations

from typing import Any

from mockserver.beyond.stubs.item import Condition
from mockserver.beyond.stubs.pattern import Pattern
from mockserver.resources.attributes.model import LONGEST_OPTION
from mockserver.resources.attributes.section import TYPE_NAMES, NameOrAttribute
from mockserver.resources.match import Texts
from mockserver.resources.scheduled_emails.section import MOST_RECIPIENTS, Base64, PartiesField, PartyField
from mockserver.resources.section import Duration, Id24, Instant, Span
from mockserver.resources.webhooks.section import WrittenDay
from mockserver.scenario.behaviour import After, AuthenticateDomainField
from mockserver.scenario.rules.match import PathPattern
from mockserver.web.schemas import json_schema
from mockserver.web.schemas.fields import Day, Json, JsonObject, OneOrMany
from mockserver.web.schemas.json_schema import FieldSchema

#: ISO 8601, without the years and months that have no fixed length, or the short form.
_LENGTH = (
    r"(P(?=.)([0-9]{1,4}W|([0-9]{1,6}D)?(T(?=.)([0-9]{1,6}H)?([0-9]{1,6}M)?([0-9]{1,6}([.,][0-9]{1,6})?S)?)?)"
    r"|(?=[0-9])([0-9]{1,4}w)?([0-9]{1,6}d)?([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?([0-9]{1,6}ms)?)"
)
DURATION = {"type": "string", "pattern": f"^{_LENGTH}$", "description": "16m, 1h30m, 2d, or ISO 8601: PT16M"}
INSTANT = {
    "type": "string",
    "anyOf": [{"format": "date-time"}, {"pattern": f"^[+-]?{_LENGTH}$"}],
    "description": "RFC 3339, or counted from the clock's moment: 15m, -1d, PT15M",
}
#: Both stand in the document once, and are pointed at.
_DURATION = {"$ref": "#/components/schemas/Duration"}
_INSTANT = {"$ref": "#/components/schemas/Instant"}
#: A segment of the path of a stub: a text, or a parameter in braces.
_SEGMENT = r"/([^/{}?#%\\\x00-\x1f]+|\{[A-Za-z_][A-Za-z0-9_.-]{0,63}\})"
_PLAIN = {"type": ["string", "number", "boolean"]}


def closed(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False, **more}


#: `ada@acme.test`, `Ada <ada@acme.test>`, or both as members.
_PARTY = {
    "anyOf": [
        {"type": "string", "pattern": "@"},
        closed({"email": {"type": "string", "pattern": "@"}, "name": {"type": ["string", "null"]}}, required=["email"]),
    ]
}


_OPTION = {"type": "string", "maxLength": LONGEST_OPTION}
#: The name of an attribute, or more of it as members.
_ATTRIBUTE = {
    "anyOf": [
        {"type": "string"},
        closed(
            {
                "name": {"type": "string"},
                "type": {"enum": TYPE_NAMES},
                "value": {"type": "string"},
                "enumeration": {
                    "type": "array",
                    "items": closed({"value": _OPTION, "label": _OPTION}, required=["value", "label"]),
                },
                "options": {"type": "array", "items": _OPTION},
            },
            required=["name"],
        ),
    ]
}


def _one_or_many(_: Any, known: dict[str, Any]) -> dict[str, Any]:
    items = known.pop("items")
    many = {"type": known.pop("type"), "items": items, "minItems": known.pop("minItems", 0)}
    return {"anyOf": [items, many]}


def _texts(field: Texts, _: dict[str, Any]) -> dict[str, Any]:
    value = {"anyOf": [_PLAIN, {"type": "array", "items": _PLAIN}]} if field.lists else _PLAIN
    return {"type": "object", "additionalProperties": value}


def _instant(field: Instant, _: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [_INSTANT, {"type": "null"}]} if field.allow_none else _INSTANT


def _span(_: Span, known: dict[str, Any]) -> dict[str, Any]:
    number = {name: known.pop(name) for name in ("type", "minimum", "maximum") if name in known}
    return {"anyOf": [number, _DURATION]}


FORMS: dict[type, FieldSchema] = {
    **json_schema.FIELD_SCHEMAS,
    Duration: _DURATION,
    Instant: _instant,
    Span: _span,
    Json: {"type": ["object", "array", "string", "number", "boolean"]},
    JsonObject: {"type": "object"},
    Id24: {"pattern": "^[0-9a-f]{24}$"},
    After: closed({"after": _DURATION}, required=["after"]),
    AuthenticateDomainField: {
        "anyOf": [
            {"const": "immediate"},
            closed({"after": _DURATION}, required=["after"]),
            closed({"attempts": {"type": "integer", "minimum": 1}}, required=["attempts"]),
        ]
    },
    OneOrMany: _one_or_many,
    PathPattern: {
        "type": ["string", "object"],
        "additionalProperties": _PLAIN,
        "description": "a glob of the whole path, or its parameters by name",
    },
    NameOrAttribute: _ATTRIBUTE,
    PartyField: _PARTY,
    PartiesField: {"anyOf": [_PARTY, {"type": "array", "items": _PARTY, "maxItems": MOST_RECIPIENTS}]},
    Base64: {"type": "string", "contentEncoding": "base64"},
    WrittenDay: json_schema.FIELD_SCHEMAS[Day],
    Condition: {"type": ["string", "boolean"], "description": "one expression in braces"},
    Pattern: {"type": "string", "pattern": f"^/v3({_SEGMENT})+$", "maxLength": 500},
    Texts: _texts,
}

"""How the kinds of values that the control API and scenarios take are told in a JSON schema."""

from __future__ import annotations

from typing import Any

from mockserver.beyond.stubs.item import Condition
from mockserver.beyond.stubs.pattern import Pattern
from mockserver.control.traffic.requests import Bounds
from mockserver.control.traffic.stream import STREAM_KINDS, Kinds
from mockserver.control.workspaces.workspaces import ScenarioField
from mockserver.resources.match import Texts
from mockserver.resources.section import Duration, Id24, Instant
from mockserver.scenario.behaviour import After, AuthenticateDomainField
from mockserver.scenario.rules.match import PathPattern
from mockserver.web.schemas import json_schema
from mockserver.web.schemas.fields import Json, JsonObject, OneOrMany
from mockserver.web.schemas.json_schema import FieldSchema

#: ISO 8601, without the years and months that have no fixed length.
_LENGTH = r"P(?=.)([0-9]{1,4}W|([0-9]{1,6}D)?(T(?=.)([0-9]{1,6}H)?([0-9]{1,6}M)?([0-9]{1,6}([.,][0-9]{1,6})?S)?)?)"
DURATION = {"type": "string", "pattern": f"^{_LENGTH}$", "description": "ISO 8601, of days at most: PT15M"}
INSTANT = {
    "type": "string",
    "anyOf": [{"format": "date-time"}, {"pattern": f"^[+-]?{_LENGTH}$"}],
    "description": "RFC 3339, or counted from the clock's moment: PT15M, -P1D",
}
#: Both stand in the document once, and are pointed at.
_DURATION = {"$ref": "#/components/schemas/Duration"}
_INSTANT = {"$ref": "#/components/schemas/Instant"}
#: A segment of the path of a stub: a text, or a parameter in braces.
_SEGMENT = r"/([^/{}?#%\\\x00-\x1f]+|\{[A-Za-z_][A-Za-z0-9_.-]{0,63}\})"
_COUNT = {"type": "integer", "minimum": 0}
_PLAIN = {"type": ["string", "number", "boolean"]}


def _closed(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False, **more}


def _one_or_many(_: Any, known: dict[str, Any]) -> dict[str, Any]:
    items = known.pop("items")
    many = {"type": known.pop("type"), "items": items, "minItems": known.pop("minItems", 0)}
    return {"anyOf": [items, many]}


def _texts(field: Texts, _: dict[str, Any]) -> dict[str, Any]:
    value = {"anyOf": [_PLAIN, {"type": "array", "items": _PLAIN}]} if field.lists else _PLAIN
    return {"type": "object", "additionalProperties": value}


def _instant(field: Instant, _: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [_INSTANT, {"type": "null"}]} if field.allow_none else _INSTANT


def _kinds(_: Kinds, known: dict[str, Any]) -> dict[str, Any]:
    known.pop("default")  # all of them
    kind = "|".join(STREAM_KINDS)
    return {"type": "string", "pattern": f"^({kind})(,({kind}))*$"}


FORMS: dict[type, FieldSchema] = {
    **json_schema.FIELD_SCHEMAS,
    Duration: _DURATION,
    Instant: _instant,
    ScenarioField: {"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/ScenarioItem"}]},
    Json: {"type": ["object", "array", "string", "number", "boolean"]},
    JsonObject: {"type": "object"},
    Id24: {"pattern": "^[0-9a-f]{24}$"},
    After: _closed({"after": _DURATION}, required=["after"]),
    AuthenticateDomainField: {
        "anyOf": [
            {"const": "immediate"},
            _closed({"after": _DURATION}, required=["after"]),
            _closed({"attempts": {"type": "integer", "minimum": 1}}, required=["attempts"]),
        ]
    },
    OneOrMany: _one_or_many,
    PathPattern: {
        "type": ["string", "object"],
        "additionalProperties": _PLAIN,
        "description": "a glob of the whole path, or its parameters by name",
    },
    Condition: {"type": ["string", "boolean"], "description": "one expression in braces"},
    Pattern: {"type": "string", "pattern": f"^/v3({_SEGMENT})+$", "maxLength": 500},
    Texts: _texts,
    Kinds: _kinds,
    Bounds: {"anyOf": [_COUNT, _closed({"at_least": _COUNT, "at_most": _COUNT}, minProperties=1)]},
}

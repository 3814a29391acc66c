"""The JSON Schema of scenarios for editors, generated from the loading schemas.

Every loadable document is valid. The loader alone checks uniqueness, references, expressions and total sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from marshmallow import Schema, fields, validate

from mockserver.beyond.catalogue import catalogue
from mockserver.beyond.stubs.schema import Condition, Pattern
from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.state.behaviour import PRESETS, Behaviour
from mockserver.core.state.faults import FAULT_KINDS, OF_ANSWERS
from mockserver.core.text.addresses import LONGEST_EMAIL
from mockserver.core.time import duration
from mockserver.resources.attributes.section import TYPE_NAMES, NameOrAttribute
from mockserver.resources.contacts.attribute import LONGEST_OPTION
from mockserver.resources.match import Texts
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.resources.scheduled_emails.section import MOST_RECIPIENTS, Base64, PartiesField, PartyField
from mockserver.resources.section import Duration, Id24, Instant, Item, Span
from mockserver.resources.webhooks.section import WrittenDay
from mockserver.scenario.behaviour import After, AuthenticateDomainField, BehaviourItem
from mockserver.scenario.faults import PARAMETERS
from mockserver.scenario.match import PathPattern
from mockserver.scenario.schema import BehaviourField, scenario_schema
from mockserver.scenario.vary import VaryField
from mockserver.web.schemas import json_schema
from mockserver.web.schemas.fields import (
    Day,
    Dict,
    Email,
    Hostname,
    Int64,
    Json,
    JsonObject,
    Number,
    OneOrMany,
    Quantity,
)  # fmt: skip
from mockserver.web.schemas.json_schema import FieldSchema, specification

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
#: An attribute's name, or a mapping of its members.
_ATTRIBUTE = {
    "anyOf": [
        {"type": "string"},
        closed({
            "name": {"type": "string"}, "type": {"enum": TYPE_NAMES}, "value": {"type": "string"},
            "enumeration": {
                "type": "array", "items": closed({"value": _OPTION, "label": _OPTION}, required=["value", "label"])
            },
            "options": {"type": "array", "items": _OPTION},
        }, required=["name"]),
    ]
}  # fmt: skip

_SEED = {"type": "integer", "format": "int64"}
_INT64 = {"minimum": -(2**63), "maximum": 2**63 - 1}
_DRAW = closed(
    {"name": {"type": "string"}, "says": {"type": "string"}, "entry": {"type": "object"}},
    required=["name", "says", "entry"],
)


def _one_or_many(_: Any, known: dict[str, Any]) -> dict[str, Any]:
    items = known.pop("items")
    many = {"type": known.pop("type"), "items": items, "minItems": known.pop("minItems", 0)}
    return {"anyOf": [items, many]}


def _texts(field: Texts, _: dict[str, Any]) -> dict[str, Any]:
    value = {"anyOf": [_PLAIN, {"type": "array", "items": _PLAIN}]} if field.lists else _PLAIN
    return {"type": "object", "additionalProperties": value}


def _behaviour(_: BehaviourField, known: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [{"enum": list(PRESETS)}, {"$ref": known.pop("$ref")}]}


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
    Json: {"type": ["object", "array", "string", "number", "boolean"], "items": {}},
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
    BehaviourField: _behaviour,
    OneOrMany: _one_or_many,
    VaryField: {
        "anyOf": [
            _SEED,
            closed(
                {"seed": _SEED, "draws": {"type": "array", "items": _DRAW}, "announced": {"type": "boolean"}},
                required=["seed", "draws"],
            ),
        ]
    },
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


#: A duration as it is read; years and months are zero, as they have no fixed length.
_LOADED_LENGTH = f"({duration.SHORT}|(?!P[^T]*[1-9][^T]*[YM]){duration.ISO})"
#: RFC 3339; in YAML a moment without a zone and without quotes is one in UTC, and the parts may be apart by blanks.
_MOMENT = (
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?"
    r"([ \t]*([Zz]|[+-][0-9]{1,2}(:?[0-9]{2})?))?"
)
#: Shared definitions.
_DEFINITIONS: dict[str, dict[str, Any]] = {
    "Duration": {
        "type": "string",
        "pattern": f"^(?!-.*[1-9])[+-]?{_LOADED_LENGTH}$",
        "description": "A length of time: 15m, 1h30m, 3d, or ISO 8601 of days at most, PT15M.",
        "examples": ["15m", "1h30m", "3d", "PT15M"],
    },
    "Instant": {
        "type": "string",
        "pattern": f"^({_MOMENT}|[+-]?{_LOADED_LENGTH})$",
        "description": "A moment, RFC 3339, or its distance from the start of the scenario's clock: 15m, -1d.",
        "examples": ["2026-01-15T09:00:00Z", "15m", "-1d", "PT15M"],
    },
}
#: What separates the labels of a name (RFC 3490, 3.1).
_DOTS = "[.\u3002\uff0e\uff61]"


def _email(_: Any, known: dict[str, Any]) -> dict[str, Any]:
    known["format"] = "idn-email"
    return {"pattern": f"^.+@[^@]+{_DOTS}[^@]+$", "maxLength": LONGEST_EMAIL}


def _hostname(_: Any, known: dict[str, Any]) -> dict[str, Any]:
    known["format"] = "idn-hostname"
    return {"pattern": rf"^[^@\s/:?#]+{_DOTS}[^@\s/:?#]+$"}


def _ip(_: Any, known: dict[str, Any]) -> dict[str, Any]:
    del known["format"]
    return {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}


def _uuid(_: Any, known: dict[str, Any]) -> dict[str, Any]:
    del known["format"]  # a UUID without dashes is one here
    return {"minLength": 32}


def _mapping(field: Dict, known: dict[str, Any]) -> dict[str, Any]:
    if "maxLength" in known:
        known["maxProperties"] = known.pop("maxLength")
    choices = [rule.choices for rule in getattr(field.key_field, "validators", ()) if isinstance(rule, validate.OneOf)]
    return {"propertyNames": {"enum": list(choices[0])}} if choices else {}


def _amount(field: Any, _: dict[str, Any]) -> dict[str, Any]:
    if any(isinstance(rule, Quantity) for rule in field.validators):
        fractions = {} if isinstance(field, Int64) else {"not": {"exclusiveMinimum": -1, "exclusiveMaximum": 0}}
        return {**_INT64, "minimum": -1, **fractions}
    return _INT64


_SCENARIO_FORMS: dict[type, FieldSchema] = {
    **FORMS,
    Email: _email,
    Hostname: _hostname,
    fields.IP: _ip,
    fields.UUID: _uuid,
    Dict: _mapping,
    Int64: _amount,
    Number: _amount,
}


DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TITLE = "A scenario of the mock server"
_ABOUT = (
    "What a workspace is made from. Every member may be left out. What belongs to an account may also stand at the "
    "top, and then belongs to the first one. Moments are RFC 3339, or counted from the start of the clock: 15m, -1d."
)
_COMPONENTS = "#/components/schemas/"


@cache
def document() -> dict[str, Any]:
    """Return the JSON Schema of scenarios (dialect 2020-12); the result must not be changed."""
    spec = specification(_SCENARIO_FORMS, title=_TITLE, version="")
    for name, form in _DEFINITIONS.items():
        spec.components.schema(name, form)
    spec.components.schema("ScenarioItem", schema=scenario_schema())
    found: dict[str, Any] = spec.to_dict()["components"]["schemas"]
    for name, default in BehaviourItem().dump(Behaviour()).items():
        found["BehaviourItem"]["properties"][name]["default"] = default
    for name, schema in _schemas(spec):
        _constrain(found[name], getattr(schema, "constraints", {}), schema.__doc__)
    _constrain(found["FaultItem"], {"allOf": [*_of_kinds(), _of_names()]})
    found["OperationName"] = {"enum": sorted({*ALL_OPERATIONS, *catalogue()})}
    found["ErrorCode"] = {"enum": list(ALL_CODES)}
    definitions = {_name(name): _plain(row) for name, row in sorted(found.items())}
    whole = definitions.pop("Scenario")
    _relax(whole, definitions)
    return {"$schema": DIALECT, "title": _TITLE, "description": _ABOUT, **whole, "$defs": definitions}


def _schemas(spec: Any) -> Iterator[tuple[str, type[Schema]]]:
    (plugin,) = spec.plugins
    return ((name, key[0]) for key, name in plugin.converter.refs.items())


def _constrain(schema: dict[str, Any], constraints: dict[str, Any], about: str | None = None) -> None:
    for keyword, value in constraints.items():
        if keyword == "properties":
            for name, more in value.items():
                schema["properties"][name].update(more)
        else:
            schema[keyword] = value
    if about and about not in (Item.__doc__, Schema.__doc__):
        schema.setdefault("description", " ".join(about.split("\n\n")[0].split()))


def _of_kinds() -> Iterator[dict[str, Any]]:
    for name, kind in FAULT_KINDS.items():
        taken: dict[str, Any] = {other: False for other in PARAMETERS if other not in kind.takes}
        needed: dict[str, Any] = {"required": list(kind.required)} if kind.required else {}
        either = [{"required": [one]} for one in ("ms", "distribution")] if name == "latency" else []
        if name == "changed_answer":
            needed = {"anyOf": [{"required": [one]} for one in OF_ANSWERS]}
        then = {"properties": taken, **needed, **({"oneOf": either} if either else {})}
        yield {"if": {"properties": {"fault": {"const": name}}, "required": ["fault"]}, "then": then}


def _of_names() -> dict[str, Any]:
    forced = {"properties": {"force": {"const": True}}, "required": ["force"]}
    operation = {"$ref": f"{_COMPONENTS}OperationName"}
    known = {"operation": {"anyOf": [operation, {"type": "array", "items": operation}]}}
    code = {"$ref": f"{_COMPONENTS}ErrorCode"}
    return {"if": {"not": forced}, "then": {"properties": {"match": {"properties": known}, "code": code}}}


def _name(component: str) -> str:
    return component.removesuffix("Item").removeprefix("_")


def _plain(value: Any) -> Any:
    """Convert an OpenAPI schema to JSON Schema: other references, and no OpenAPI extensions."""
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {**_INT64} if value.get("format") == "int64" and "enum" not in value else {}
    for key, inner in value.items():
        if key == "$ref":
            found[key] = f"#/$defs/{_name(inner.removeprefix(_COMPONENTS))}"
        elif not key.startswith("x-") and not (key == "format" and inner == "int64"):
            found[key] = _plain(inner)
    return found


def _relax(whole: dict[str, Any], definitions: dict[str, Any]) -> None:
    """Require members only without `extends`.

    Mappings and accounts are merged with extended documents; items of other lists are not.
    """
    alone: dict[str, Any] = {}
    for path, name in list(_merged(whole, definitions, ())):
        required = definitions[name].pop("required", None) or alone.get(name)
        if required:
            alone[name] = required
            place = whole.setdefault("then", {})
            for part in path:
                place = place.setdefault(part, {})
            place["required"] = required
    if "then" in whole:
        whole["if"] = {"not": {"required": ["extends"]}}


def _merged(
    schema: dict[str, Any], definitions: dict[str, Any], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield place and definition name of each merged mapping."""
    for member, inner in schema.get("properties", {}).items():
        below = (*path, "properties", member)
        if member == "accounts":
            yield from _merged(definitions["Account"], definitions, (*below, "items"))
        elif "$ref" in inner:
            name = inner["$ref"].removeprefix("#/$defs/")
            yield below, name
            yield from _merged(definitions[name], definitions, below)

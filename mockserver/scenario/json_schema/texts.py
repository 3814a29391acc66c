"""How editors are told what a value of a scenario looks like, as wide as it is loaded."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from mockserver.core.text.addresses import LONGEST_EMAIL
from mockserver.core.time import duration
from mockserver.scenario.json_schema import forms
from mockserver.web.schemas.fields import Dict, Email, Hostname, Int64, Number, Quantity
from mockserver.web.schemas.json_schema import FIELD_SCHEMAS, FieldSchema

#: A duration as it is read; years and months are zero, as they have no fixed length.
_LENGTH = f"({duration.SHORT}|(?!P[^T]*[1-9][^T]*[YM]){duration.ISO})"
#: RFC 3339; in YAML a moment without a zone and without quotes is one in UTC, and the parts may be apart by blanks.
_MOMENT = (
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?"
    r"([ \t]*([Zz]|[+-][0-9]{1,2}(:?[0-9]{2})?))?"
)
#: What stands in the schema once, and is pointed at.
DEFINITIONS: dict[str, dict[str, Any]] = {
    "Duration": {
        "type": "string",
        "pattern": f"^(?!-.*[1-9])[+-]?{_LENGTH}$",
        "description": "A length of time: 15m, 1h30m, 3d, or ISO 8601 of days at most, PT15M.",
        "examples": ["15m", "1h30m", "3d", "PT15M"],
    },
    "Instant": {
        "type": "string",
        "pattern": f"^({_MOMENT}|[+-]?{_LENGTH})$",
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
    """A number; a quantity is 0 or more, or -1 for unlimited."""
    kind = Int64 if isinstance(field, Int64) else Number
    own = FIELD_SCHEMAS[kind]
    bounds = own if isinstance(own, dict) else {}
    if any(isinstance(rule, Quantity) for rule in field.validators):
        return {
            **bounds,
            "minimum": -1,
            **({} if kind is Int64 else {"not": {"exclusiveMinimum": -1, "exclusiveMaximum": 0}}),
        }
    return bounds


FORMS: dict[type, FieldSchema] = {
    **forms.FORMS,
    Email: _email,
    Hostname: _hostname,
    fields.IP: _ip,
    fields.UUID: _uuid,
    Dict: _mapping,
    Int64: _amount,
    Number: _amount,
}

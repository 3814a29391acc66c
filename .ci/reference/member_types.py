"""What members take, by their JSON Schema, in few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reference.tables import code, flow

#: Where the definitions of the JSON Schema that have a page of their own are told.
ELSEWHERE = {
    "Behaviour": "#behaviour", "Fault": "faults.md#fault", "Match": "faults.md#match",
    "Distribution": "faults.md#distribution", "Stub": "stubs.md#stub", "ContentMatch": "stubs.md#contentmatch",
}  # fmt: skip
#: What JSON calls its types, in words.
_TYPES = {
    "string": "text", "integer": "integer", "number": "number", "boolean": "boolean", "null": "null",
    "object": "mapping", "array": "list",
}  # fmt: skip
#: More choices than these are counted. Chosen: to see at once that a list is long.
_MOST_CHOICES = 8
#: Formats of texts, in words.
_FORMATS = {
    "idn-email": "e-mail", "idn-hostname": "domain", "uri": "URL", "date": "day",
    "email": "e-mail", "hostname": "domain", "date-time": "moment", "uuid": "UUID",
}  # fmt: skip
#: Bounds beyond which a number is not worth telling: those of 53 bits and more.
_IMMENSE = 2**53


def typed(schema: Mapping[str, Any]) -> str:
    """What a member takes, in few words."""
    if "$ref" in schema:
        return _linked(schema["$ref"].rpartition("/")[2])
    if "enum" in schema:
        return _choices(schema["enum"])
    if "const" in schema:
        return code(schema["const"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema and not all("format" in inner or "pattern" in inner for inner in schema[keyword]):
            return " or ".join(dict.fromkeys(typed(inner) for inner in schema[keyword]))
    types = schema.get("type", [])
    if isinstance(types, list) and {"string", "number", "boolean"} <= {*types}:
        return "any value" if "object" in types else "plain value"
    return " or ".join(_of_type(kind, schema) for kind in ([types] if isinstance(types, str) else types)) or "any value"


def _choices(values: Iterable[Any]) -> str:
    found = [code(flow(value)) for value in values]
    return ", ".join(found) if len(found) <= _MOST_CHOICES else f"one of {len(found)}: {', '.join(found)}"


def _of_type(kind: str, schema: Mapping[str, Any]) -> str:
    if kind == "array":
        return f"list of {typed(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"mapping to {typed(schema['additionalProperties'])}"
    if kind == "object" and schema.get("properties"):
        return code("{" + ", ".join(schema["properties"]) + "}")
    if kind in ("integer", "number"):
        return f"{_TYPES[kind]}{_range(schema)}"
    return _FORMATS.get(schema.get("format", ""), _TYPES[kind]) if kind == "string" else _TYPES[kind]


def _range(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    least = None if least is None or least <= -_IMMENSE else f"{least:,.10g}"
    most = None if most is None or most >= _IMMENSE else f"{most:,.10g}"
    if least is not None and most is not None:
        return f" {least} to {most}"
    return f" ≥ {least}" if least is not None else f" ≤ {most}" if most is not None else ""


def _linked(name: str) -> str:
    if name in ("Duration", "Instant"):
        return {"Duration": "duration", "Instant": "moment"}[name]
    if name in ("OperationName", "ErrorCode"):
        return {"OperationName": "id of an operation", "ErrorCode": "error code"}[name]
    return f"[{name}]({ELSEWHERE.get(name, f'#{name.lower()}')})"

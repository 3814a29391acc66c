"""The JSON Schema of scenarios, as editors use it: what the loader takes, as far as such a schema can say it.

Whatever loads is valid. What a schema cannot say is left to the loader: that a name is there once, that one thing names
another one that exists, what an expression means, how much there is of everything together.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from marshmallow import Schema

from mockserver.beyond.catalogue import catalogue
from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.state.faults import FAULT_KINDS
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.resources.section import Item
from mockserver.scenario.behaviour import BehaviourItem
from mockserver.scenario.json_schema import texts
from mockserver.scenario.rules.faults import PARAMETERS
from mockserver.scenario.schema import scenario_schema
from mockserver.web.schemas.json_schema import specification

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TITLE = "A scenario of the mock server"
_ABOUT = (
    "What a workspace is made from. Every member may be left out. What belongs to an account may also stand at the "
    "top, and then belongs to the first one. Moments are RFC 3339, or counted from the start of the clock: 15m, -1d."
)
_COMPONENTS = "#/components/schemas/"


@cache
def document() -> dict[str, Any]:
    """The JSON Schema of scenarios, of the dialect 2020-12, as plain data that nobody changes."""
    spec = specification(texts.FORMS, title=_TITLE, version="")
    for name, form in texts.DEFINITIONS.items():
        spec.components.schema(name, form)
    spec.components.schema("ScenarioItem", schema=scenario_schema())
    found: dict[str, Any] = spec.to_dict()["components"]["schemas"]
    _add_defaults(found["BehaviourItem"])
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
    """The schemas that apispec has met, each with the name of its component."""
    (plugin,) = spec.plugins
    return ((name, key[0]) for key, name in plugin.converter.refs.items())


def _add_defaults(behaviour: dict[str, Any]) -> None:
    """Let each member tell what holds without it."""
    for name, default in BehaviourItem().dump(Behaviour()).items():
        behaviour["properties"][name]["default"] = default


def _constrain(schema: dict[str, Any], constraints: dict[str, Any], about: str | None = None) -> None:
    """Add what holds between the members of a schema, and what that stands for."""
    for keyword, value in constraints.items():
        if keyword == "properties":
            for name, more in value.items():
                schema["properties"][name].update(more)
        else:
            schema[keyword] = value
    if about and about not in (Item.__doc__, Schema.__doc__):
        schema.setdefault("description", " ".join(about.split("\n\n")[0].split()))


# ---------------------------------------------------------------------- faults


def _of_kinds() -> Iterator[dict[str, Any]]:
    """Which parameters a fault of each kind takes."""
    for name, kind in FAULT_KINDS.items():
        taken: dict[str, Any] = {other: False for other in PARAMETERS if other not in kind.parameters}
        needed = {"required": list(kind.required)} if kind.required else {}
        either = [{"required": [one]} for one in ("ms", "distribution")] if name == "latency" else []
        then = {"properties": taken, **needed, **({"oneOf": either} if either else {})}
        yield {"if": {"properties": {"fault": {"const": name}}, "required": ["fault"]}, "then": then}


def _of_names() -> dict[str, Any]:
    """That operations and codes are those that there are, unless the fault is written with force."""
    forced = {"properties": {"force": {"const": True}}, "required": ["force"]}
    operation = {"$ref": f"{_COMPONENTS}OperationName"}
    known = {"operation": {"anyOf": [operation, {"type": "array", "items": operation}]}}
    code = {"$ref": f"{_COMPONENTS}ErrorCode"}
    return {"if": {"not": forced}, "then": {"properties": {"match": {"properties": known}, "code": code}}}


# ---------------------------------------------------------------------- the form of the document


def _name(component: str) -> str:
    return component.removesuffix("Item").removeprefix("_")


def _plain(value: Any) -> Any:
    """A part of the document of OpenAPI as one of the schema: other references, and nothing that only OpenAPI has."""
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, inner in value.items():
        if key == "$ref":
            found[key] = f"#/$defs/{_name(inner.removeprefix(_COMPONENTS))}"
        elif not key.startswith("x-") and not (key == "format" and inner == "int64"):
            found[key] = _plain(inner)
    return found


def _relax(whole: dict[str, Any], definitions: dict[str, Any]) -> None:
    """Ask for members only where no other document can have them.

    Mappings are merged with those of the document that is extended, accounts too; items of other lists are not.
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
    """The mappings that are merged: their places in a schema, and the names of their definitions."""
    for member, inner in schema.get("properties", {}).items():
        below = (*path, "properties", member)
        if member == "accounts":
            yield from _merged(definitions["Account"], definitions, (*below, "items"))
        elif "$ref" in inner:
            name = inner["$ref"].removeprefix("#/$defs/")
            yield below, name
            yield from _merged(definitions[name], definitions, below)

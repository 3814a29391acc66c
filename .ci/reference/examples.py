"""Examples of what scenarios have, out of the shipped ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import yaml

from mockserver.scenario.documents.library import Library
from mockserver.scenario.json_schema import document as json_schema
from reference.tables import flow

#: The longest example of a member, in characters. Chosen: to fit on a screen without scrolling sideways too far.
_LONGEST_EXAMPLE = 200
#: The fewest members of an example. Chosen: one with fewer says no more than the list of the members.
_FEWEST_MEMBERS = 4


@cache
def examples() -> dict[str, str]:
    """The fullest thing of each kind in the shipped scenarios that fits on a line."""
    found: dict[str, str] = {}
    for name in Library().names():
        written = json.loads(
            json.dumps(yaml.safe_load(Library().text(name)), default=lambda moment: moment.isoformat())
        )
        for kind, value in _instances(json_schema(), written):
            text = flow(value)
            if len(found.get(kind, "")) < len(text) <= _LONGEST_EXAMPLE and "`" not in text:
                found[kind] = text
    return found


def _instances(schema: Mapping[str, Any], value: Any) -> Iterator[tuple[str, Any]]:
    """What stands in a document, with the names of the definitions that it is an instance of."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if isinstance(value, dict) and len(value) >= _FEWEST_MEMBERS:
            yield name, value
        yield from _instances(json_schema()["$defs"][name], value)
    for inner in schema.get("anyOf", ()):
        yield from _instances(inner, value)
    if isinstance(value, dict):
        for member, row_ in schema.get("properties", {}).items():
            if member in value:
                yield from _instances(row_, value[member])
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for item in value:
            yield from _instances(schema["items"], item)

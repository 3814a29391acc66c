"""Compare the shape of an answer of the service with our document and an answer of the mock: types, never values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

#: The JSON type of each Python type that `json.loads` returns.
_TYPES = {
    dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null",
}  # fmt: skip
#: The names of unknown members that are shown, and how many of an object. Chosen: an API names its members like this;
#: an object with more may be a mapping whose names are data of the account.
_SHOWN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_MOST_SHOWN = 8

Schema = Mapping[str, Any]


class Shapes:
    """The result of comparing one answer of the service.

    Args:
        components: The schemas of our OpenAPI document by name.
        answer: The body of the service's answer, whose values are never shown.
    """

    def __init__(self, components: Mapping[str, Schema], answer: Any) -> None:
        self._components, self._answer = components, answer
        self._texts = frozenset(_texts(answer))

    def differences(self, schema: Schema | None, twin: Any) -> list[str]:
        """Return how the answer differs from what a schema and the mock's answer allow, each difference once."""
        found = self._compare(self._answer, [schema] if schema else [], [twin], "")
        return list(dict.fromkeys(found))

    def _compare(self, value: Any, schemas: Sequence[Schema], twins: Sequence[Any], path: str) -> Iterator[str]:
        schemas = [row for schema in schemas for row in self._alternatives(schema)]
        declared = {name for schema in schemas for name in _declared(schema)}
        legal = declared | {_TYPES[type(twin)] for twin in twins}
        is_open = any(not _declared(schema) for schema in schemas)  # the document does not say the type
        here = _TYPES[type(value)]
        if here not in legal and not (here == "integer" and "number" in legal) and not (is_open and not twins):
            if legal:
                yield f"{path or 'body'}: {here} instead of {' or '.join(sorted(legal))}"
        elif isinstance(value, dict):
            yield from self._compare_members(value, schemas, [twin for twin in twins if isinstance(twin, dict)], path)
        elif isinstance(value, list):
            items = [schema["items"] for schema in schemas if "items" in schema]
            rows = [row for twin in twins if isinstance(twin, list) for row in twin]
            for row in value:
                yield from self._compare(row, items, rows, f"{path}[]")

    def _compare_members(
        self, value: Mapping[str, Any], schemas: Sequence[Schema], twins: Sequence[Mapping[str, Any]], path: str
    ) -> Iterator[str]:
        if any("additionalProperties" in schema for schema in schemas) or not (schemas or twins):
            return  # the names are the account's, as those of attributes
        prefix = f"{path}." if path else ""
        needed = [set(schema.get("required", ())) for schema in schemas if "object" in _declared(schema)]
        always = set.intersection(*needed) if needed else {name for twin in twins for name in twin}
        always = always.intersection(*twins) if twins else always
        yield from (f"{prefix}{name}: missing" for name in sorted(always - value.keys()))
        unknown = []
        for name, inner in value.items():
            declared = [schema["properties"][name] for schema in schemas if name in schema.get("properties", ())]
            same = [twin[name] for twin in twins if name in twin]
            if declared or same:
                yield from self._compare(inner, declared, same, f"{prefix}{name}")
            else:
                unknown.append(name)
        shown = [name for name in unknown if _SHOWN_NAME.fullmatch(name) and name not in self._texts]
        if len(unknown) > _MOST_SHOWN:
            shown = []
        yield from (f"{prefix}{name}: new, {_TYPES[type(value[name])]}" for name in sorted(shown))
        if len(shown) < len(unknown):
            yield f"{path or 'body'}: new members, whose names are not shown as they may be data of the account"

    def _alternatives(self, schema: Schema) -> Iterator[Schema]:
        """Yield the schemas without references and alternatives that a schema stands for."""
        if "$ref" in schema:
            yield from self._alternatives(self._components[schema["$ref"].rpartition("/")[2]])
            return
        rows = [row for name in ("oneOf", "anyOf", "allOf") for row in schema.get(name, ())]
        if not rows or "type" in schema:
            yield schema
        for row in rows if "type" not in schema else ():
            yield from self._alternatives(row)


def unseen(value: Any, twin: Any, path: str = "") -> Iterator[str]:
    """Yield empty lists in an answer of the service: the shape of their rows is unknown.

    Lists of a member that the mock's answer lacks are left out.
    """
    if isinstance(value, list) and isinstance(twin, list):
        if twin and not value:
            yield f"{path}[]"
        for row in value[:1]:
            yield from unseen(row, twin[0] if twin else None, f"{path}[]")
    elif isinstance(value, dict) and isinstance(twin, dict):
        for name in twin:
            yield from unseen(value.get(name), twin[name], f"{path}.{name}" if path else name)


def _declared(schema: Schema) -> Iterable[str]:
    found = schema.get("type", ())
    return [found] if isinstance(found, str) else found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for row in value.values() if isinstance(value, dict) else value:
            yield from _texts(row)

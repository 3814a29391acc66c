"""The smallest value of a schema: an example, a default, a listed value, else required members and short texts."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from jsonref import JsonRef

from mockserver.beyond.openapi.document import Document, LeftOutError
from mockserver.beyond.openapi.scalars import smallest_number, smallest_text
from mockserver.core.text.given import shown

#: The most levels of schemas within each other. Chosen: half of what a document may have, which must hold the answer.
_DEEPEST = 50
#: Keywords that a made value could break: a schema with one of them needs an example.
_TOO_MUCH = frozenset({"pattern", "not", "if", "contains", "dependentSchemas", "dependentRequired", "$dynamicRef"})
#: Other keywords that matter, without those that `_keywords` handles one by one.
_MATTER = _TOO_MUCH | {"format", "uniqueItems", "prefixItems", "patternProperties", "discriminator"}
_LOWER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems"})
_IS: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
#: The keywords by which the type of a schema without `type` is known.
_TELLING = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"},
    "string": {"format", "minLength", "maxLength"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
}


def _common(one: list[Any], other: list[Any]) -> list[Any]:
    found = [value for value in one if value in other]
    if not found:
        raise LeftOutError("schemas that hold together have no type or no listed value in common")
    return found


def _multiple(one: Fraction, other: Fraction) -> Fraction:
    if one != other:
        raise LeftOutError("a number has to be a multiple of several numbers")
    return one


def _properties(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {**one, **other, **{name: _all_of(one[name], other[name]) for name in one.keys() & other.keys()}}


def _all_of(*schemas: Any) -> dict[str, Any]:
    return {"allOf": [*schemas]}


#: What two values of a keyword mean together; of other keywords the first one holds.
_JOINS: Mapping[str, Callable[[Any, Any], Any]] = {
    **dict.fromkeys(_LOWER, max), **dict.fromkeys(_UPPER, min), "multipleOf": _multiple,
    "type": _common, "enum": _common, "required": operator.add, "properties": _properties,
    "items": _all_of, "additionalProperties": _all_of,
}  # fmt: skip


class Sampler:
    """Makes values for the schemas of a document."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def value(self, schema: Any, examples: Sequence[Any] = (), level: int = 0) -> Any:
        """Return the first example with the right type, else the smallest value of a schema.

        Raises:
            LeftOutError: no value was found.
        """
        if level > _DEEPEST:
            raise LeftOutError(f"its schema requires itself, or has more than {_DEEPEST} levels")
        found = self._merged(schema)
        types = found.get("type")
        listed = found.get("enum")
        own = [self._document.plain(found[name]) for name in ("example", "default") if name in found]
        whole = [value for value in own if not isinstance(value, dict) or value.keys() >= set(self._required(found))]
        for value in (*examples, *whole, *(listed or ())):
            if (types is None or any(_IS[name](value) for name in types)) and (listed is None or value in listed):
                return value
        if listed is not None:
            raise LeftOutError("no listed value has the type of its schema")
        if not _TOO_MUCH.isdisjoint(found):
            raise LeftOutError(f"a schema has {min(_TOO_MUCH & found.keys())} and no example")
        told = (name for name, keywords in _TELLING.items() if not keywords.isdisjoint(found))
        return self._made(
            next((name for name in types or told if name != "null"), "null" if types else "object"), found, level
        )

    # ------------------------------------------------------------------ schemas that hold together

    def _merged(self, schema: Any) -> dict[str, Any]:
        """Merge a schema with those of its references and `allOf`, and with the first branch of each choice."""
        found: dict[str, Any] = {}
        waiting, seen = [schema], set()
        while waiting:
            part = waiting.pop()
            self._document.take()
            if id(part) in seen or part is True:
                continue
            seen.add(id(part))
            inner = []
            if isinstance(part, JsonRef):
                inner.append(self._document.resolved(part))
                part = part.__reference__ if self._document.heeds_siblings else {}
            if not isinstance(part, dict):
                raise LeftOutError(
                    "a schema allows nothing" if part is False else f"expected a schema, got {shown(part)}"
                )
            for name, value in self._keywords(part):
                found[name] = self._joined(name, found[name], value) if name in found else value
            inner += self._document.get(part, "allOf", list)
            inner += [
                (self._document.get(part, name, list) or [False])[0] for name in ("oneOf", "anyOf") if name in part
            ]
            waiting += reversed(inner)
        return found

    def _keywords(self, part: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """Yield the keywords of a schema, each checked and as 3.1 has it; `examples` and `const` as their likes."""
        for name, written in part.items():
            self._document.take()
            if name in ("example", "default", "items", "additionalProperties"):
                yield name, written
            elif name == "const":
                yield "enum", [self._document.plain(written)]
            elif name == "examples" and isinstance(written, list) and written:
                yield "example", written[0]
            elif name == "type" and written is not None:
                yield name, self._types(part)
            elif name in _LOWER | _UPPER | {"multipleOf"}:
                yield from self._bound(part, name)
            elif name == "properties":
                yield name, self._document.get(part, name, dict)
            elif name == "enum":
                yield name, self._document.plain(self._document.get(part, name, list))
            elif name == "required" and not isinstance(written, bool):  # a flag in older documents
                yield name, self._names(self._document.get(part, name, list))
            elif name in _MATTER:
                yield name, self._document.resolved(written)

    def _types(self, part: dict[str, Any]) -> list[str]:
        written = self._document.resolved(part["type"])
        names = [self._document.resolved(name) for name in (written if isinstance(written, list) else [written])]
        wrong = [name for name in names if not isinstance(name, str) or name not in _IS]
        if wrong:
            raise LeftOutError(f"type: expected a type of JSON, got {shown(wrong[0])}")
        nullable = self._document.get(part, "nullable") is True
        return [*dict.fromkeys(names + ["integer"] * ("number" in names) + ["null"] * nullable)]

    def _names(self, written: list[Any]) -> list[str]:
        names = [self._document.resolved(name) for name in written]
        if not all(isinstance(name, str) for name in names):
            raise LeftOutError("required: expected a list of names")
        return names

    def _bound(self, part: dict[str, Any], name: str) -> Iterator[tuple[str, Fraction]]:
        value = self._document.get(part, name)
        if isinstance(value, bool) and name.startswith("exclusive"):  # a flag of `minimum` or `maximum` in 3.0
            value = self._document.get(part, name.removeprefix("exclusive").lower()) if value else None
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise LeftOutError(f"{name}: expected a number, got {shown(value)}")
        if value is not None:
            yield name, Fraction(str(value))

    def _joined(self, name: str, one: Any, other: Any) -> Any:
        if isinstance(one, list | dict):
            self._document.take(len(one) * (len(other) if name == "enum" else 1))
        return _JOINS[name](one, other) if name in _JOINS else one

    # ------------------------------------------------------------------ values by type

    def _made(self, type_: str, found: dict[str, Any], level: int) -> Any:
        match type_:
            case "object":
                return self._object(found, level)
            case "array":
                least, most = math.ceil(found.get("minItems", 0)), found.get("maxItems", math.inf)
                if least > most or (least and "prefixItems" in found) or (least > 1 and found.get("uniqueItems")):
                    raise LeftOutError("an array has to have items that differ, or more items than it may have")
                return [self.value(found.get("items", True), level=level + 1) for _ in range(least)]
            case "string":
                text = smallest_text(found)
                self._document.take(len(text) // 10)
                return text
            case "integer" | "number":
                return smallest_number(found, is_whole=type_ == "integer")
        return False if type_ == "boolean" else None

    def _object(self, found: dict[str, Any], level: int) -> dict[str, Any]:
        made = {}
        properties, others = found.get("properties", {}), found.get("additionalProperties", True)
        for name in self._required(found):
            if name not in properties and "patternProperties" in found:
                raise LeftOutError(f"patternProperties may say what {shown(name)} is")
            inner = properties.get(name, others)
            made[name] = self.value(inner, level=level + 1)
        kind = self._document.get(found.get("discriminator"), "propertyName")
        if isinstance(kind, str) and made.get(kind) == "":
            raise LeftOutError(f"the discriminator {shown(kind)} has no value in its schema")
        if len(made) < found.get("minProperties", 0):
            raise LeftOutError("an object has to have more members than those that are required")
        return made

    def _required(self, found: dict[str, Any]) -> list[str]:
        """Return the names of required members, without those of requests only."""
        properties, names = found.get("properties", {}), dict.fromkeys(found.get("required", ()))
        return [name for name in names if self._document.get(properties.get(name), "writeOnly") is not True]

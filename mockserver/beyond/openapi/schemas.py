"""The smallest value of a schema: an example, a listed value, a default, else required members and short texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any

from jsonref import JsonRef

from mockserver.beyond.openapi.document import Document, LeftOutError
from mockserver.core.text.messages import shown
from mockserver.web.schemas.json_text import INT64

#: The most levels of schemas within each other, chosen as half of what a document may have, which must hold the answer,
#: and the most characters of a text: a stub has no room for more.
_DEEPEST, _LONGEST = 50, 65_536
#: Keywords that a made value could break: a schema with one of them needs an example.
_TOO_MUCH = frozenset({
    "pattern", "not", "if", "contains", "prefixItems", "dependentSchemas", "dependentRequired", "patternProperties",
    "minProperties", "$dynamicRef",
})  # fmt: skip
#: What a number is to its bounds.
_FITS: Mapping[str, Callable[[float, float], bool]] = {
    "minimum": ge, "exclusiveMinimum": gt, "maximum": le, "exclusiveMaximum": lt,
    "multipleOf": lambda number, bound: bound > 0 and number % bound == 0,
}  # fmt: skip
_BOUNDS = (*_FITS, "minLength", "maxLength", "minItems", "maxItems")
#: Keywords in which schemas of `allOf` may not differ, as their values are not joined.
_EQUAL = frozenset({*_BOUNDS, "type", "enum", "const", "items", "additionalProperties"})
#: The types of JSON; to Python a boolean is a number as well.
_TYPES: Mapping[str, Any] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": int | float, "boolean": bool,
    "null": type(None),
}  # fmt: skip
#: The type of a schema without `type`, by keywords that it has; else it is an object.
_TELLING = {
    "array": {"items", "minItems", "uniqueItems"}, "string": {"format", "minLength", "maxLength"}, "number": {*_FITS},
}  # fmt: skip
#: Texts of the formats that an empty text does not fit; the names and addresses are those of RFC 2606 and RFC 5737.
_TEXTS = {
    "date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "time": "00:00:00Z", "duration": "P1D",
    "email": "user@example.com", "hostname": "example.com", "uri": "https://example.com", "url": "https://example.com",
    "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uuid": "00000000-0000-4000-8000-000000000000",
}  # fmt: skip


class Sampler:
    """Makes values for the schemas of a document. Its methods raise LeftOutError if there is no value."""

    def __init__(self, document: Document) -> None:
        self._document, self._get = document, document.get

    def value(self, schema: Any, examples: Sequence[Any] = (), level: int = 0) -> Any:
        """Return the first example that has the right type, else the smallest value of a schema."""
        if level > _DEEPEST:
            raise LeftOutError(f"its schema requires itself, or has more than {_DEEPEST} levels")
        found = self._merged(schema)
        types, required, listed = self._types(found), self._required(found), self._get(found, "enum", list)
        listed = self._document.plain([found["const"]] if "const" in found else listed)
        for value in (*examples, *self._examples(found, required), *listed):
            if _has_type(value, types) and (not listed or value in listed):
                return value
        if listed or not _TOO_MUCH.isdisjoint(found):
            raise LeftOutError(f"a schema has {min(_TOO_MUCH & found.keys(), default='enum')} and no example that fits")
        told = (name for name, keywords in _TELLING.items() if not keywords.isdisjoint(found))
        type_ = next((name for name in types if name != "null"), "null") if types else next(told, "object")
        return self._made(type_, found, required, level + 1)

    def _merged(self, schema: Any) -> dict[str, Any]:
        """Merge a schema with those of its references and `allOf`, and with the first branch of each choice."""
        found, waiting, seen = dict[str, Any](), [schema], set[int]()
        while waiting:
            part, inner = waiting.pop(), []
            if id(part) in seen or part is True:
                continue
            seen.add(id(part))
            if isinstance(part, JsonRef):
                inner.append(self._document.resolved(part))
                part = part.__reference__ if self._document.heeds_siblings else {}
            if not isinstance(part, dict):
                raise LeftOutError("a schema allows nothing" if part is False else f"{shown(part)} is not a schema")
            for name in part:
                self._document.take()
                found[name] = self._joined(name, found, part) if name in found else part[name]
            inner += self._get(part, "allOf", list)
            inner += [(self._get(part, name, list) or [False])[0] for name in ("oneOf", "anyOf") if name in part]
            waiting += reversed(inner)
        return found

    def _joined(self, name: str, found: dict[str, Any], part: dict[str, Any]) -> Any:
        """Return what the values of a keyword in two schemas mean together."""
        if name in ("properties", "required"):
            kind = dict if name == "properties" else list
            one, other = self._get(found, name, kind), self._get(part, name, kind)
            self._document.take(len(one))
            if kind is list:
                return one + other
            return {**one, **other, **{key: {"allOf": [one[key], other[key]]} for key in one.keys() & other.keys()}}
        if name in _EQUAL and self._document.plain(found[name]) != self._document.plain(part[name]):
            raise LeftOutError(f"schemas that hold together differ in {name}")
        return found[name]

    def _types(self, found: dict[str, Any]) -> list[str]:
        """Return the types that a schema allows, none if it names none."""
        written = self._get(found, "type") or []
        names = self._document.plain(written if isinstance(written, list) else [written])
        if not all(isinstance(name, str) and name in _TYPES for name in names):
            raise LeftOutError(f"type: expected types of JSON, got {shown(written)}")
        return [*names, "null"] if names and self._get(found, "nullable") is True else names

    def _required(self, found: dict[str, Any]) -> list[str]:
        """Return the names of required members, without those of requests only."""
        is_flag, properties = isinstance(self._get(found, "required"), bool), self._get(found, "properties", dict)
        names = [] if is_flag else self._get(found, "required", list)  # a flag is a habit of older documents
        if not all(type(name) is str for name in names):
            raise LeftOutError("required: expected a list of names")
        return [name for name in dict.fromkeys(names) if self._get(properties.get(name), "writeOnly") is not True]

    def _examples(self, found: dict[str, Any], required: list[str]) -> list[Any]:
        """Return the examples and the default of a schema; an object needs the members that are required."""
        first, last = ([found[name]] if name in found else [] for name in ("example", "default"))
        several = self._get(found, "examples")  # in 3.0 it is not a keyword of schemas
        values = self._document.plain([*first, *(several if isinstance(several, list) else ()), *last])
        return [value for value in values if not isinstance(value, dict) or value.keys() >= set(required)]

    def _bounds(self, found: dict[str, Any]) -> dict[str, int | float]:
        """Return the numeric bounds; `exclusiveMinimum: true`, as 3.0 has it, makes `minimum` exclusive."""
        bounds: dict[str, int | float] = {}
        for name in _BOUNDS:
            value = self._get(found, name)
            if value is True and name.startswith("exclusive"):
                value = self._get(found, name.removeprefix("exclusive").lower())
            if isinstance(value, int | float) and not isinstance(value, bool):
                bounds[name] = value
            elif value is not None and value is not False:
                raise LeftOutError(f"{name}: expected a number, got {shown(value)}")
        return bounds

    def _made(self, type_: str, found: dict[str, Any], required: list[str], level: int) -> Any:
        """Return the smallest value of a type."""
        bounds = self._bounds(found)
        match type_:
            case "object":
                properties, others = self._get(found, "properties", dict), found.get("additionalProperties", True)
                made = {name: self.value(properties.get(name, others), level=level) for name in required}
                kind = self._get(found.get("discriminator"), "propertyName")
                if isinstance(kind, str) and made.get(kind) == "":
                    raise LeftOutError(f"the discriminator {shown(kind)} has no value in its schema")
                return made
            case "array":
                least = math.ceil(bounds.get("minItems", 0))
                if least > bounds.get("maxItems", least) or (least > 1 and self._get(found, "uniqueItems")):
                    raise LeftOutError("an array has to have items that differ, or more than it may have")
                return [self.value(found.get("items", True), level=level) for _ in range(least)]
            case "string":
                format_ = self._get(found, "format")
                least = math.ceil(bounds.get("minLength", 0))
                text = _TEXTS.get(format_ if isinstance(format_, str) else "") or "a" * min(least, _LONGEST)
                self._document.take(len(text) // 10)
                if least <= len(text) <= bounds.get("maxLength", _LONGEST):
                    return text
                raise LeftOutError(f"a text has to have a length that {shown(text)} does not have")
            case "integer" | "number":
                return _number({name: bounds[name] for name in _FITS if name in bounds}, is_whole=type_ == "integer")
        return False if type_ == "boolean" else None


def _has_type(value: Any, types: list[str]) -> bool:
    named = (name for name in types or _TYPES if isinstance(value, bool) is (name == "boolean"))
    return any(isinstance(value, _TYPES[name]) for name in named)


def _number(bounds: Mapping[str, int | float], *, is_whole: bool) -> int | float:
    """Return the first of 0, the bounds and the numbers beside them that fits all bounds."""
    for number in (0, *(bound + more for bound in bounds.values() for more in (0, 1, -1))):
        whole = int(number)
        is_written = whole in INT64 if whole == number else not is_whole
        if is_written and all(_FITS[name](number, bound) for name, bound in bounds.items()):
            return whole if whole == number else number
    raise LeftOutError("no simple number fits the bounds of a schema")

"""Stubs from an OpenAPI document, 3.0 or 3.1: for each operation the smallest answer that the document allows."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from jsonref import JsonRef, JsonRefError, replace_refs
from marshmallow import ValidationError

from mockserver.beyond.stubs.schema import METHODS, MOST_STUBS, StubItem, overlap
from mockserver.core.text.messages import shown
from mockserver.resources.registry import API_OPERATIONS
from mockserver.web.schemas.errors import messages_in
from mockserver.web.schemas.json_text import INT64

#: The most steps for an operation and for a document, each a look at one part; all of them take some seconds. A circle
#: of references takes many, as `jsonref` follows it as deep as Python allows.
_MOST_STEPS, _MOST_STEPS_OF_ALL, _CIRCLE = 100_000, 3_000_000, 5_000
#: The most paths of a document. Chosen: ten times those of the largest public documents.
_MOST_PATHS = 10_000


class DocumentError(ValueError):
    """An unreadable OpenAPI document: the error's path and message."""


class LeftOutError(Exception):
    """The reason for skipping an operation."""


class Document:
    """An OpenAPI document. Its methods raise LeftOutError if a part cannot be read.

    A reference stays a proxy until it is read, so that a broken one concerns only the operations that use it.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        version, paths = root.get("openapi", root.get("swagger")), root.get("paths")
        if "openapi" not in root or not str(version).startswith(("3.0", "3.1")):
            raise DocumentError(("openapi",), f"expected an OpenAPI document, 3.0 or 3.1, got {shown(version)}")
        if not isinstance(paths, dict) or len(paths) > _MOST_PATHS:
            raise DocumentError(("paths",), f"expected a mapping of at most {_MOST_PATHS:,} paths, got {shown(paths)}")
        #: Whether members beside a `$ref` count, as in 3.1.
        self.heeds_siblings = not str(version).startswith("3.0")
        checked = {**root, "$ref": None, "paths": {**paths, "$ref": None}}  # these two are not references
        try:
            self.root = replace_refs(checked, loader={}.__getitem__)
        except (JsonRefError, ValueError) as error:  # it resolves a reference that stands in the place of one's text
            raise DocumentError((), "a `$ref` is a reference itself, expected a text") from error
        self._left, self._left_of_all = _MOST_STEPS, _MOST_STEPS_OF_ALL

    def begin(self) -> None:
        """Reset the step limit for the next operation."""
        self._left_of_all -= _MOST_STEPS - self._left
        self._left = min(_MOST_STEPS, self._left_of_all)

    def take(self, steps: int = 1) -> None:
        """Count steps, and raise LeftOutError over the limit."""
        self._left -= steps
        if self._left < 0:
            raise LeftOutError("its schema, or those before it, are too large or repeat themselves too often")

    def resolved(self, value: Any) -> Any:
        """Return a value, or a reference's target within the document."""
        self.take()
        if not isinstance(value, JsonRef):
            return value
        self.take(len(value.__reference__["$ref"]) // 10)
        try:
            return value.__subject__
        except RecursionError as error:
            self.take(_CIRCLE)
            raise LeftOutError(f"the reference {shown(value.__reference__['$ref'])} leads in a circle") from error
        except (JsonRefError, ValueError) as error:
            text = getattr(error, "reference", value.__reference__)["$ref"]
            why = "leads nowhere" if text.startswith("#") else "leads to another document, and nothing is fetched"
            raise LeftOutError(f"the reference {shown(text)} {why}") from error

    def raw(self, owner: Any, name: str, default: Any = None) -> Any:
        """Return an unresolved member of a mapping or of a reference's target, or the default."""
        found = self.resolved(owner)
        return found.get(name, default) if isinstance(found, dict) else default

    def get(self, owner: Any, name: str, kind: type[Any] | None = None) -> Any:
        """Return a resolved member or None; with `kind`, list or dict, an empty collection instead of None."""
        value = self.resolved(self.raw(owner, name))
        if kind is None or isinstance(value, kind):
            return value
        if value is not None:
            raise LeftOutError(f"{name}: expected a {'list' if kind is list else 'mapping'}, got {shown(value)}")
        return kind()

    def plain(self, value: Any) -> Any:
        """Return an example as plain data; `$ref` within an example is an ordinary member."""
        value = value.__reference__ if isinstance(value, JsonRef) else value
        self.take(1 + len(value) // 10 if isinstance(value, str) else 1)
        if isinstance(value, dict):
            return {name: self.plain(inner) for name, inner in value.items()}
        return [self.plain(inner) for inner in value] if isinstance(value, list) else value


#: The most nested schemas, half of a document's levels, and the longest text: stubs have no room for more.
_DEEPEST, _LONGEST = 50, 65_536
#: Keywords that a made value could break: a schema with one of them needs an example.
_TOO_MUCH = frozenset({
    "pattern", "not", "if", "contains", "prefixItems", "dependentSchemas", "dependentRequired", "patternProperties",
    "minProperties", "$dynamicRef",
})  # fmt: skip
#: Comparisons of a number with its bounds.
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
#: The type of a schema without `type`, by its keywords; the default is object.
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
    """A generator of small values for schemas. Methods raise LeftOutError if no value is possible."""

    def __init__(self, document: Document) -> None:
        self._document, self._get = document, document.get

    def value(self, schema: Any, examples: Sequence[Any] = (), level: int = 0) -> Any:
        """Return the first example of the right type, or the smallest value of a schema."""
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
        """Merge a schema with its references, `allOf`, and the first branch of each choice."""
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
        """Return the allowed types; an empty list if the schema has no `type`."""
        written = self._get(found, "type") or []
        names = self._document.plain(written if isinstance(written, list) else [written])
        if not all(isinstance(name, str) and name in _TYPES for name in names):
            raise LeftOutError(f"type: expected types of JSON, got {shown(written)}")
        return [*names, "null"] if names and self._get(found, "nullable") is True else names

    def _required(self, found: dict[str, Any]) -> list[str]:
        """Return the required members, without members for requests only (`writeOnly`)."""
        is_flag, properties = isinstance(self._get(found, "required"), bool), self._get(found, "properties", dict)
        names = [] if is_flag else self._get(found, "required", list)  # a flag is a habit of older documents
        if not all(type(name) is str for name in names):
            raise LeftOutError("required: expected a list of names")
        return [name for name in dict.fromkeys(names) if self._get(properties.get(name), "writeOnly") is not True]

    def _examples(self, found: dict[str, Any], required: list[str]) -> list[Any]:
        first, last = ([found[name]] if name in found else [] for name in ("example", "default"))
        several = self._get(found, "examples")  # in 3.0 it is not a keyword of schemas
        values = self._document.plain([*first, *(several if isinstance(several, list) else ()), *last])
        return [value for value in values if not isinstance(value, dict) or value.keys() >= set(required)]

    def _bounds(self, found: dict[str, Any]) -> dict[str, int | float]:
        """Return the numeric bounds; `exclusiveMinimum: true`, as in 3.0, makes `minimum` exclusive."""
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
    """Return the first number that fits all bounds: 0, a bound, or a neighbour of a bound."""
    for number in (0, *(bound + more for bound in bounds.values() for more in (0, 1, -1))):
        whole = int(number)
        is_written = whole in INT64 if whole == number else not is_whole
        if is_written and all(_FITS[name](number, bound) for name, bound in bounds.items()):
            return whole if whole == number else number
    raise LeftOutError("no simple number fits the bounds of a schema")


def success(document: Document, operation: Any) -> dict[str, Any]:
    """Return the `answer` of a stub for an operation, or raise LeftOutError."""
    status, response = _chosen(document.get(operation, "responses", dict))
    content = {} if status in (204, 205, 304) else document.get(response, "content", dict)
    name = next(filter(_is_json, content), next(iter(content), None))
    if name is None:
        return {"status": status}
    examples = _examples(document, content[name])
    if _is_json(name):
        body = Sampler(document).value(document.raw(content[name], "schema", True), examples)
        return {"status": status, "json": literal(body)}
    text = literal(str(examples[0]) if examples else "")
    return {"status": status, "text": text, **({} if "*" in name else {"headers": {"Content-Type": name}})}


def _chosen(responses: dict[str, Any]) -> tuple[int, Any]:
    """Return the lowest documented status below 400 with its response; `2XX` and `default` count as 200."""
    known = {name.upper().replace("XX", "00"): response for name, response in responses.items()}
    status = next((status for status in range(200, 400) if str(status) in known), 200)
    if str(status) in known or "default" in responses:
        return status, known.get(str(status), responses.get("default"))
    raise LeftOutError("no success is documented")


def _is_json(media_type: str) -> bool:
    name = media_type.partition(";")[0].strip().lower()
    return name in ("application/json", "text/json", "application/*", "*/*") or name.endswith("+json")


def _examples(document: Document, media: Any) -> list[Any]:
    rows = document.get(media, "examples", dict).values()
    values = [document.raw(media, "example"), *(document.raw(row, "value") for row in rows)]
    return [document.plain(value) for value in values if value is not None][:1]


def literal(value: Any) -> Any:
    """Return a value for a stub's answer: texts like templates become quoted strings within a template."""
    if isinstance(value, dict):
        return {name: literal(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [literal(inner) for inner in value]
    if isinstance(value, str) and any(opening in value for opening in ("{{", "{%", "{#")):
        quoted = json.dumps(value, ensure_ascii=False).replace("{", "\\u007b").replace("}", "\\u007d")
        return f"{{{{ {quoted} }}}}"
    return value


_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
#: The beginning of all paths of the service.
_ROOT = "/v3/"
#: By their addresses: method and path, without names of parameters.
Stubs = dict[str, dict[str, Any]]


class LeftOut(NamedTuple):
    """A skipped operation or unreadable path, and its reason."""

    operation: str
    reason: str
    place: tuple[str, ...]


def imported(root: Mapping[str, Any], base: str | None = None) -> tuple[list[dict[str, Any]], list[LeftOut]]:
    """Return stubs for all operations outside of the mock, and the operations without a stub.

    `base` begins all paths, in place of the path of the document's server.
    """
    document, stubs, left_out = Document(root), Stubs(), []
    for place in _places(document):
        document.begin()
        try:
            _add_stub(stubs, document, base, *place)
        except LeftOutError as error:
            left_out.append(LeftOut(" ".join((*map(str.upper, place[1:]), place[0])), str(error), ("paths", *place)))
    return [*stubs.values()], left_out


def _places(document: Document) -> Iterator[tuple[str, ...]]:
    for path in document.root["paths"]:
        document.begin()
        try:
            item = {} if path.startswith("x-") else document.get(document.root["paths"], path, dict)
        except LeftOutError:
            yield (path,)
        else:
            yield from ((path, name) for name in _METHODS if name in item)


def _add_stub(stubs: Stubs, document: Document, base: str | None, path: str, name: str = "") -> None:
    item, method = document.get(document.root["paths"], path, dict), name.upper()
    operation = document.get(item, name, dict)
    address = (_base(document, path, operation, item, document.root) if base is None else base) + path
    key = f"{method} {re.sub(r'{[^{}/]*}', '{}', address)}"
    if method not in METHODS:
        raise LeftOutError(f"no stub answers {method}")
    if not path.startswith("/") or not address.startswith(_ROOT):
        raise LeftOutError(f"{address} is not a path below /v3; --base sets another beginning of all paths")
    if key in stubs or len(stubs) >= MOST_STUBS:
        full = f"a workspace may have {MOST_STUBS:,} stubs"
        raise LeftOutError("another operation has this address" if key in stubs else full)
    for row in API_OPERATIONS.values():
        if row.method == method and overlap(address.split("/"), row.path.split("/")):
            raise LeftOutError(f"conflicts with {row.id} ({method} {row.path}), which the mock has")
    stub = {"method": method, "path": address, "answer": success(document, operation)}
    try:
        StubItem().load(stub)
    except ValidationError as error:
        sentences = (message.removesuffix(".") for _, message in messages_in(error.messages))
        raise LeftOutError("; ".join(sentences)) from error
    stubs[key] = stub


def _base(document: Document, path: str, *owners: Any) -> str:
    """Return the path of the first server of operation, path or document; `/v3` without servers."""
    server = next((server for owner in owners for server in document.get(owner, "servers", list)), None)
    if server is None:
        return "" if path.startswith(_ROOT) else "/v3"
    url, variables = document.get(server, "url") or "/", document.get(server, "variables", dict)

    def default(found: re.Match[str]) -> str:
        return str(document.plain(document.get(variables.get(found[1]), "default")))

    try:
        path = urlsplit(re.sub(r"\{([^{}]*)\}", default, url)).path.strip("/")
    except (TypeError, ValueError) as error:
        raise LeftOutError("its server has no address") from error
    return f"/{path}" if path else ""

"""Schemas laid into one: what `allOf`, references and the members beside them want together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from mockserver.beyond.openapi.document import Document, DocumentError, Node
from mockserver.beyond.openapi.steps import Steps

#: Schemas that hold all at once.
Nodes = tuple[Node, ...]


@dataclass(slots=True)
class Branch:
    """One schema of an `anyOf` or a `oneOf`, and the member that tells by its value that it is this one."""

    schema: Node
    tells: tuple[str, str] | None = None


@dataclass(slots=True)
class Flat:
    """What several schemas want together. None stands for what none of them says."""

    types: list[str] | None = None
    enum: list[Any] | None = None
    examples: list[Any] = field(default_factory=list)
    required: dict[str, None] = field(default_factory=dict)
    properties: dict[str, Nodes] = field(default_factory=dict)
    #: What members want that no schema names.
    additional: Nodes = ()
    #: Whether members that no schema names are refused.
    closed: bool = False
    prefix: list[Nodes] = field(default_factory=list)
    items: Nodes = ()
    unique: bool = False
    #: The largest of each lower and the smallest of each upper bound, by keyword.
    bounds: dict[str, Any] = field(default_factory=dict)
    multiples: list[Any] = field(default_factory=list)
    format: str | None = None
    patterns: list[str] = field(default_factory=list)
    choices: list[list[Branch]] = field(default_factory=list)
    write_only: bool = False
    #: Whether nothing fits at all.
    never: bool = False
    #: Values of members that tell which branch was chosen.
    told: dict[str, str] = field(default_factory=dict)

    def copied(self) -> Flat:
        """The same as an object of its own."""
        return replace(
            self,
            examples=[*self.examples],
            required={**self.required},
            properties={**self.properties},
            prefix=[*self.prefix],
            bounds={**self.bounds},
            multiples=[*self.multiples],
            patterns=[*self.patterns],
            choices=[*self.choices],
            told={**self.told},
        )

    def allows(self, type_: str) -> bool:
        """Whether values of a type of JSON are allowed; whole numbers are numbers."""
        if self.types is None:
            return True
        return type_ in self.types or (type_ == "integer" and "number" in self.types)


_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")


def flatten(document: Document, nodes: Iterable[Node], steps: Steps, over: Flat | None = None) -> Flat:
    """What schemas want together; `over` is what others want besides.

    Raises:
        DocumentError: one of them is none.
        LeftOutError: one of them stands in another document.
        TooMuchError: they are too many.
    """
    found = Flat() if over is None else over.copied()
    steps.take(len(found.properties))
    for node in _parts(document, nodes, steps):
        steps.take(1 + len(node.value) if isinstance(node.value, dict) else 1)
        _add(found, node)
    return found


def _parts(document: Document, nodes: Iterable[Node], steps: Steps) -> Iterator[Node]:
    """Schemas without references and `allOf`: each stands for itself, and comes once."""
    waiting = list(nodes)[::-1]
    seen = set()
    while waiting:
        node = waiting.pop()
        steps.take()
        if node.path in seen:
            continue
        seen.add(node.path)
        if isinstance(node.value, dict) and "$ref" in node.value:
            if document.heeds_siblings and len(node.value) > 1:
                others = {name: value for name, value in node.value.items() if name != "$ref"}
                waiting.append(Node(others, (*node.path, "beside $ref")))
            waiting.append(document.target(Node(node.value["$ref"], (*node.path, "$ref"))))
            continue
        inner = node.get("allOf") if isinstance(node.value, dict) else None
        yield node
        waiting.extend(reversed(list(inner.items()) if inner else []))


def _add(found: Flat, node: Node) -> None:
    if isinstance(node.value, bool):
        found.never = found.never or not node.value
        return
    node.mapping()
    _add_types(found, node)
    _add_values(found, node)
    _add_bounds(found, node)
    _add_multiple(found, node)
    _add_text(found, node)
    _add_members(found, node)
    _add_items(found, node)
    _add_choices(found, node)


def _add_types(found: Flat, node: Node) -> None:
    own = _types(node)
    if own is None:
        return
    if found.types is None:
        found.types = own
        return
    wide = found
    both = [type_ for type_ in own if wide.allows(type_)]
    narrower = [type_ for type_ in found.types if type_ == "integer" and "number" in own and type_ not in both]
    found.types = both + narrower
    found.never = found.never or not found.types


def _types(node: Node) -> list[str] | None:
    """The types of JSON that a schema allows; None if it says nothing of them."""
    written = node.get("type")
    if written is None:
        return None
    names = written.value if isinstance(written.value, list) else [written.value]
    for name in names:
        if name not in _TYPES:
            raise DocumentError(written.path, f"{name!r:.40} is no type of JSON")
    return [*names, "null"] if node.value.get("nullable") is True and "null" not in names else list(names)


def _add_values(found: Flat, node: Node) -> None:
    """Values that a schema names itself: what fits is looked at when one is chosen."""
    schema = node.value
    if "example" in schema:
        found.examples.append(schema["example"])
    if isinstance(schema.get("examples"), list):  # in 3.0 it is no keyword of a schema
        found.examples.extend(schema["examples"])
    if "default" in schema:
        found.examples.append(schema["default"])
    if "const" in schema:
        _restrict(found, [schema["const"]])
    enum = node.get("enum")
    if enum is not None:
        _restrict(found, [item.value for item in enum.items()])


def _restrict(found: Flat, values: list[Any]) -> None:
    found.enum = values if found.enum is None else [value for value in found.enum if is_among(value, values)]
    found.never = found.never or not found.enum


def is_among(value: Any, values: Iterable[Any]) -> bool:
    """Whether a value is one of several; to JSON `true` is not 1, as it is to Python."""
    return any(value == other and isinstance(value, bool) is isinstance(other, bool) for other in values)


def _add_bounds(found: Flat, node: Node) -> None:
    for keyword, value in _bounds(node):
        tighter = max if keyword in _LOWER else min
        found.bounds[keyword] = tighter(found.bounds.get(keyword, value), value)
    found.unique = found.unique or node.value.get("uniqueItems") is True


def _bounds(node: Node) -> Iterator[tuple[str, int | float]]:
    """The bounds of a schema, each by its keyword in 3.1; in 3.0 `exclusiveMinimum` says of `minimum` how it is meant.

    Raises:
        DocumentError: one of them is no number.
    """
    for keyword in (*_LOWER, *_UPPER):
        written = keyword
        if keyword.startswith("exclusive") and isinstance(node.value.get(keyword), bool):
            written = keyword.removeprefix("exclusive").lower() if node.value[keyword] else ""
        if written in node.value:
            yield keyword, _number(node, written, "must be a number")


def _add_multiple(found: Flat, node: Node) -> None:
    if "multipleOf" in node.value:
        wanted = "must be a number above 0"
        multiple = _number(node, "multipleOf", wanted)
        if multiple <= 0:
            raise DocumentError((*node.path, "multipleOf"), wanted)
        found.multiples.append(multiple)


def _number(node: Node, name: str, wanted: str) -> int | float:
    value = node.value[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DocumentError((*node.path, name), wanted)
    return value


def _add_text(found: Flat, node: Node) -> None:
    if isinstance(node.value.get("pattern"), str):
        found.patterns.append(node.value["pattern"])
    if found.format is None and isinstance(node.value.get("format"), str):
        found.format = node.value["format"]


def _add_members(found: Flat, node: Node) -> None:
    required = node.get("required")
    if required is not None and not isinstance(required.value, bool):  # a bool is a habit of older documents
        found.required.update(dict.fromkeys(item.text() for item in required.items()))
    properties = node.get("properties")
    for name, inner in properties.members() if properties else ():
        found.properties[name] = (*found.properties.get(name, ()), inner)
    additional = node.get("additionalProperties")
    if additional is not None and additional.value is False:
        found.closed = True
    elif additional is not None:
        found.additional = (*found.additional, additional)
    found.write_only = found.write_only or node.value.get("writeOnly") is True


def _add_items(found: Flat, node: Node) -> None:
    prefix = node.get("prefixItems")
    for index, inner in enumerate(prefix.items() if prefix else ()):
        if index < len(found.prefix):
            found.prefix[index] = (*found.prefix[index], inner)
        else:
            found.prefix.append((inner,))
    items = node.get("items")
    if items is not None:
        found.items = (*found.items, items)


def _add_choices(found: Flat, node: Node) -> None:
    tells = _telling(node)
    for keyword in ("oneOf", "anyOf"):
        inner = node.get(keyword)
        if inner is not None:
            found.choices.append([Branch(branch, tells(branch)) for branch in inner.items()])


def _telling(node: Node) -> Any:
    """A function that says by which member a branch of a schema tells that it is chosen (`discriminator`)."""
    discriminator = node.get("discriminator")
    name = discriminator.value.get("propertyName") if discriminator and isinstance(discriminator.value, dict) else None
    if discriminator is None or not isinstance(name, str):
        return lambda branch: None
    mapping = discriminator.value.get("mapping")
    mapping = mapping if isinstance(mapping, dict) else {}

    def tells(branch: Node) -> tuple[str, str] | None:
        reference = branch.value.get("$ref") if isinstance(branch.value, dict) else None
        if not isinstance(reference, str):
            return None
        schema = reference.rpartition("/")[2]
        return name, next((key for key, target in mapping.items() if target in (reference, schema)), schema)

    return tells

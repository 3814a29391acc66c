"""The smallest value that a schema allows: an example if it has one, else required members, few items, short texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mockserver.beyond.openapi.document import Document, LeftOutError, Path
from mockserver.beyond.openapi.flat import Branch, Flat, Nodes, flatten, is_among
from mockserver.beyond.openapi.numbers import smallest_number
from mockserver.beyond.openapi.steps import Steps, TooMuchError
from mockserver.beyond.openapi.texts import smallest_text
from mockserver.web.schemas.json_text import DEEPEST

#: The most levels of schemas within each other. Chosen: half of what a document may have, which must hold the answer.
_DEEPEST = DEEPEST // 2
#: The most items, members and thousands of characters of an answer. Chosen: far above any example.
_LARGEST = 10_000
_CHARACTERS = 1_000


class Sampler:
    """Finds values for the schemas of one answer."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._steps = Steps()
        self._found: dict[tuple[Path, ...], tuple[Any, int]] = {}
        self._above: list[tuple[Path, ...]] = []

    def sample(self, nodes: Nodes) -> Any:
        """A value that all of some schemas allow.

        Raises:
            DocumentError: one of them is no schema.
            LeftOutError: none was found, with the reason.
        """
        return self._sized(nodes)[0]

    def fits(self, value: Any, nodes: Nodes) -> bool:
        """Whether a value is of a type that schemas allow, and among the values that they list.

        Raises:
            DocumentError: one of them is no schema.
            LeftOutError: one of them stands in another document.
        """
        return _fits(value, flatten(self._document, nodes, self._steps))

    def _sized(self, nodes: Nodes) -> tuple[Any, int]:
        """A value, and how large it is."""
        key = tuple(node.path for node in nodes)
        if key in self._found:
            self._check_size(self._found[key][1])
            return self._found[key]
        with self._within(key):
            found = self._of(flatten(self._document, nodes, self._steps))
        self._found[key] = found
        return found

    @contextmanager
    def _within(self, key: tuple[Path, ...]) -> Iterator[None]:
        """While a value for these schemas is looked for: the smallest one has none of them within itself."""
        if key in self._above:
            raise LeftOutError("a schema requires itself")
        if len(self._above) >= _DEEPEST:
            raise LeftOutError(f"its schema is nested deeper than {_DEEPEST} levels")
        self._above.append(key)
        try:
            yield
        finally:
            self._above.pop()

    def _of(self, flat: Flat) -> tuple[Any, int]:
        if flat.never:
            raise LeftOutError("a schema allows nothing")
        for value in (*flat.examples, *(flat.enum or ())):
            if _fits(value, flat):
                return self._checked(value)
        if flat.enum is not None:
            raise LeftOutError("no value of an enum is of the type that is wanted")
        if flat.choices:
            return self._chosen(flat)
        reason: LeftOutError | None = None
        for type_ in _types(flat):
            try:
                return self._typed(flat, type_)
            except TooMuchError:
                raise
            except LeftOutError as error:
                reason = reason or error
        raise reason or LeftOutError("a schema allows nothing")

    def _checked(self, value: Any) -> tuple[Any, int]:
        size = _size(value)
        self._check_size(size)
        return value, size

    def _check_size(self, size: int) -> None:
        """Refuse what is too large; a value that is found again counts each time.

        Raises:
            TooMuchError: it is.
        """
        if size > _LARGEST:
            raise TooMuchError("its smallest answer is too large")

    def _chosen(self, flat: Flat) -> tuple[Any, int]:
        """A value of the first branch for which there is one."""
        reason: LeftOutError | None = None
        first, *others = flat.choices
        for branch in first:
            try:
                with self._within((branch.schema.path,)):
                    return self._of(self._with(flat, branch, others))
            except TooMuchError:
                raise
            except LeftOutError as error:
                reason = reason or error
        raise reason or LeftOutError("a choice without a branch")

    def _with(self, flat: Flat, branch: Branch, others: list[list[Branch]]) -> Flat:
        """A schema and one of its branches as one schema."""
        found = flatten(self._document, (branch.schema,), self._steps, over=flat)
        found.choices = [*others, *found.choices[len(flat.choices) :]]
        if branch.tells is not None:
            found.told = {**found.told, branch.tells[0]: branch.tells[1]}
        return found

    # ------------------------------------------------------------------ by type

    def _typed(self, flat: Flat, type_: str) -> tuple[Any, int]:
        match type_:
            case "object":
                return self._object(flat)
            case "array":
                return self._array(flat)
            case "string":
                text = smallest_text(flat)
                return text, 1 + len(text) // _CHARACTERS
            case "boolean":
                return False, 1
            case "null":
                return None, 1
        return smallest_number(flat, whole=type_ == "integer"), 1

    def _object(self, flat: Flat) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        size = 1
        for name in self._names(flat):
            found[name], inner = self._member(flat, name)
            size += inner
            self._check_size(size)
        return found, size

    def _names(self, flat: Flat) -> Iterator[str]:
        """The names of the members of the smallest object: those that are required, and as many as there have to be."""
        least = flat.bounds.get("minProperties", 0)
        names = [name for name in dict.fromkeys((*flat.required, *flat.told)) if not self._is_write_only(flat, name)]
        if len(names) < least:
            names += [name for name in flat.properties if name not in names][: int(least) - len(names)]
        yield from names
        missing = int(least) - len(names)
        if missing > _LARGEST or (missing > 0 and flat.closed):
            raise LeftOutError("an object has to have more members than are named")
        yield from (f"member{number + 1}" for number in range(missing))

    def _is_write_only(self, flat: Flat, name: str) -> bool:
        """Whether a member stands in requests only: then `required` means those."""
        nodes = flat.properties.get(name, ())
        return bool(nodes) and flatten(self._document, nodes, self._steps).write_only

    def _member(self, flat: Flat, name: str) -> tuple[Any, int]:
        nodes = flat.properties.get(name)
        if nodes is None and flat.closed and name not in flat.told:
            raise LeftOutError(f"the member {name!r:.40} is required, and no schema allows it")
        nodes = flat.additional if nodes is None else nodes
        if name in flat.told and self.fits(flat.told[name], nodes):
            return flat.told[name], 1
        return self._sized(nodes)

    def _array(self, flat: Flat) -> tuple[list[Any], int]:
        least = flat.bounds.get("minItems", 0)
        if least > _LARGEST or (least > 1 and flat.unique):
            raise LeftOutError(f"an array has to have {least} items" + (" that differ" if flat.unique else ""))
        if least > flat.bounds.get("maxItems", least):
            raise LeftOutError("an array has to have more items than it may have")
        found = []
        size = 1
        for index in range(int(least)):
            item, inner = self._sized(flat.prefix[index] if index < len(flat.prefix) else flat.items)
            found.append(item)
            size += inner
            self._check_size(size)
        return found, size


def _types(flat: Flat) -> list[str]:
    """The types of JSON that a schema allows, as it lists them, `null` last; of one that lists none, what it tells."""
    if flat.types is not None:
        return sorted(flat.types, key=lambda type_: type_ == "null")
    if flat.prefix or flat.items or flat.unique or not flat.bounds.keys().isdisjoint(("minItems", "maxItems")):
        return ["array"]
    if flat.format or flat.patterns or not flat.bounds.keys().isdisjoint(("minLength", "maxLength")):
        return ["string"]
    members = flat.properties or flat.required or flat.told or flat.bounds.keys() & {"minProperties"}
    return ["object"] if members or not (flat.bounds or flat.multiples) else ["number"]


_IS: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def _fits(value: Any, flat: Flat) -> bool:
    """Whether a value is of a type that is allowed, and among the values that are listed."""
    if flat.never or (flat.enum is not None and not is_among(value, flat.enum)):
        return False
    return flat.types is None or any(_IS[type_](value) for type_ in flat.types)


def _size(value: Any) -> int:
    """How large a value is: its items and members, and its thousands of characters."""
    waiting, size = [value], 0
    while waiting and size <= _LARGEST:
        inner = waiting.pop()
        size += 1 + (len(inner) // _CHARACTERS if isinstance(inner, str) else 0)
        waiting.extend(inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list) else ())
    return size

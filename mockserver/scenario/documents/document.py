"""Documents with line numbers, and merged documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any, NamedTuple, TypeVar

from mockserver.scenario.documents.mistakes import Mark, Mistake, Path, ScenarioError, ordered

Document = TypeVar("Document", bound=Mapping[Any, Any])


class InvalidValue:
    """An invalid value in a document, with the error message, and one without the value; no field accepts it."""

    def __init__(self, text: str, *, redacted: str | None = None) -> None:
        self.text = text
        self.redacted = text if redacted is None else redacted

    def __repr__(self) -> str:
        return self.text


class MappingNode(dict[Any, Any]):
    """A mapping with the line of each key."""

    #: The name of the scenario, for messages.
    title = "document"
    #: What went wrong when the documents that it extends were read: the rest is checked all the same.
    mistakes: tuple[Mistake, ...] = ()
    #: The source documents of a merged document.
    layers: _Layers | None = None

    def __init__(self) -> None:
        super().__init__()
        self.marks: dict[Any, Mark] = {}

    @classmethod
    def of(cls, data: dict[Any, Any]) -> MappingNode:
        """Convert plain data, such as JSON, to a document without lines."""
        found = cls()
        for key, value in data.items():
            found[key] = _marked(value)
        return found


class SequenceNode(list[Any]):
    """A sequence with the line of each item."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[Mark] = []


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingNode.of(value)
    return [_marked(inner) for inner in value] if isinstance(value, list) else value


def refuse_unreadable(document: MappingNode) -> None:
    """Refuse a document with invalid values, or with unreadable extended documents."""
    invalid = (Mistake(path, value.text) for path, value in _invalid_values(document, ()))
    found = [*document.mistakes, *located(document, invalid)]
    if found:
        raise ScenarioError(ordered(found))


def _invalid_values(value: Any, path: Path) -> Iterator[tuple[Path, InvalidValue]]:
    if isinstance(value, InvalidValue):
        yield path, value
    elif isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _invalid_values(inner, (*path, key))


class Place(NamedTuple):
    """The path of a value in its source document, and its line if the document has lines."""

    path: Path
    mark: Mark | None


def locate(document: Any, path: Path) -> Place:
    """Return the source path of a value, and the line of the deepest existing member of the path.

    In a document over another one, the path is that in the document from which the value comes.
    """
    layers = document.layers if isinstance(document, MappingNode) else None
    if layers is not None:
        return layers.locate(path)
    mark = None
    for part in path:
        try:
            mark = document.marks[part]
        except (AttributeError, LookupError, TypeError):
            break
        document = document[part]
    return Place(path, mark)


def located(document: Any, rows: Iterable[Mistake]) -> list[Mistake]:
    """Return mistakes with the path and line in the source file."""
    places = ((row, locate(document, row.path)) for row in rows)
    return [row._replace(path=place.path, mark=place.mark) for row, place in places]


#: The index of each list item in the upper and the lower document, or None.
_Numbers = list[tuple[int | None, int | None]]


class _Layers(NamedTuple):
    """The upper and the lower document of a merged document, and the origins of list items."""

    upper: MappingNode
    lower: MappingNode
    #: By member name, for lists with items of both documents.
    numbers: Mapping[str, _Numbers]

    def locate(self, path: Path) -> Place:
        """Return the place of a value in its source document."""
        above, below = self._paths(path)
        if above is None or (below is not None and not self._is_above(above, below)):
            assert below is not None, "an account comes from one of the documents"
            return locate(self.lower, below)
        return locate(self.upper, above)

    def _paths(self, path: Path) -> tuple[Path | None, Path | None]:
        """Return a path in the upper and in the lower document; None if the document lacks the item."""
        match path:
            case (str(member), int(index), *rest) if index < len(self.numbers.get(member, ())):
                above, below = (
                    None if number is None else (member, number, *rest) for number in self.numbers[member][index]
                )
                return above, below
        return path, path

    def _is_above(self, above: Path, below: Path) -> bool:
        """Return whether a value comes from the upper document, which wins unless values are merged."""
        upper: Any = self.upper
        lower: Any = self.lower
        for depth, (over, under) in enumerate(zip(above, below, strict=True)):
            numbered = depth == 1 and above[0] in self.numbers
            if not numbered and not (isinstance(upper, MappingNode) and isinstance(lower, MappingNode)):
                return True
            if not numbered and (over not in upper or under not in lower):
                return over in upper or under not in lower
            upper, lower = upper[over], lower[under]
        return True


def overlay(lower: MappingNode, upper: MappingNode) -> MappingNode:
    """Merge two documents: mappings by key, accounts by name; other lists of the upper document replace.

    The upper document's stubs come before the lower document's stubs.
    """
    lower, upper = in_full(lower), in_full(upper)
    found = _merged(lower, upper)
    numbers: dict[str, _Numbers] = {}
    for member, both in (("accounts", _accounts), ("stubs", _stubs)):
        below, above = lower.get(member), upper.get(member)
        if isinstance(below, list) and isinstance(above, list):
            found[member], numbers[member] = both(below, above)
    found.layers = _Layers(upper, lower, numbers)
    return found


def _merged(lower: MappingNode, upper: MappingNode) -> MappingNode:
    found = MappingNode()
    found.update(lower)
    for key, value in upper.items():
        before = found.get(key)
        if isinstance(before, MappingNode) and isinstance(value, MappingNode):
            found[key] = _merged(before, value)
        else:
            found[key] = value
    return found


def in_full(document: Document) -> Document:
    """Return a document whose `behaviour` is a mapping, also where it is the name of a preset only."""
    found: Any = document
    if isinstance(preset := document.get("behaviour"), str):
        found = copy(document)
        found["behaviour"] = MappingNode.of({"preset": preset})
    return found  # type: ignore[no-any-return]  # the copy of a document is one


def _stubs(lower: list[Any], upper: list[Any]) -> tuple[list[Any], _Numbers]:
    return [*upper, *lower], [*((at, None) for at in range(len(upper))), *((None, at) for at in range(len(lower)))]


def _accounts(lower: list[Any], upper: list[Any]) -> tuple[list[Any], _Numbers]:
    """Merge accounts by name, with the index of each account in the upper and lower document.

    A duplicate name in the upper document stays, and becomes a mistake later.
    """
    found = list(lower)
    numbers: _Numbers = [(None, place) for place in range(len(lower))]
    places = {name: place for place, account in reversed(list(enumerate(lower))) if (name := _name(account))}
    for index, account in enumerate(upper):
        place = places.pop(_name(account) or "", None)
        if place is not None:
            found[place], numbers[place] = _merged(found[place], account), (index, place)
        else:
            found.append(account)
            numbers.append((index, None))
    return found, numbers


def _name(account: Any) -> str | None:
    name = account.get("name") if isinstance(account, MappingNode) else None
    return name if isinstance(name, str) else None

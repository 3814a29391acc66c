"""Documents whose members know their lines, and documents laid over each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mockserver.scenario.documents.mistakes import Mark, Mistake, Path, ScenarioError, ordered


class InvalidValue:
    """Stands for a value that a document must not have: no field takes it, and its text says why."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class MappingNode(dict[Any, Any]):
    """A mapping that knows the line of each key."""

    #: The name of the scenario, for messages.
    title = "document"
    #: What went wrong when the documents that it extends were read: the rest is checked all the same.
    mistakes: tuple[Mistake, ...] = ()
    #: The documents that it was made of, if it is one document over another.
    layers: _Layers | None = None

    def __init__(self) -> None:
        super().__init__()
        self.marks: dict[Any, Mark] = {}

    @classmethod
    def of(cls, data: dict[Any, Any]) -> MappingNode:
        """A document of data without lines, such as JSON."""
        found = cls()
        for key, value in data.items():
            found[key] = _marked(value)
        return found


class SequenceNode(list[Any]):
    """A sequence that knows the line of each item."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[Mark] = []


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingNode.of(value)
    return [_marked(inner) for inner in value] if isinstance(value, list) else value


def refuse_unreadable(document: MappingNode) -> None:
    """Refuse a document with values that JSON cannot have, or over documents that could not be read.

    Raises:
        ScenarioError: with a mistake for each of them.
    """
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
    """Where a value is: its path in the document that it comes from, and its line if that document has lines."""

    path: Path
    mark: Mark | None


def locate(document: Any, path: Path) -> Place:
    """Where the value of a path is, with the line of the deepest member of the path that the document has.

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
    """The mistakes of a document, each with its path and line in the file that it comes from."""
    return [_located(document, row) for row in rows]


def _located(document: Any, row: Mistake) -> Mistake:
    place = locate(document, row.path)
    return row._replace(path=place.path, mark=place.mark)


#: For each item of a list its index in the upper and in the lower document, or None if it is not there.
_Numbers = list[tuple[int | None, int | None]]


class _Layers(NamedTuple):
    """The two documents that an overlaid document was made of, and where the items of its lists come from."""

    upper: MappingNode
    lower: MappingNode
    #: Of the lists that have items of both, by the name of the member.
    numbers: Mapping[str, _Numbers]

    def locate(self, path: Path) -> Place:
        """Where the value of a path is in the document from which it comes."""
        above, below = self._paths(path)
        if above is None or (below is not None and not self._is_above(above, below)):
            assert below is not None, "an account comes from one of the documents"
            return locate(self.lower, below)
        return locate(self.upper, above)

    def _paths(self, path: Path) -> tuple[Path | None, Path | None]:
        """A path in the upper and in the lower document; None if that document has no such item."""
        match path:
            case (str(member), int(index), *rest) if index < len(self.numbers.get(member, ())):
                above, below = (
                    None if number is None else (member, number, *rest) for number in self.numbers[member][index]
                )
                return above, below
        return path, path

    def _is_above(self, above: Path, below: Path) -> bool:
        """Whether a value comes from the upper document, which wins wherever nothing is merged."""
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
    """A document over another: mappings merge by key, accounts by name; every other list of the upper one replaces.

    Only its stubs stand before those of the lower one, which stay.
    """
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


def _stubs(lower: list[Any], upper: list[Any]) -> tuple[list[Any], _Numbers]:
    """The stubs of two documents, those of the upper one first."""
    return [*upper, *lower], [*((at, None) for at in range(len(upper))), *((None, at) for at in range(len(lower)))]


def _accounts(lower: list[Any], upper: list[Any]) -> tuple[list[Any], _Numbers]:
    """The accounts of two documents, and the index of each in the upper and in the lower one.

    An upper account is laid over the lower one of the same name. A second upper one of that name is kept, and becomes a
    mistake when the document is checked.
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

"""Documents that remember where each part stands, and documents laid over each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from mockserver.scenario.documents.mistakes import Mark, Mistake, Path, ScenarioError, ordered


class Misread:
    """Stands in the place of a value that a document cannot have: no field takes it, and its text says why."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class MappingNode(dict[Any, Any]):
    """A mapping whose keys know their lines."""

    #: The name of the scenario that it stands for.
    title = "document"
    #: What it was made of, where it is one document over another.
    layers: _Layers | None = None

    def __init__(self) -> None:
        super().__init__()
        self.marks: dict[Any, Mark] = {}

    @classmethod
    def of(cls, data: dict[Any, Any]) -> MappingNode:
        """Data that came without lines, as JSON does."""
        found = cls()
        for key, value in data.items():
            found[key] = _marked(value)
        return found


class SequenceNode(list[Any]):
    """A sequence whose items know their lines."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[Mark] = []


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingNode.of(value)
    return [_marked(inner) for inner in value] if isinstance(value, list) else value


def refuse_misread(document: MappingNode) -> None:
    """Refuse a document that is to be written as JSON, and holds values that JSON has not.

    Raises:
        ScenarioError: with all of them.
    """
    found = located(document, (Mistake(path, value.text) for path, value in _misread(document, ())))
    if found:
        raise ScenarioError(ordered(found))


def _misread(value: Any, path: Path) -> Iterator[tuple[Path, Misread]]:
    if isinstance(value, Misread):
        yield path, value
    elif isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _misread(inner, (*path, key))


class Place(NamedTuple):
    """Where a part stands: its path in the document that holds it, and its line if that document has lines."""

    path: Path
    mark: Mark | None


def locate(document: Any, path: Path) -> Place:
    """The place of a part, with the line of the deepest part of its path that the document has.

    What stands in one of several documents that lie over each other has its place there.
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
    """Mistakes of a document, each with its place."""
    return [_located(document, row) for row in rows]


def _located(document: Any, row: Mistake) -> Mistake:
    place = locate(document, row.path)
    return row._replace(path=place.path, mark=place.mark)


class _Layers(NamedTuple):
    """The two documents that one was made of, and which of their accounts became its own."""

    upper: MappingNode
    lower: MappingNode
    #: The numbers of each account in the upper and in the lower document.
    accounts: list[tuple[int | None, int | None]]

    def locate(self, path: Path) -> Place:
        """The place of a part in the document that it comes from."""
        above, below = self._paths(path)
        if above is None or (below is not None and not self._is_above(above, below)):
            assert below is not None, "an account comes from one of the documents"
            return locate(self.lower, below)
        return locate(self.upper, above)

    def _paths(self, path: Path) -> tuple[Path | None, Path | None]:
        """The same path in each of the documents; none where one has no such account."""
        match path:
            case ("accounts", int(index), *rest) if index < len(self.accounts):
                above, below = (
                    None if number is None else ("accounts", number, *rest) for number in self.accounts[index]
                )
                return above, below
        return path, path

    def _is_above(self, above: Path, below: Path) -> bool:
        """Whether a part comes from the upper document: that wins wherever nothing is merged."""
        upper: Any = self.upper
        lower: Any = self.lower
        for depth, (over, under) in enumerate(zip(above, below, strict=True)):
            numbered = depth == 1 and bool(self.accounts) and above[0] == "accounts"
            if not numbered and not (isinstance(upper, MappingNode) and isinstance(lower, MappingNode)):
                return True
            if not numbered and (over not in upper or under not in lower):
                return over in upper or under not in lower
            upper, lower = upper[over], lower[under]
        return True


def overlay(lower: MappingNode, upper: MappingNode) -> MappingNode:
    """One document over another: mappings merge by key, accounts by name, every other list replaces."""
    found = _merged(lower, upper)
    found.layers = _Layers(upper, lower, [])
    before, over = lower.get("accounts"), upper.get("accounts")
    if isinstance(before, list) and isinstance(over, list):
        found["accounts"], numbers = _accounts(before, over)
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


def _accounts(lower: list[Any], upper: list[Any]) -> tuple[list[Any], list[tuple[int | None, int | None]]]:
    """The accounts of both, and their numbers there.

    One of the upper is laid over its namesake; a second one of that name stays a mistake.
    """
    found = list(lower)
    numbers: list[tuple[int | None, int | None]] = [(None, place) for place in range(len(lower))]
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

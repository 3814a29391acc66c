"""Documents that remember where each part stands, and documents laid over each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mockserver.scenario.mistakes import Mark, Mistake, Path, ScenarioError, ordered


class Misread:
    """Stands in the place of a value that a document cannot have: no field takes it, and its text says why."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Mapping(dict[Any, Any]):
    """A mapping whose keys know their lines."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: dict[Any, Mark] = {}

    @classmethod
    def of(cls, data: dict[Any, Any]) -> Mapping:
        """Data that came without lines, as JSON does."""
        found = cls()
        for key, value in data.items():
            found[key] = _marked(value)
        return found


class Sequence(list[Any]):
    """A sequence whose items know their lines."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[Mark] = []


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return Mapping.of(value)
    return [_marked(inner) for inner in value] if isinstance(value, list) else value


def refuse_misread(document: Mapping) -> None:
    """Refuse a document that is to be written as JSON, and holds values that JSON has not.

    Raises:
        ScenarioError: with all of them.
    """
    found = [Mistake(path, value.text, locate(document, path)) for path, value in _misread(document, ())]
    if found:
        raise ScenarioError(ordered(found))


def _misread(value: Any, path: Path) -> Iterator[tuple[Path, Misread]]:
    if isinstance(value, Misread):
        yield path, value
    elif isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _misread(inner, (*path, key))


def locate(document: Any, path: Path) -> Mark | None:
    """The line of the deepest part of a path that the document has."""
    mark = None
    for part in path:
        try:
            mark = document.marks[part]
        except (AttributeError, LookupError, TypeError):
            break
        document = document[part]
    return mark


def overlay(lower: Mapping, upper: Mapping) -> Mapping:
    """One document over another: mappings merge by key, accounts by name, every other list replaces."""
    return _merged(lower, upper, top=True)


def _merged(lower: Mapping, upper: Mapping, *, top: bool = False) -> Mapping:
    found = Mapping()
    found.update(lower)
    found.marks.update(lower.marks)
    for key, value in upper.items():
        found[key] = _over(found.get(key), value, accounts=top and key == "accounts")
    found.marks.update(upper.marks)
    return found


def _over(before: Any, value: Any, *, accounts: bool) -> Any:
    """What stands in the end where a value is laid over another one."""
    if isinstance(before, Mapping) and isinstance(value, Mapping):
        return _merged(before, value)
    if accounts and isinstance(before, list) and isinstance(value, list):
        return _accounts(before, value)
    return value


def _accounts(lower: list[Any], upper: list[Any]) -> Sequence:
    """The accounts of both; one of the upper is laid over its namesake, a second one of that name stays a mistake."""
    found = Sequence()
    found.extend(lower)
    found.marks.extend(getattr(lower, "marks", ()))
    places = {name: place for place, account in reversed(list(enumerate(lower))) if (name := _name(account))}
    for index, account in enumerate(upper):
        place = places.pop(_name(account) or "", None)
        if place is not None:
            found[place] = _merged(found[place], account)
        else:
            found.append(account)
            found.marks += getattr(upper, "marks", [])[index : index + 1]
    return found


def _name(account: Any) -> str | None:
    name = account.get("name") if isinstance(account, Mapping) else None
    return name if isinstance(name, str) else None

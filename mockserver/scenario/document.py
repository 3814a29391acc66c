"""YAML into plain data that remembers where each part stands, and documents laid over each other."""

from __future__ import annotations

from typing import Any

import yaml

from mockserver.scenario.mistakes import Mark, Mistake, Path, ScenarioError

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # pragma: no cover  # wheels without libyaml
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]  # the same interface

#: A document whose aliases repeat more parts than this is refused: they can make a small text immense.
_MOST_REPEATED = 50_000
#: What a mapping and a sequence may be.
_TAGS = frozenset({"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})


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


def parse(text: str, file: str) -> Mapping:
    """The mapping that a YAML text holds.

    Raises:
        ScenarioError: it is not YAML, holds a key twice, or is no mapping.
    """
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            data = Mapping() if node is None else _Builder(loader, file).build(node, ())
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ScenarioError([Mistake((), f"not YAML: {error.problem}", Mark(file, line))]) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, ScenarioError):
            raise
        raise ScenarioError([Mistake((), f"not YAML: {error}", Mark(file, 1))]) from error
    if not isinstance(data, Mapping):
        raise ScenarioError([Mistake((), "a scenario is a mapping", Mark(file, 1))])
    return data


class _Builder:
    def __init__(self, loader: Any, file: str) -> None:
        self._loader = loader
        self._file = file
        self._seen: set[yaml.Node] = set()
        self._repeated = 0

    def build(self, node: yaml.Node, path: Path) -> Any:
        if node in self._seen:
            self._repeated += 1
            if self._repeated > _MOST_REPEATED:
                raise ValueError(f"aliases repeat more than {_MOST_REPEATED:,} parts")
        self._seen.add(node)
        if isinstance(node, yaml.CollectionNode) and node.tag not in _TAGS:
            raise ScenarioError([Mistake(path, f"not YAML that is safe: {node.tag}", self._mark(node))])
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return self._sequence(node, path)
        return self._loader.construct_object(node)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> Mapping:
        self._loader.flatten_mapping(node)
        found = Mapping()
        for key_node, value_node in node.value:
            key = self._loader.construct_object(key_node, deep=True)
            mark = self._mark(key_node)
            key = key if isinstance(key, str) else str(key)
            if key in found:
                raise ScenarioError([Mistake((*path, key), "stands there twice", mark)])
            found[key] = self.build(value_node, (*path, key))
            found.marks[key] = mark
        return found

    def _sequence(self, node: yaml.SequenceNode, path: Path) -> Sequence:
        found = Sequence()
        for index, inner in enumerate(node.value):
            found.append(self.build(inner, (*path, index)))
            found.marks.append(self._mark(inner))
        return found

    def _mark(self, node: yaml.Node) -> Mark:
        return Mark(self._file, node.start_mark.line + 1)


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
    found = Sequence()
    found.extend(lower)
    found.marks.extend(getattr(lower, "marks", ()))
    for index, account in enumerate(upper):
        same = _position(found, account)
        if same is not None:
            found[same] = _merged(found[same], account)
        else:
            found.append(account)
            found.marks += getattr(upper, "marks", [])[index : index + 1]
    return found


def _position(accounts: list[Any], account: Any) -> int | None:
    """Where an account of the same name stands."""
    if not isinstance(account, Mapping) or account.get("name") is None:
        return None
    names = [row.get("name") if isinstance(row, Mapping) else None for row in accounts]
    return names.index(account["name"]) if account["name"] in names else None

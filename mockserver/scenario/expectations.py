"""The expectations of a workspace: loaded with its scenario, and compared with state, journal and mailbox."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from mockserver.core.state.expected import Expected
from mockserver.core.text.messages import counted, cut, nearest
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import write_instant
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.scenario.dump import dump
from mockserver.scenario.expect import Step, parsed
from mockserver.scenario.schema import scenario_schema
from mockserver.web.schemas import json_text

#: The longest value in a text, in characters; chosen to fit on a line.
_LONGEST_VALUE = 120
_ENCODER = json.JSONEncoder(ensure_ascii=False)
#: The members of a written state that are settings of the mock: a test does not change these.
_SETTINGS = frozenset(
    {"description", "clock", "seed", "solution", "strict", "behaviour", "faults", "stubs", "vary", "expect", "resume"}
)
#: Functions by the root of a path, which return its value.
World = Mapping[str, Callable[[], Any]]


class Outcome(NamedTuple):
    """The result of an expectation: its sentence, satisfied or not, and the values found."""

    expectation: str
    is_satisfied: bool
    found: str


# ---------------------------------------------------------------------- loading


def _unknown(items: Sequence[Mapping[str, Any]]) -> Iterator[Mistake]:
    """Yield a mistake for each name and value that no state, request or e-mail can have."""
    from mockserver.scenario.paths import mistake_in  # noqa: PLC0415  # not needed for scenarios without expectations

    schema = scenario_schema()
    accounts: Any = schema.fields["accounts"]
    names = [name for name in {**schema.fields, **accounts.inner.schema.fields} if name not in ("generate", "extends")]
    sections = [name for name in names if name not in _SETTINGS]
    for index, item in enumerate(items):
        for at, name in enumerate(item.get("only", ())):
            if name not in sections:
                yield Mistake(("expect", index, "only", at), f"unknown section {name!r}; {nearest(name, sections)}")
        if "path" in item and (message := mistake_in(*parsed(item["path"]), item.get("equals"))):
            yield Mistake(("expect", index, "path"), message)


def load_expected(workspace: Workspace, document: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Mistake]:
    """Give a new workspace its expectations; yield those that are satisfied before anything has happened."""
    items, resumed = tuple(data["expect"]), data.get("resume", {}).get("sections", {})
    if unknown := list(_unknown(items)):
        yield from unknown
        return
    needs_sections = any("only" in item for item in items)
    sections = resumed or (_digests(_state(workspace)) if needs_sections else {})
    workspace.state.expected = Expected(items, sections)
    if "resume" in document:  # written by a running workspace, in which everything may have happened
        return
    found = outcomes(workspace, {"journal": list, "mailbox": list})
    for index, (item, outcome) in enumerate(zip(items, found, strict=True)):
        if outcome.is_satisfied and not item.get("hold"):
            # Without the value, which may be a secret.
            what = f"{item.get('path', 'only')} is satisfied before anything has happened, so it checks nothing"
            yield Mistake(("expect", index), f"{what}; expect a change, or add hold: true")


# ---------------------------------------------------------------------- looking


def outcomes(workspace: Workspace, world: World) -> list[Outcome]:
    """Return the outcome of each expectation of an open workspace.

    Args:
        workspace: The workspace.
        world: Functions that return the requests (`journal`) and the e-mails (`mailbox`), newest first.
    """
    expected = workspace.state.expected
    looked = _Looked({"state": lambda: _state(workspace), **world})
    return [] if expected is None else [_outcome(item, expected, looked) for item in expected.items]


class _Looked:
    """The values of roots and the digests of sections, each made once for all expectations."""

    def __init__(self, world: World) -> None:
        self._world, self._found = world, dict[str, Any]()

    @cached_property
    def sections(self) -> Mapping[str, str]:
        return _digests(self["state"])

    def __getitem__(self, root: str) -> Any:
        if root not in self._found:
            self._found[root] = plain(self._world[root]())
        return self._found[root]


def plain(value: Any) -> Any:
    """Return a value as a reader of JSON gets it: moments are texts."""
    return json.loads(json_text.write(value, write_instant))


def _state(workspace: Workspace) -> dict[str, Any]:
    """Return the written state; members of the first account are beside the others, too."""
    document = dump(workspace)
    document.pop("expect", None)
    return {**document["accounts"][0], **document} if document["accounts"] else document


def _outcome(item: Mapping[str, Any], expected: Expected, looked: _Looked) -> Outcome:
    if "only" in item:
        allowed = item["only"]
        now = looked.sections
        names = {*now, *expected.sections}
        changed = sorted(name for name in names if now.get(name) != expected.sections.get(name))
        others = [name for name in changed if name not in allowed]
        words = f"only {', '.join(allowed) or 'nothing'} may have changed"
        return Outcome(words, not others, f"changed: {', '.join(changed) or 'nothing'}")
    root, steps = parsed(item["path"])
    nodes = _found([looked[root]], steps)
    if "equals" in item:
        wanted = item["equals"]
        is_satisfied = bool(nodes) and all(_is_same(node, wanted) for node in nodes)
        return Outcome(f"{item['path']} is {_shown(wanted)}", is_satisfied, _shown_all(nodes))
    if "count" in item:
        count = len(_items(nodes))
        return Outcome(
            f"{item['path']} has {counted(item['count'], 'item')}", count == item["count"], f"found {count:,}"
        )
    left = [node for node in _items(nodes) if node is not None]
    return Outcome(f"{item['path']} is absent", not left, _shown_all(left))


def _found(nodes: list[Any], steps: Sequence[Step]) -> list[Any]:
    for step in steps:
        items = _items(nodes)
        if step.position is not None:
            nodes = items[step.position : step.position + 1]
        elif step.name is not None:
            nodes = [item[step.name] for item in items if isinstance(item, dict) and step.name in item]
        else:
            nodes = [
                item for item in items
                if isinstance(item, dict) and step.member in item and _is_written(item[step.member], step.value)
            ]  # fmt: skip
    return nodes


def _items(nodes: Sequence[Any]) -> list[Any]:
    """Return the nodes, with the items of a list in its place."""
    return [item for node in nodes for item in (node if isinstance(node, list) else [node])]


def _is_same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _is_written(value: Any, text: str) -> bool:
    """Return whether a text, a number, true, false or null is written as a text in a path."""
    if isinstance(value, str):
        return value == text
    return not isinstance(value, (dict, list)) and json.dumps(value) == text


def _shown(value: Any) -> str:
    """Return the first characters of a value in JSON, without writing the rest."""
    pieces = _ENCODER.iterencode(value)
    return cut("".join(islice(pieces, _LONGEST_VALUE + 1)), _LONGEST_VALUE)


def _shown_all(nodes: Sequence[Any]) -> str:
    if not nodes:
        return "found nothing"
    more = f" and {len(nodes) - 1:,} more" if len(nodes) > 1 else ""
    return f"found {_shown(nodes[0])}{more}"


def _digests(state: Mapping[str, Any]) -> dict[str, str]:
    """Return a digest of each section, over all accounts; the keys of accounts are part of `accounts`."""
    accounts = state["accounts"]
    found: dict[str, Any] = {"accounts": [row["name"] for row in accounts]}
    for name, value in state.items():
        if name not in _SETTINGS and name not in found and name not in accounts[0]:
            found[name] = value
    for row in accounts:
        for name, value in row.items():
            found.setdefault(name, {})[row["name"]] = value
    return {name: _digest(value) for name, value in found.items()}


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(plain(value), sort_keys=True).encode()).hexdigest()[:16]

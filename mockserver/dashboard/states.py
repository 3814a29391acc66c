"""States of a workspace to compare, and their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from mockserver.control.framework import target
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import write_instant
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.dump import dump

#: Members that identify the rows of a list, the first that all rows have.
_IDENTITIES = ("id", "uuid", "number", "name", "email", "key", "url")
#: Members that tell people more than a number.
_TITLES = ("name", "email", "subject", "url")
#: How far moments that a scenario leaves to the running clock may be apart: loading takes time.
_LOADING = timedelta(seconds=2)
#: Stands for a value that one of the states does not have.
ABSENT: Any = object()


class Difference(NamedTuple):
    """A value that differs between two states."""

    #: Names of sections, rows and members, the outermost first.
    path: Sequence[str]
    #: `ABSENT` if the state does not have the value.
    before: Any
    after: Any

    def mentions(self, text: str) -> bool:
        """Return whether the path or a value contains a text, which is lower case."""
        return text in f"{' / '.join(self.path)} {self.before} {self.after}".lower()


def initial_state(workspace: Workspace) -> dict[str, Any] | None:
    """Return the workspace's state right after its creation or last reset, or None if its scenario no longer loads."""
    origin = workspace.origin
    keyring = None if origin.keyring is None else origin.keyring.copy()
    start = write_instant(workspace.state.clock.start)
    try:
        made = target.store().maker.load(
            target.library().changed(origin.scenario, clock={"start": start}),
            name=workspace.name,
            seed=origin.seed,
            keyring=None if keyring is None else lambda _: keyring,
        )
    except ScenarioError:
        return None
    return dump(made)


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield the values that differ between two dumped states. Counters and the time of a running clock are left out."""
    yield from _compared((), _comparable(before), _comparable(after))


def _comparable(document: Mapping[str, Any]) -> dict[str, Any]:
    accounts = {f"account {row['name']}": row for row in document["accounts"]}
    clock = document["clock"] if document["clock"]["frozen"] else {"frozen": False}
    rest = {name: value for name, value in document.items() if name not in ("accounts", "resume")}
    return {**rest, "clock": clock, **accounts, "revoked_keys": document["resume"]["revoked_keys"]}


def _compared(path: Sequence[str], before: Any, after: Any) -> Iterator[Difference]:
    if before == after or _is_same_moment(before, after):
        return
    # A section without rows is not written.
    if isinstance(after, list) and before is ABSENT:
        before = []
    elif isinstance(before, list) and after is ABSENT:
        after = []
    if isinstance(before, list) and isinstance(after, list):
        before, after = _by_identity(before, after)
    if not isinstance(before, dict) or not isinstance(after, dict):
        yield Difference(path, before, after)
        return
    for name in [*before, *(name for name in after if name not in before)]:
        yield from _compared((*path, name), before.get(name, ABSENT), after.get(name, ABSENT))


def _is_same_moment(before: Any, after: Any) -> bool:
    """Return whether two moments of a running clock, which have fractions of seconds, are nearly the same."""
    if not isinstance(before, str) or not isinstance(after, str) or "." not in before or "." not in after:
        return False
    try:
        passed = datetime.fromisoformat(after) - datetime.fromisoformat(before)
    except (TypeError, ValueError):  # other texts, or only one with a time zone
        return False
    return abs(passed) < _LOADING


def _by_identity(*lists: list[Any]) -> Sequence[Any]:
    """Return lists of rows as mappings by what identifies a row, or by its place in lists of the same length."""
    rows = [row for rows in lists for row in rows]
    if not all(isinstance(row, dict) for row in rows):
        return lists
    for name in _IDENTITIES:
        values = [[str(row.get(name, "")) for row in rows] for rows in lists]
        if all("" not in found and len(set(found)) == len(found) for found in values):
            titles = {str(row[name]): _title(row, name) for row in rows}
            return [{titles[str(row[name])]: row for row in rows} for rows in lists]
    if len(set(map(len, lists))) > 1:
        return lists
    return [{f"{place}.": row for place, row in enumerate(rows, 1)} for rows in lists]


def _title(row: Mapping[str, Any], identity: str) -> str:
    title = next((row[name] for name in _TITLES if row.get(name)), "")
    value = str(row[identity])
    return f"{value} ({title})" if title and title != row[identity] else value

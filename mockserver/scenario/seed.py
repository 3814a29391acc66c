"""What a running world gets added: a partial document laid into the one that describes the world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from marshmallow import ValidationError

from mockserver.core.account import Account
from mockserver.core.workspace import Workspace
from mockserver.resources.rooms import ROOMS
from mockserver.resources.section import counting_from
from mockserver.scenario.document import locate
from mockserver.scenario.dump import dump
from mockserver.scenario.flaws import mistakes
from mockserver.scenario.mistakes import Mistake, Path, ScenarioError
from mockserver.scenario.schema import scenario_schema

#: What a world has once, and is changed otherwise.
_NOT_ADDED = {
    "clock": "move it with PUT /_mock/clock",
    "seed": "choose it when the workspace is made",
    "extends": "reset the workspace to a scenario",
    "resume": "use PUT /_mock/state",
}
#: Members of a document that are not an account's.
_OF_THE_WORLD = frozenset({"accounts", "description", "solution", "strict", "behaviour", "faults"}).union(
    *(room.world.fields for room in ROOMS if room.world)
)

#: Mappings that hold one of several things.
_ALTERNATIVES = frozenset({"authenticate_domain"})


class _Part(NamedTuple):
    """Where a list of the partial document went: behind so many items of the world's own."""

    start: int
    path: Path


def seeded(workspace: Workspace, account: Account, document: Mapping[str, Any]) -> Seeding:
    """The document of the world with all that a partial one adds to it; what stands at its top goes to the account.

    Raises:
        ScenarioError: the partial document is not a good one.
    """
    _check(workspace, document)
    return Seeding(workspace, account, document)


def _check(workspace: Workspace, document: Mapping[str, Any]) -> None:
    found = [Mistake((name,), advice) for name, advice in _NOT_ADDED.items() if name in document]
    if not document:
        found.append(Mistake((), "there is nothing to add"))
    with counting_from(workspace.clock.now()):
        try:
            scenario_schema().load(document)
        except ValidationError as error:
            found += mistakes(error.messages_dict, scenario_schema(), document)
    if found:
        raise ScenarioError([row._replace(mark=locate(document, row.path)) for row in found])


class Seeding:
    """A world's document with additions, which knows where each of them came from."""

    def __init__(self, workspace: Workspace, account: Account, document: Mapping[str, Any]) -> None:
        self.document = dump(workspace)
        self._added = document
        self._parts: dict[Path, list[_Part]] = {}
        self._accounts: list[dict[str, Any]] = self.document["accounts"]
        names = [row["name"] for row in self._accounts]
        for key, value in document.items():
            if key == "accounts":
                for index, item in enumerate(value):
                    self._add_account(names, item, ("accounts", index))
            elif key in _OF_THE_WORLD:
                self._lay(self.document, key, value, (), ())
            else:
                home: Path = ("accounts", names.index(account.name))
                self._lay(self._accounts[names.index(account.name)], key, value, home, ())

    def of_its_own(self, error: ScenarioError) -> ScenarioError:
        """What is wrong, with the places of the partial document."""
        found = (row._replace(path=self._origin(row.path)) for row in error.mistakes)
        return ScenarioError([row._replace(mark=locate(self._added, row.path)) for row in found])

    def _add_account(self, names: list[str], item: Mapping[str, Any], source: Path) -> None:
        if item["name"] not in names:
            names.append(item["name"])
            self._parts[("accounts", len(self._accounts))] = [_Part(0, source)]
            self._accounts.append(dict(item))
            return
        home: Path = ("accounts", names.index(item["name"]))
        for key, value in item.items():
            self._lay(self._accounts[names.index(item["name"])], key, value, home, source)

    def _lay(self, holder: dict[str, Any], key: str, value: Any, home: Path, source: Path) -> None:
        """Mappings merge, lists append, all else replaces."""
        before = holder.get(key)
        if isinstance(before, dict) and isinstance(value, dict) and key not in _ALTERNATIVES:
            for inner, part in value.items():
                self._lay(before, inner, part, (*home, key), (*source, key))
            return
        appended = isinstance(before, list) and isinstance(value, list)
        self._parts.setdefault((*home, key), []).append(_Part(len(before) if appended else 0, (*source, key)))  # type: ignore[arg-type]  # it is a list
        holder[key] = [*before, *value] if appended else value  # type: ignore[misc]  # see above

    def _origin(self, path: Path) -> Path:
        """Where a place of the whole document stands in the partial one."""
        for length in range(len(path), 0, -1):
            parts = self._parts.get(path[:length], ())
            rest = path[length:]
            for part in reversed(parts):
                if rest and isinstance(rest[0], int) and rest[0] >= part.start:
                    return (*part.path, rest[0] - part.start, *rest[1:])
                if not rest or not isinstance(rest[0], int):
                    return (*part.path, *rest)
        return path

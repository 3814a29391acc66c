"""Checking a document: all mistakes are collected, and valid parts are checked although other parts are invalid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any

from marshmallow import ValidationError

from mockserver.scenario.documents.document import MappingNode, SequenceNode, in_full, located
from mockserver.scenario.documents.field_errors import mistakes, wrong_paths
from mockserver.scenario.documents.mistakes import MOST_MISTAKES, Mistake, Path, ScenarioError, ordered
from mockserver.scenario.schema import SECTIONED, owners, scenario_schema, schema_of

#: The most attempts to load the valid parts. Chosen: references to accounts with invalid masters take four.
_MOST_ROUNDS = 8
#: Checks accounts as loaded and as written.
AccountCheck = Callable[[Mapping[str, Any], Mapping[str, Any]], Iterable[Mistake]]


class Draft:
    """A document during the checks."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        document = self._document = in_full(document)
        #: The document without the parts with errors.
        self.rest = document
        #: What its schema has loaded of the rest.
        self.data: dict[str, Any] = {}
        self._mistakes: list[Mistake] = list(getattr(document, "mistakes", ()))
        self._has_unread = any(row.wanted for row in self._mistakes)
        self._removed: set[Path] = set()
        #: The names and values in what was removed.
        self._hidden: set[Any] = set()
        #: For each list with removed items the indexes of the others.
        self._remaining: dict[Path, list[int]] = {}

    @property
    def _is_partial(self) -> bool:
        """Whether extended documents are missing, so that references may lead to them."""
        return self._has_unread or any(path[0] == "extends" for path in self._removed)

    def report(self, found: Iterable[Mistake]) -> list[Mistake]:
        """Add mistakes of the remaining document, without possible consequences of other mistakes; return all given."""
        rows = list(found)
        certain = (row for row in rows if not self._may_follow(row))
        self._mistakes += located(self._document, (row._replace(path=self._whole(row.path)) for row in certain))
        return rows

    def refuse(self) -> None:
        """Refuse the document if mistakes were found."""
        if self._mistakes:
            raise ScenarioError(ordered(self._mistakes))

    def read(self) -> None:
        """Load the document by its schema, or its valid parts. Refuse the document if nothing is left to check."""
        found: list[Mistake] = []
        paths: list[Path] | None = []
        try:
            self.data = _loaded(self._document)
        except ValidationError as error:
            found = mistakes(error.messages_dict, scenario_schema(), self._document)
            paths = wrong_paths(error.messages_dict, scenario_schema())
        if paths is None or len(found) > MOST_MISTAKES:
            raise ScenarioError([*self._mistakes, *found])
        self._mistakes += found
        if self._mistakes:
            self._leave_out(paths)
            self._load_rest()

    def check(self, check_accounts: AccountCheck) -> None:
        """Check the loaded accounts, and remove invalid accounts, so that sections can be loaded."""
        for _ in range(_MOST_ROUNDS):
            found = self.report(check_accounts(self.data, self.rest))
            if not found:
                return
            self._leave_out([row.path for row in found])
            self._load_rest()
        self.refuse()

    def _load_rest(self) -> None:
        for _ in range(_MOST_ROUNDS):
            try:
                self.data = _loaded(self.rest)
            except ValidationError as error:
                self._leave_out(wrong_paths(error.messages_dict, scenario_schema()))
            else:
                return
        self.refuse()

    def _leave_out(self, paths: Iterable[Path] | None) -> None:
        if paths is None:
            self.refuse()
        wrong = [self._part(self._whole(path)) for path in paths or ()]
        if () in wrong:
            self.refuse()
        self._remove(wrong)

    def _part(self, path: Path) -> Path:
        """Return the part to remove for an error: a whole list item, or a member."""
        if path in self._removed and path[::2] == ("accounts", "of"):
            path = (*path[:2], "role")  # a sub-account without a master
        start = 2 if path[:1] == ("accounts",) and len(path) > 2 else 0
        found = next((path[: at + 1] for at in range(start, len(path)) if isinstance(path[at], int)), path)
        while found in self._removed:
            found = found[:-1]
        return found

    def _remove(self, paths: Iterable[Path]) -> None:
        self._removed.update(paths)
        self._removed.update(self._members_of_families())
        self._remaining = {}
        tree: dict[Any, Any] = {}
        for path in self._removed:
            node = tree
            for part in path:
                node = node.setdefault(part, {})
            node[_WHOLE] = True
        rest = self._without(self._document, tree, ())
        for index, account in enumerate(rest.get("accounts", ()) if isinstance(rest.get("accounts"), list) else ()):
            if isinstance(account, MappingNode):
                account.setdefault("name", f"accounts[{self._whole(('accounts', index))[1]}]")
        self.rest = rest

    def _without(self, value: Any, tree: Mapping[Any, Any], path: Path) -> Any:
        if isinstance(value, dict):
            found = MappingNode()
            for key, inner in value.items():
                below = tree.get(key, {})
                if _WHOLE in below:
                    self._hidden.update(_scalars(key), _scalars(inner))
                else:
                    found[key] = self._without(inner, below, (*path, key)) if below or path == () else inner
            if path[:1] == ("accounts",) and "role" in value and "role" not in found:
                self._hidden.update(_scalars(value.get("name")))  # references to an account without a valid role
            return found
        if isinstance(value, list):
            remaining = [at for at in range(len(value)) if _WHOLE not in tree.get(at, {})]
            self._remaining[path] = remaining
            self._hidden.update(
                chain.from_iterable(_scalars(value[at]) for at in set(range(len(value))) - {*remaining})
            )
            items = SequenceNode()
            items += [
                self._without(value[at], tree.get(at, {}), (*path, at)) if tree.get(at) or path == ("accounts",)
                else value[at] for at in remaining
            ]  # fmt: skip
            return items
        return value

    def _members_of_families(self) -> Iterator[Path]:
        """Yield members to remove because they are checked against an invalid account's members."""
        members, accounts = _family_members(), self._accounts()
        is_all = self._is_partial or not self._removed.isdisjoint({("solution",), ("accounts",)})
        names = {name for at in self._accounts_in_error(members) for name in _family(accounts[at])}
        found = [at for at, row in enumerate(accounts) if is_all or not names.isdisjoint(_family(row))]
        yield from (("accounts", at, name) for at in found for name in members if name in accounts[at])
        if is_all or 0 in found or self._is_top_in_error(members):
            yield from ((name,) for name in members if name in self._document)

    def _accounts(self) -> list[Mapping[Any, Any]]:
        """Return the accounts as written; invalid accounts count as empty."""
        found = self._document.get("accounts")
        return [row if isinstance(row, Mapping) else {} for row in found] if isinstance(found, list) else []

    def _accounts_in_error(self, members: Collection[str]) -> set[int]:
        """Return the indexes of accounts with errors in these members, or in name, role or master.

        Members at the top of the document are those of the first account.
        """
        of_family = {"name", "role", "of", *members}
        paths = [path for path in self._removed if path[0] == "accounts" and of_family.issuperset(path[2:3])]
        found = {at for path in paths for at in path[1:2] if isinstance(at, int)}
        return found | ({0} if self._is_top_in_error(members) and self._accounts() else set())

    def _is_top_in_error(self, members: Collection[str]) -> bool:
        return any(path[0] in members for path in self._removed)

    def _whole(self, path: Path) -> Path:
        """Return the path in the whole document of a path in the remaining document."""
        found: Path = ()
        for part in path:
            remaining = self._remaining.get(found)
            found = (*found, remaining[part] if remaining and isinstance(part, int) and part < len(remaining) else part)
        return found

    def _may_follow(self, row: Mistake) -> bool:
        """Return whether a mistake may result from missing documents or removed parts."""
        if self._whole(row.path) in self._removed:
            return True
        return bool(row.wanted) and (self._is_partial or not self._hidden.isdisjoint(row.wanted))


#: Marks a removed part in a tree.
_WHOLE: Any = object()


def _loaded(document: Mapping[str, Any]) -> dict[str, Any]:
    with suppress(ValidationError):
        data: dict[str, Any] = schema_of(tuple(resource.name for resource in owners(document))).load(document)
        return data
    found: dict[str, Any] = scenario_schema().load(document)
    return found


def _family_members() -> list[str]:
    return [name for row in SECTIONED if row.section and row.section.checks_families for name in row.section.fields]


def _family(account: Mapping[str, Any]) -> Iterator[str]:
    yield from (value for name in ("name", "of") if isinstance(value := account.get(name), str))


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _scalars(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(inner)
    elif isinstance(value, (str, int, float)):
        yield value

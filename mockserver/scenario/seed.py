"""Adding to a running workspace: the accounts, rows and faults of a partial document, behind those that it has."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account, User
from mockserver.core.text.messages import shown, too_many
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Section, counting_from
from mockserver.scenario.behaviour import BehaviourItem
from mockserver.scenario.content import (
    check_amounts,
    check_ids,
    check_master,
    check_room,
    claim_ids,
    duplicate,
    duplicate_key,
    finish_section,
    generate,
    load_section,
    load_workspace_section,
    make_account,
    relieve,
    weigh,
)
from mockserver.scenario.documents.mistakes import Mistake, Path
from mockserver.scenario.draft import Draft
from mockserver.scenario.faults import load_faults
from mockserver.scenario.schema import MOST_FAULTS, SECTIONED

#: The longest list of things that are no rows, such as users, to which documents may add. Chosen: above any use, and
#: short enough to be copied for each document.
MOST_LISTED = 1_000
#: Members that cannot be added, and what to do instead.
_NOT_ADDED = {
    "clock": "move it with PUT /_mock/clock",
    "seed": "choose it when the workspace is made",
    "extends": "reset the workspace to a scenario",
    "resume": "use PUT /_mock/state",
}
#: Members of an account that never change.
_FIXED = ("id", "role", "of")
#: Members of an existing account that a document replaces.
_REPLACED = (
    "email", "first_name", "last_name", "company_name", "enterprise", "organization_id", "user_id", "created_at",
    "language", "under_validation",
)  # fmt: skip
_ITS_OWN = frozenset({"accounts", "description", "solution", "strict", "behaviour", "faults"})
_WORKSPACE = tuple(resource.workspace for resource in SECTIONED if resource.workspace)
_SECTIONS = tuple(resource.section for resource in SECTIONED if resource.section)
#: Members of a document that do not belong to its first account.
_OF_THE_WORKSPACE = _ITS_OWN.union(*(section.fields for section in _WORKSPACE))
#: Mappings with one of several members: a new one replaces the old one as a whole.
_ALTERNATIVES = frozenset({"authenticate_domain"})
_BEHAVIOUR = BehaviourItem()


def add(workspace: Workspace, account: Account, document: Mapping[str, Any]) -> None:
    """Add the content of a partial document to a running workspace, which goes on undisturbed.

    Sections at the top of the document go to `account`.

    Raises:
        ScenarioError: the document is invalid, or conflicts with what exists; nothing has changed.
    """
    with counting_from(workspace.state.clock.now):
        # Loaded before the lock is taken, and twice: the rows of the trial hold on to what was loaded for it.
        for_trial, for_good = _draft(document), _draft(document)
        with workspace.lock:
            relieve(workspace, document)
            for_trial.check(lambda data, rest: _Addition(workspace, account.name, data, rest).check())
            addition = _Addition(workspace.dry_run(), account.name, for_trial.data, for_trial.rest)
            for_trial.report(addition.mistakes())
            for_trial.refuse()
            late = list(_Addition(workspace, account.name, for_good.data, document).mistakes())
            assert not late, f"what went well in the trial is wrong in the workspace: {late}"
            workspace.catch_up()
            workspace.watchers.tell()


def _draft(document: Mapping[str, Any]) -> Draft:
    """A document, loaded by its schema as far as it is well-formed."""
    draft = Draft(document)
    draft.report(Mistake((name,), advice) for name, advice in _NOT_ADDED.items() if name in document)
    if not document:
        draft.report([Mistake((), "nothing to add: expected a document with at least one section")])
    draft.read()
    return draft


class _Part(NamedTuple):
    """What a document says of one account: as loaded, as written, and where."""

    account: Account
    data: Mapping[str, Any]
    written: Mapping[str, Any]
    path: Path
    #: Whether the document makes the account, so that it has nothing yet.
    is_new: bool = False


class _Addition:
    """Adds the content of a checked document, and yields its mistakes, after which the workspace must not be used."""

    def __init__(
        self, workspace: Workspace, account: str, data: Mapping[str, Any], document: Mapping[str, Any]
    ) -> None:
        self._workspace = workspace
        self._first = account
        self._data = data
        self._document = document
        self._items: list[dict[str, Any]] = data.get("accounts", [])

    def check(self) -> Iterator[Mistake]:
        """The mistakes of what everything else depends on: of the solution and the accounts."""
        yield from self._check_solution()
        yield from self._check_accounts()

    def mistakes(self) -> Iterator[Mistake]:
        limits = [
            *weigh(self._workspace, self._document),
            *check_amounts(self._workspace.state, self._data),
        ]
        yield from limits
        self._describe()
        parts = self._parts()
        for of_workspace in _WORKSPACE:
            yield from load_workspace_section(of_workspace, self._workspace, self._data)
        # Masters first: the plan of a sub-account comes out of its master's pool.
        parts.sort(key=lambda part: part.account.role is Role.SUB_ACCOUNT)
        for section in _SECTIONS:
            for part in parts:
                yield from self._load_section(section, part)
            yield from self._finish(section, parts)
        if not limits:
            yield from generate(
                self._workspace, ((part.account, part.data.get("generate", {}), part.path) for part in parts)
            )
        yield from self._add_faults()
        yield from check_room(self._workspace.state)
        yield from check_ids(self._workspace.state)

    # ------------------------------------------------------------------ the workspace's own

    def _check_solution(self) -> Iterator[Mistake]:
        """Refuse another solution if there are masters: their pools and plans belong to the present one."""
        state = self._workspace.state
        if self._data.get("solution", state.solution) != state.solution and state.masters:
            message = f"the masters of the workspace have solution {state.solution}: got {self._data['solution']}"
            yield Mistake(("solution",), f"{message}; to change it, use PUT /_mock/state")

    def _describe(self) -> None:
        for name in ("description", "solution", "strict"):
            if name in self._data:
                setattr(self._workspace.state, name, self._data[name])
        if "behaviour" in self._data:
            before = _BEHAVIOUR.dump(self._workspace.state.behaviour)
            self._workspace.state.behaviour = _BEHAVIOUR.load(_laid(before, self._document["behaviour"], "behaviour"))

    def _add_faults(self) -> Iterator[Mistake]:
        faults, there = self._data.get("faults", ()), self._workspace.state.faults
        for index, fault in enumerate(faults):
            if fault.id and there.get(fault.id) is not None:
                yield Mistake(("faults", index, "id"), f"duplicate fault id {shown(fault.id)}", taken=True)
        if len(faults) + len(there) > MOST_FAULTS:
            yield Mistake(("faults",), too_many(len(faults) + len(there), MOST_FAULTS, "faults"))
        yield from load_faults(self._workspace, faults)

    # ------------------------------------------------------------------ accounts

    def _check_accounts(self) -> Iterator[Mistake]:
        """Check the accounts, before any is made."""
        state = self._workspace.state
        new = {item["name"]: 0 for item in self._items if item["role"] is Role.MASTER}
        masters = ChainMap(new, state.masters)
        numbers: set[int] = set()
        owners: dict[str, str] = {}
        seen: set[str] = set()
        for index, item in enumerate(self._items):
            path: Path = ("accounts", index)
            if item["name"] in seen:  # each entry costs as much as the account has already
                yield duplicate((*path, "name"), "name", item["name"])
            account = state.account_named(item["name"])
            if account is not None:
                yield from _check_existing(path, item, self._document["accounts"][index], account)
            elif item["name"] not in seen:
                yield from check_master(path, item, masters)
                if "id" in item and (item["id"] in numbers or item["id"] in state.accounts):
                    yield duplicate((*path, "id"), "id", item["id"])
                numbers.add(item.get("id", 0))
            seen.add(item["name"])
            yield from self._check_keys(path, item, owners)

    def _check_keys(self, path: Path, item: Mapping[str, Any], owners: dict[str, str]) -> Iterator[Mistake]:
        """Check that no other account has one of the keys of an account; `owners` are those of the keys so far."""
        for position, key in enumerate(item.get("api_keys", ())):
            owner = self._workspace.state.account_of(key)
            if owners.setdefault(key, owner.name if owner else item["name"]) != item["name"]:
                yield duplicate_key((*path, "api_keys", position))

    def _parts(self) -> list[_Part]:
        """The accounts to which something is added, in the order of the document; new ones are made."""
        state, keys = self._workspace.state, self._keys()
        if any(item["name"] not in state.names for item in self._items):
            claim_ids(state, self._items)
        parts = []
        first = state.account_named(self._first)
        if first is not None and self._document.keys() - _OF_THE_WORKSPACE:
            parts.append(_Part(first, self._data, self._document, ()))
        for index, item in enumerate(self._items):
            written = self._document["accounts"][index]
            known = state.account_named(item["name"])
            is_new = known is None
            if known is None:
                known = make_account(state, item, keys[index], state.clock.now())
                for key in (*known.api_keys, *known.revoked_keys):
                    self._workspace.on_key(key)
            else:
                self._change(known, item, written, keys[index])
            parts.append(_Part(known, item, written, ("accounts", index), is_new))
        return parts

    def _keys(self) -> list[list[str] | None]:
        """The keys that each account of the document gets, or None for an account that gets one drawn."""
        state = self._workspace.state
        given: list[list[str] | None] = [
            item.get("api_keys", [] if item["name"] in state.names else None) for item in self._items
        ]
        keyring = self._workspace.origin.keyring
        if keyring is None or not self._items:
            return given
        return [*keyring.own_behind(len(state.accounts), given, state.is_free_key)]

    def _change(
        self, account: Account, item: Mapping[str, Any], written: Mapping[str, Any], keys: list[str] | None
    ) -> None:
        """Change and extend the members of an existing account."""
        state = self._workspace.state
        for name in _REPLACED:
            if name in written:
                setattr(account, name, item[name])
        state.claim_id("user", item.get("user_id", 0))
        account.users += [User(**user) for user in item.get("users", ())]
        for key in keys or ():
            if state.keys.get(key) != account.id:
                self._workspace.add_key(account, key)
        for key in item.get("revoked_keys", ()):
            if key not in state.revoked_keys:
                account.revoked_keys.append(key)
                self._workspace.revoke_key(key)

    # ------------------------------------------------------------------ what an account has

    def _load_section(self, section: Section, part: _Part) -> Iterator[Mistake]:
        data = {name: part.data[name] for name in section.fields if name in part.data}
        if section.account_members & data.keys() and not part.is_new:
            before = section.dump(self._workspace, part.account)
            for name in section.account_members & (before.keys() | data.keys()):
                whole = _laid(before.get(name), part.written[name], name) if name in data else before[name]
                if name in data and isinstance(whole, list) and len(whole) > MOST_LISTED:
                    yield _too_long((*part.path, name), len(whole))
                    return
                data[name] = section.fields[name].deserialize(whole)
        if data or part.is_new:
            yield from load_section(section, self._workspace, part.account, data, part.path)

    def _finish(self, section: Section, parts: list[_Part]) -> Iterator[Mistake]:
        for number, mistake in finish_section(section, self._workspace):
            # An account may be at the top of the document and in its list.
            found = [part.path for part in parts if part.account.id == number and mistake.path[0] in part.written]
            yield mistake._replace(path=(*found[0], *mistake.path))


def _check_existing(
    path: Path, item: Mapping[str, Any], written: Mapping[str, Any], account: Account
) -> Iterator[Mistake]:
    """Check what a document says of an account that exists: its users are not too many, and nothing fixed changes."""
    users = [*account.users, *item.get("users", ())]
    if "users" in item and len(users) > MOST_LISTED:
        yield _too_long((*path, "users"), len(users))
    for name in _FIXED:
        if name in written and item[name] != getattr(account, name):
            had = getattr(account, name)
            message = f"the {name} of an existing account cannot change: got {shown(item[name])}, expected {shown(had)}"
            yield Mistake((*path, name), message)


def _too_long(path: Path, length: int) -> Mistake:
    return Mistake(path, too_many(length, MOST_LISTED, f"{path[-1]}, with the existing ones"))


def _laid(before: Any, value: Any, name: str) -> Any:
    """A value over another: mappings merge, lists append, all else replaces."""
    if isinstance(before, dict) and isinstance(value, dict) and name not in _ALTERNATIVES:
        return {**before, **{key: _laid(before.get(key), inner, key) for key, inner in value.items()}}
    if isinstance(before, list) and isinstance(value, list):
        return [*before, *value]
    return value

"""Adding a partial document to a running workspace: accounts, rows and faults."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account, User
from mockserver.core.text.messages import shown, too_many
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import counting_from
from mockserver.scenario.behaviour import BehaviourItem, dump_behaviour
from mockserver.scenario.content import (
    MOST_LISTED,
    Part,
    check_master,
    claim_ids,
    duplicate,
    duplicate_key,
    fill,
    laid_over,
    make_account,
    too_long,
)  # fmt: skip
from mockserver.scenario.documents.mistakes import Mistake, Path
from mockserver.scenario.draft import Draft
from mockserver.scenario.dump import dump
from mockserver.scenario.faults import load_faults
from mockserver.scenario.schema import MOST_FAULTS, SECTIONED

#: Members that cannot be added, with the alternative.
_NOT_ADDED = {
    "clock": "move it with PUT /_mock/clock",
    "seed": "choose it when the workspace is made",
    "extends": "reset the workspace to a scenario",
    "resume": "use PUT /_mock/state",
    "vary": "use POST /_mock/vary",
    "expect": "write it into the scenario",
}
#: Members of an account that never change.
_FIXED = ("id", "role", "of")
#: Members of an existing account that a document replaces.
_REPLACED = (
    "email", "first_name", "last_name", "company_name", "enterprise", "organization_id", "user_id", "created_at",
    "language", "under_validation",
)  # fmt: skip
_ITS_OWN = frozenset({"accounts", "description", "solution", "strict", "behaviour", "faults"})
#: Members of a document that do not belong to its first account.
_OF_THE_WORKSPACE = _ITS_OWN.union(*(resource.workspace_members for resource in SECTIONED))
_BEHAVIOUR = BehaviourItem()


def add(
    workspace: Workspace, account: Account, document: Mapping[str, Any], drafts: tuple[Draft, Draft] | None = None
) -> None:
    """Add a partial document to an open workspace; after an error nothing has changed.

    Sections at the top of the document go to `account`. `drafts` is the document as `drafted` has loaded it before.
    """
    with counting_from(workspace.state.clock.now):
        for_trial, for_good = drafts or drafted(document, workspace.state.clock.now)
        if workspace.state.document_bytes + weight(document) > workspace.limits.documents_bytes:
            # Rows that are gone count no more.
            workspace.state.document_bytes = min(workspace.state.document_bytes, weight(dump(workspace)))
        for_trial.check(lambda data, rest: _Addition(workspace, account.name, data, rest).check())
        addition = _Addition(workspace.dry_run(), account.name, for_trial.data, for_trial.rest)
        for_trial.report(addition.mistakes())
        for_trial.refuse()
        late = list(_Addition(workspace, account.name, for_good.data, for_good.rest).mistakes())
        assert not late, f"what went well in the trial is wrong in the workspace: {late}"
        workspace.catch_up()
        workspace.watchers.tell()


def drafted(document: Mapping[str, Any], now: Callable[[], datetime]) -> tuple[Draft, Draft]:
    """Load a partial document twice, as the rows of a trial hold on to what was loaded for it.

    It takes a while and needs no workspace; relative instants count from `now`.
    """
    with counting_from(now):
        return _draft(document), _draft(document)


def _draft(document: Mapping[str, Any]) -> Draft:
    draft = Draft(document)
    draft.report(Mistake((name,), advice) for name, advice in _NOT_ADDED.items() if name in document)
    if not document:
        draft.report([Mistake((), "nothing to add: expected a document with at least one section")])
    draft.read()
    return draft


class _Addition:
    """Adds a checked document, and yields mistakes, after which the workspace must not be used."""

    def __init__(
        self, workspace: Workspace, account: str, data: Mapping[str, Any], document: Mapping[str, Any]
    ) -> None:
        self._workspace = workspace
        self._first = account
        self._data = data
        self._document = document
        self._items: list[dict[str, Any]] = data.get("accounts", [])

    def check(self) -> Iterator[Mistake]:
        """Yield the mistakes of solution and accounts, which everything else depends on."""
        yield from self._check_solution()
        yield from self._check_accounts()

    def mistakes(self) -> Iterator[Mistake]:
        self._describe()
        yield from self._add_faults()
        yield from fill(self._workspace, self._document, self._data, self._parts)

    def _check_solution(self) -> Iterator[Mistake]:
        """Refuse another solution if masters exist, as pools and plans depend on the solution."""
        state = self._workspace.state
        if self._data.get("solution", state.solution) != state.solution and state.masters:
            message = f"the masters of the workspace have solution {state.solution}: got {self._data['solution']}"
            yield Mistake(("solution",), f"{message}; to change it, use PUT /_mock/state")

    def _describe(self) -> None:
        for name in ("description", "solution", "strict"):
            if name in self._data:
                setattr(self._workspace.state, name, self._data[name])
        if "behaviour" in self._data:
            before, given = dump_behaviour(self._workspace.state.behaviour), self._document["behaviour"]
            self._workspace.state.behaviour = _BEHAVIOUR.load(laid_over(before, given, "behaviour"))

    def _add_faults(self) -> Iterator[Mistake]:
        faults, there = self._data.get("faults", ()), self._workspace.state.faults
        for index, fault in enumerate(faults):
            if fault.id and there.get(fault.id) is not None:
                yield Mistake(("faults", index, "id"), f"duplicate fault id {shown(fault.id)}", taken=True)
        if len(faults) + len(there) > MOST_FAULTS:
            yield Mistake(("faults",), too_many(len(faults) + len(there), MOST_FAULTS, "faults"))
        yield from load_faults(self._workspace, faults)

    def _check_accounts(self) -> Iterator[Mistake]:
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
        for position, key in enumerate(item.get("api_keys", ())):
            owner = self._workspace.state.account_of(key)
            if owners.setdefault(key, owner.name if owner else item["name"]) != item["name"]:
                yield duplicate_key((*path, "api_keys", position))

    def _parts(self) -> list[Part]:
        state, keys = self._workspace.state, self._keys()
        if any(item["name"] not in state.names for item in self._items):
            claim_ids(state, self._items)
        parts = []
        first = state.account_named(self._first)
        if first is not None and self._document.keys() - _OF_THE_WORKSPACE:
            parts.append(Part(first, self._data, self._document, lambda _: (), is_new=False))
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
            parts.append(Part(known, item, written, partial(lambda at, _: ("accounts", at), index), is_new))
        return parts

    def _keys(self) -> list[list[str] | None]:
        state = self._workspace.state
        given: list[list[str] | None] = [
            item.get("api_keys")
            if (number := state.names.get(item["name"])) is None
            else [key for key in item.get("api_keys", ()) if state.keys.get(key) != number]
            for item in self._items
        ]
        keyring = self._workspace.origin.keyring
        if keyring is None or not self._items:
            return given
        return [*keyring.own_behind(len(state.accounts), given, state.is_free_key)]

    def _change(
        self, account: Account, item: Mapping[str, Any], written: Mapping[str, Any], keys: list[str] | None
    ) -> None:
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


def _check_existing(
    path: Path, item: Mapping[str, Any], written: Mapping[str, Any], account: Account
) -> Iterator[Mistake]:
    users = [*account.users, *item.get("users", ())]
    if "users" in item and len(users) > MOST_LISTED:
        yield too_long((*path, "users"), len(users))
    for name in _FIXED:
        if name in written and item[name] != getattr(account, name):
            had = getattr(account, name)
            message = f"the {name} of an existing account cannot change: got {shown(item[name])}, expected {shown(had)}"
            yield Mistake((*path, name), message)

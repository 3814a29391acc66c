"""A document into a workspace."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from marshmallow import ValidationError

from mockserver.core.contract.operation import Role
from mockserver.core.state.account import Account, User
from mockserver.core.state.keys import Keyring
from mockserver.core.state.randomness import LAP, Randomness
from mockserver.core.state.state import LAST_ID, State
from mockserver.core.text.spelling import cut, meant
from mockserver.core.time.clock import Clock
from mockserver.core.traffic.mailbox import Mailbox
from mockserver.core.workspaces.origin import Origin, WorkspaceLimits
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.people import People
from mockserver.resources.registry import PARTS, RESOURCES
from mockserver.resources.resource import Section, WorkspaceSection
from mockserver.resources.section import SectionError, TakenError, counting_from, parse_instant
from mockserver.scenario.documents.document import located
from mockserver.scenario.documents.field_errors import mistakes
from mockserver.scenario.documents.mistakes import Mistake, Path, ScenarioError, ordered
from mockserver.scenario.rules.faults import load_faults
from mockserver.scenario.schema import GENERATORS, MOST_GENERATED, scenario_schema
from mockserver.scenario.weight import weigh
from mockserver.settings import Settings

_RESOURCES = frozenset(name for resource in RESOURCES if resource.section for name in resource.section.fields) | {
    "generate"
}
#: Members at the top of a document that stand in the state as they are.
_OF_THE_STATE = ("description", "solution", "strict", "behaviour")
_FIRST = "acme"
#: How much of a name is told.
_SHOWN = 80
#: The stream of draws of made-up people.
_PEOPLE = "people"
#: Ids that are left out are of the service's size (contract/values): accounts have seven digits.
_ACCOUNT_IDS, _USER_IDS = 1_000_000, 900_000
#: RFC 1035, 2.3.4.
_LONGEST_LABEL = 63


def load(
    document: Mapping[str, Any],
    *,
    name: str,
    title: str = "",
    seed: int | None = None,
    keyring: Callable[[int], Keyring] | None = None,
    limits: WorkspaceLimits | None = None,
) -> Workspace:
    """A workspace, as the document says; with a keyring, which is made for the seed, it has keys of its own.

    Raises:
        ScenarioError: with all of the document's mistakes, each with its line where the document has lines.
    """
    clock = _clock(document)
    with counting_from(clock.start):
        data = _checked(document)
        chosen = data.get("seed", 0) if seed is None else seed
        limits = limits or WorkspaceLimits.of(Settings())
        state = State(
            clock,
            Randomness(chosen, name),
            mailbox=Mailbox(limits.mailbox, limits.mailbox_bytes),
            rows_limit=limits.rows,
            **{member: data[member] for member in _OF_THE_STATE if member in data},
        )
        origin = Origin(title, title, seed, keyring and keyring(chosen))
        workspace = Workspace(name, state, parts=PARTS, limits=limits, origin=origin)
        # First, so that what is new among the rest gets ids and draws that nothing has had.
        _resume(workspace, data.get("resume", {}))
        found = [
            *_Filling(workspace, data, document).mistakes(),
            *located(document, load_faults(workspace, data.get("faults", ()))),
        ]
    if found:
        raise ScenarioError(ordered(found))
    return workspace


def _clock(document: Mapping[str, Any]) -> Clock:
    """The scenario's clock; what is wrong with it, the schema tells with all the rest."""
    wanted = document.get("clock")
    wanted = wanted if isinstance(wanted, Mapping) else {}
    start = wanted.get("start")
    try:
        moment = parse_instant(_text(start))
    except ValueError:
        moment = None
    return Clock(moment, frozen=wanted.get("frozen") is True)


def _text(start: object) -> str:
    """An instant as text; YAML has read an unquoted one as a datetime, in UTC if it names no zone."""
    if not isinstance(start, datetime):
        return str(start)
    return (start if start.tzinfo else start.replace(tzinfo=UTC)).isoformat()


def _checked(document: Mapping[str, Any]) -> dict[str, Any]:
    try:
        data: dict[str, Any] = scenario_schema().load(document)
    except ValidationError as error:
        raise ScenarioError(mistakes(error.messages_dict, scenario_schema(), document)) from error
    return data


def _resume(workspace: Workspace, data: Mapping[str, Any]) -> None:
    for kind, number in data.get("ids", {}).items():
        workspace.state.claim_id(kind, number)
    draws = dict(data.get("draws", {}))
    workspace.ids.resume(draws)
    workspace.state.random.positions.update(draws)
    workspace.state.revoked_keys.update(data.get("revoked_keys", ()))


class _Filling:
    """Fills a workspace with what a checked document holds, collecting what does not fit together."""

    def __init__(self, workspace: Workspace, data: Mapping[str, Any], document: Mapping[str, Any]) -> None:
        self._workspace = workspace
        self._data = data
        self._document = document
        self._items: list[dict[str, Any]] = data.get("accounts") or [{"name": _FIRST, "role": Role.STANDALONE}]
        self._loose = {name: data[name] for name in _RESOURCES if name in data}

    def mistakes(self) -> Iterator[Mistake]:
        yield from located(self._document, self._fill())

    def _fill(self) -> Iterator[Mistake]:
        found = [
            *weigh(self._workspace, self._document),
            *self._misplaced(),
            *self._check_accounts(),
            *check_amounts(self._workspace.state, self._data),
        ]
        if found:
            yield from found
            return
        keys, state = self._keys(), self._workspace.state
        claim_ids(state, self._items)
        accounts = [
            make_account(state, item, own, state.clock.start) for item, own in zip(self._items, keys, strict=True)
        ]
        for resource in RESOURCES:
            if resource.workspace is not None:
                yield from load_workspace_section(resource.workspace, self._workspace, self._data)
        # Masters first: the plan of a sub-account comes out of its master's pool.
        order = sorted(range(len(accounts)), key=lambda index: accounts[index].role is Role.SUB_ACCOUNT)
        indexes = {account.id: index for index, account in enumerate(accounts)}
        for resource in RESOURCES:
            if resource.section is not None:
                for index in order:
                    yield from self._load_section(resource.section, index, accounts[index])
                for number, mistake in finish_section(resource.section, self._workspace):
                    yield self._placed(indexes[number], mistake)
        yield from generate(
            self._workspace,
            (
                (account, self._facts(index).get("generate", {}), self._place(index, "generate"))
                for index, account in enumerate(accounts)
            ),
        )
        yield from check_room(state)
        yield from check_ids(state)

    def _load_section(self, section: Section, index: int, account: Account) -> Iterator[Mistake]:
        facts = self._facts(index)
        data = {name: facts[name] for name in section.fields if name in facts}
        for mistake in load_section(section, self._workspace, account, data, ()):
            yield self._placed(index, mistake)

    def _placed(self, index: int, mistake: Mistake) -> Mistake:
        """A mistake within an account, with its path in the document."""
        return mistake._replace(path=(*self._place(index, mistake.path[0]), *mistake.path))

    def _place(self, index: int, member: object) -> Path:
        """Where in the document a member of an account stands: the first account's may stand at its top."""
        return () if index == 0 and member in self._loose else ("accounts", index)

    def _misplaced(self) -> Iterator[Mistake]:
        for name in self._loose:
            if name in self._items[0]:
                yield Mistake((name,), f"stands here and in accounts[0].{name} as well")

    def _check_accounts(self) -> Iterator[Mistake]:
        masters = [item["name"] for item in self._items if item["role"] is Role.MASTER]
        known = dict.fromkeys(masters)
        seen: dict[str, dict[Any, int]] = {"name": {}, "id": {}, "api_keys": {}}
        for index, item in enumerate(self._items):
            path: Path = ("accounts", index)
            for name in ("name", "id"):
                if name in item and seen[name].setdefault(item[name], index) != index:
                    yield Mistake((*path, name), f"{item[name]} is there already", taken=True)
            yield from check_master(path, item, known)
            for position, key in enumerate(item.get("api_keys", ())):
                if seen["api_keys"].setdefault(key, index) != index:
                    yield Mistake((*path, "api_keys", position), "this key opens another account already", taken=True)

    def _keys(self) -> Sequence[list[str] | None]:
        """The keys of each account; None: it gets one."""
        keys = [item.get("api_keys") for item in self._items]
        keyring = self._workspace.origin.keyring
        if keyring is None:
            return keys
        revoked = (key for item in self._items for key in item.get("revoked_keys", ()))
        return keyring.own(keys, {*self._workspace.state.revoked_keys, *revoked})

    def _facts(self, index: int) -> Mapping[str, Any]:
        return {**self._items[index], **(self._loose if index == 0 else {})}


def load_workspace_section(
    section: WorkspaceSection, workspace: Workspace, data: Mapping[str, Any]
) -> Iterator[Mistake]:
    """Load what a resource has beside accounts; gives what does not fit."""
    try:
        section.load(workspace, data)
    except SectionError as error:
        yield Mistake(error.path, error.message, taken=isinstance(error, TakenError))


def load_section(
    section: Section, workspace: Workspace, account: Account, data: Mapping[str, Any], path: Path
) -> Iterator[Mistake]:
    """Load what a resource has of an account, which stands at this path of the document; gives what does not fit."""
    try:
        section.load(workspace, account, data)
    except SectionError as error:
        yield Mistake((*path, *error.path), error.message, taken=isinstance(error, TakenError))


def finish_section(section: Section, workspace: Workspace) -> Iterator[tuple[int, Mistake]]:
    """Finish what a resource has loaded of all accounts; gives what does not fit, and which account has it."""
    try:
        section.finish(workspace)
    except SectionError as error:
        yield error.account, Mistake(error.path, error.message, taken=isinstance(error, TakenError))


def check_room(state: State) -> Iterator[Mistake]:
    """Refuse what would leave more rows in a workspace than it may hold."""
    kept, most = state.kept(), state.rows_limit
    if kept > most:
        yield Mistake(
            (), f"the workspace would have {kept:,} rows, and there may be {most:,} (--rows-limit)", taken=True
        )


def check_ids(state: State) -> Iterator[Mistake]:
    """Refuse ids that count on past the largest one that can be given: they could not be loaded again."""
    for kind, number in state.last_ids.items():
        if number > LAST_ID:
            yield Mistake((), f"ids of {kind} would count up to {number:,}, and {LAST_ID:,} is the largest")


def check_amounts(state: State, data: Mapping[str, Any]) -> Iterator[Mistake]:
    """Refuse a document that generates more rows in all than may be, or more than a workspace has room for."""
    places = [data, *data.get("accounts", ())]
    total = sum(amount for place in places for amount in place.get("generate", {}).values())
    if total > MOST_GENERATED:
        yield Mistake(("generate",), f"{total:,} rows are to be generated in all, and {MOST_GENERATED:,} is the most")
    elif total and state.kept() + total > state.rows_limit:
        told = f"{total:,} rows are to be generated beside {state.kept():,}"
        yield Mistake(("generate",), f"{told}, and there may be {state.rows_limit:,} (--rows-limit)", taken=True)


def generate(workspace: Workspace, wanted: Iterable[tuple[Account, Mapping[str, int], Path]]) -> Iterator[Mistake]:
    """Fill lists of accounts with made-up items, going on from those that there are; gives what does not fit.

    Each account comes with the place in the document that says so.
    """
    random = workspace.state.random
    # One for all, as it is the names to choose from that take long.
    people = People(random.seed, random.positions.get(_PEOPLE, 0))
    for account, amounts, path in wanted:
        for name, amount in amounts.items():
            items = [GENERATORS[name](people, workspace, account) for _ in range(amount)]
            section = next(
                resource.section for resource in RESOURCES if resource.section and name in resource.section.generators
            )
            for mistake in load_section(section, workspace, account, {name: items}, ()):
                told = f"a made-up item of account {account.name} does not fit: {mistake.message}"
                yield mistake._replace(path=(*path, "generate", name), message=told)
            section.finish(workspace)
            random.positions[_PEOPLE] = people.count % LAP


def claim_ids(state: State, items: Iterable[Mapping[str, Any]]) -> None:
    """Count on past the ids that the accounts of a document have."""
    items = tuple(items)
    for kind, name, least in (("account", "id", _ACCOUNT_IDS), ("user", "user_id", _USER_IDS)):
        state.claim_id(kind, max([least, *(item.get(name, 0) for item in items)]))


def make_account(
    state: State,
    item: Mapping[str, Any],
    keys: Sequence[str] | None,
    moment: datetime,
) -> Account:
    """An account of a document, made at a moment; without keys it gets one."""
    email = item.get("email") or f"owner@{_slug(item['name'])}.test"
    users = [User(**user) for user in item.get("users", ())] or [User(email, admin=True)]
    names = ("of", "first_name", "last_name", "company_name", "enterprise", "language", "revoked_keys")
    account = Account(
        id=item["id"] if "id" in item else state.next_id("account"),
        name=item["name"],
        email=email,
        created_at=item.get("created_at", moment),
        organization_id=item.get("organization_id") or state.random.digits("organization", 24),
        user_id=item["user_id"] if "user_id" in item else state.next_id("user"),
        role=item["role"],
        api_keys=[state.draw_api_key()] if keys is None else list(keys),
        users=users,
        **{name: item[name] for name in names if name in item},
    )
    state.add_account(account)
    return account


def check_master(path: Path, item: Mapping[str, Any], masters: Collection[str]) -> Iterator[Mistake]:
    """Sub-accounts and admin accounts name their master, the others have none."""
    role, master = item["role"], item.get("of")
    if role in (Role.SUB_ACCOUNT, Role.ADMIN):
        if master not in masters:
            told = f"an account of role {role} names its master; there is no {cut(repr(master), _SHOWN)}"
            yield Mistake((*path, "of"), told, advice=partial(_instead, master, masters))
    elif master is not None:
        yield Mistake((*path, "of"), f"an account of role {role} has no master")


def _instead(master: object, masters: Iterable[str]) -> str:
    near = meant(master, masters)
    return f"; did you mean {near}?" if near else ""


def _slug(name: str) -> str:
    """A name as the label of a domain."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:_LONGEST_LABEL].strip("-") or "account"

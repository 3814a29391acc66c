"""Loading a document into a new workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mockserver.core.contract.operation import Role
from mockserver.core.lazy import lazy
from mockserver.core.state.identifiers import Keyring, Randomness
from mockserver.core.state.state import Account, State
from mockserver.core.time.clock import Clock
from mockserver.core.traffic.causes import Cause
from mockserver.core.traffic.mail import Mailbox
from mockserver.core.workspaces.workspace import Origin, Workspace, WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.resources.section import Section, counting_from, parse_instant
from mockserver.scenario.content import (
    check_accounts,
    check_amounts,
    check_ids,
    check_room,
    claim_ids,
    finish_section,
    generate,
    load_section,
    load_workspace_section,
    make_account,
    weigh,
)
from mockserver.scenario.documents.mistakes import Mistake, Path
from mockserver.scenario.draft import Draft
from mockserver.scenario.schema import SECTIONED, owners
from mockserver.settings import Settings

if TYPE_CHECKING:
    from mockserver.scenario import faults
else:
    (faults,) = lazy(__package__, "faults")

_OF_RESOURCES = frozenset({"generate"}).union(*(resource.members for resource in SECTIONED))
#: Members of a document that the state takes over unchanged.
_OF_THE_STATE = ("description", "solution", "strict", "behaviour")
#: The name of the only account of a document without accounts.
_FIRST = "acme"


def load(
    document: Mapping[str, Any],
    *,
    name: str,
    title: str = "",
    seed: int | None = None,
    keyring: Callable[[int], Keyring] | None = None,
    limits: WorkspaceLimits | None = None,
    replica: str = "",
) -> Workspace:
    """A workspace that a document describes; with a `keyring`, which is made from the seed, it has keys of its own.

    `replica` is the name of the replica that draws, or empty.

    Raises:
        ScenarioError: with all mistakes of the document, each with its line if the document has lines.
    """
    clock = _clock(document)
    with counting_from(lambda: clock.start):
        draft = Draft(document)
        draft.read()
        draft.check(lambda data, _: check_accounts(_items(data)))
        data = draft.data
        chosen = data.get("seed", 0) if seed is None else seed
        limits = limits or WorkspaceLimits.of(Settings())
        state = _state(data, clock, Randomness(chosen, name, replica), limits)
        origin = Origin(title, title, seed, keyring and keyring(chosen))
        workspace = Workspace(name, state, parts=PARTS, limits=limits, origin=origin)
        # First, so that what is new among the rest gets ids and draws that nothing has had.
        _resume(workspace, data.get("resume", {}))
        draft.report(_Filling(workspace, data, draft.rest).mistakes())
        if data.get("faults"):
            draft.report(faults.load_faults(workspace, data["faults"]))
    draft.refuse()
    for item in data.get("resume", {}).get("links", ()):
        for cause in item["caused_by"]:
            workspace.links.add(Cause(cause["kind"], cause["id"]), item["kind"], item["id"])
    return workspace


def _state(data: Mapping[str, Any], clock: Clock, random: Randomness, limits: WorkspaceLimits) -> State:
    """The state of a checked document, without its accounts and faults."""
    return State(
        clock,
        random,
        mailbox=Mailbox(limits.mailbox, limits.mailbox_bytes),
        rows_limit=limits.rows,
        **{member: data[member] for member in _OF_THE_STATE if member in data},
    )


def _clock(document: Mapping[str, Any]) -> Clock:
    """The clock of a document; its mistakes are left to the schema, which finds all of a document together."""
    wanted = document.get("clock")
    wanted = wanted if isinstance(wanted, Mapping) else {}
    start = wanted.get("start")
    try:
        moment = parse_instant(_text(start))
    except ValueError:
        moment = None
    return Clock(moment, frozen=wanted.get("frozen") is True)


def _text(start: object) -> str:
    """An instant as text: YAML reads an unquoted one as a datetime, which is in UTC if it has no zone."""
    if not isinstance(start, datetime):
        return str(start)
    return (start if start.tzinfo else start.replace(tzinfo=UTC)).isoformat()


def _items(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    return data.get("accounts") or [{"name": _FIRST, "role": Role.STANDALONE}]


def _resume(workspace: Workspace, data: Mapping[str, Any]) -> None:
    for kind, number in data.get("ids", {}).items():
        workspace.state.claim_id(kind, number)
    draws = dict(data.get("draws", {}))
    workspace.ids.resume(draws)
    workspace.state.random.positions.update(draws)
    workspace.state.revoked_keys.update(data.get("revoked_keys", ()))


class _Filling:
    """Fills a new workspace with the content of a checked document, and yields its mistakes."""

    def __init__(self, workspace: Workspace, data: Mapping[str, Any], document: Mapping[str, Any]) -> None:
        self._workspace = workspace
        self._data = data
        self._document = document
        self._resources = owners(document)
        self._items = _items(data)
        self._loose = {name: data[name] for name in _OF_RESOURCES if name in data}

    def mistakes(self) -> Iterator[Mistake]:
        yield from self._misplaced()
        limits = [
            *weigh(self._workspace, self._document),
            *check_amounts(self._workspace.state, self._data),
        ]
        yield from limits
        keys, state = self._keys(), self._workspace.state
        claim_ids(state, self._items)
        accounts = [
            make_account(state, item, own, state.clock.start) for item, own in zip(self._items, keys, strict=True)
        ]
        for resource in self._resources:
            if resource.workspace is not None:
                yield from load_workspace_section(resource.workspace, self._workspace, self._data)
        # Masters first: the plan of a sub-account comes out of its master's pool.
        order = sorted(range(len(accounts)), key=lambda index: accounts[index].role is Role.SUB_ACCOUNT)
        indexes = {account.id: index for index, account in enumerate(accounts)}
        for resource in self._resources:
            if resource.section is not None:
                for index in order:
                    yield from self._load_section(resource.section, index, accounts[index])
                for number, mistake in finish_section(resource.section, self._workspace):
                    yield self._placed(indexes[number], mistake)
        if not limits:
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
        """A mistake within an account, with the path of the document instead of that of the account."""
        return mistake._replace(path=(*self._place(index, mistake.path[0]), *mistake.path))

    def _place(self, index: int, member: object) -> Path:
        """The path of the mapping with a member of an account; those of the first may be at the document's top."""
        return () if index == 0 and member in self._loose else ("accounts", index)

    def _misplaced(self) -> Iterator[Mistake]:
        for name in self._loose:
            if name in self._items[0]:
                yield Mistake((name,), f"duplicate section: accounts[0].{name} has it as well; keep one of them")

    def _keys(self) -> Sequence[list[str] | None]:
        """The keys of each account, or None for an account that gets one drawn."""
        keys = [item.get("api_keys") for item in self._items]
        keyring = self._workspace.origin.keyring
        if keyring is None:
            return keys
        revoked = (key for item in self._items for key in item.get("revoked_keys", ()))
        return keyring.own(keys, {*self._workspace.state.revoked_keys, *revoked})

    def _facts(self, index: int) -> Mapping[str, Any]:
        return {**self._items[index], **(self._loose if index == 0 else {})}

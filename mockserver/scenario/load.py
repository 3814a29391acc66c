"""Loading a document into a new workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from mockserver.core.contract.operation import Role
from mockserver.core.lazy import lazy
from mockserver.core.state.identifiers import Keyring, Randomness
from mockserver.core.state.state import State
from mockserver.core.time.clock import Clock
from mockserver.core.traffic.causes import Cause
from mockserver.core.traffic.mail import InboundContents, Mailbox
from mockserver.core.workspaces.workspace import Origin, Workspace, WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.resources.section import counting_from, parse_instant
from mockserver.scenario.content import Part, check_accounts, claim_ids, fill, make_account
from mockserver.scenario.documents.mistakes import Mistake, Path
from mockserver.scenario.draft import Draft
from mockserver.scenario.schema import SECTIONED, owners
from mockserver.settings import Settings

if TYPE_CHECKING:
    from mockserver.scenario import expectations, faults
    from mockserver.scenario import vary as varying
else:
    expectations, faults, varying = lazy(__package__, "expectations", "faults", "vary")

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
    """Create the workspace `name` of a document; `title` names the scenario, and `replica` the drawing replica.

    `seed` replaces the document's seed; `keyring` creates the workspace's own keys from the seed.
    """
    clock = _clock(document)
    with counting_from(lambda: clock.start):
        draft = Draft(document)
        draft.read()
        draft.check(lambda data, _: check_accounts(_items(data)))
        data = draft.data
        chosen = data.get("seed", 0) if seed is None else seed
        limits = limits or WorkspaceLimits.of(Settings())
        state = State(
            clock, Randomness(chosen, name, replica), mailbox=Mailbox(limits.mailbox, limits.mailbox_bytes),
            received=InboundContents(limits.mailbox, limits.mailbox_bytes),
            rows_limit=limits.rows, **{member: data[member] for member in _OF_THE_STATE if member in data},
        )  # fmt: skip
        origin = Origin(title, title, seed, keyring and keyring(chosen))
        workspace = Workspace(name, state, parts=PARTS, limits=limits, origin=origin)
        # First, so that what is new among the rest gets ids and draws that nothing has had.
        _resume(workspace, data.get("resume", {}))
        draft.report(_fill(workspace, data, draft.rest))
        if data.get("faults"):
            draft.report(faults.load_faults(workspace, data["faults"]))
        if data.get("vary") is not None:
            varying.load_vary(workspace, draft.rest, data["vary"])
    draft.refuse()
    if data.get("expect"):
        draft.report(expectations.load_expected(workspace, document, data))
        draft.refuse()
    for item in data.get("resume", {}).get("links", ()):
        for cause in item["caused_by"]:
            workspace.links.add(Cause(cause["kind"], cause["id"]), item["kind"], item["id"])
    return workspace


def _clock(document: Mapping[str, Any]) -> Clock:
    """Return the clock of a document; the schema reports invalid values."""
    wanted = document.get("clock")
    wanted = wanted if isinstance(wanted, Mapping) else {}
    start = wanted.get("start")
    try:
        moment = parse_instant(_text(start))
    except ValueError:
        moment = None
    return Clock(moment, frozen=wanted.get("frozen") is True)


def _text(start: object) -> str:
    """Return an instant as text. YAML reads unquoted instants as datetime, in UTC without a zone."""
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


def _fill(workspace: Workspace, data: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[Mistake]:
    items = _items(data)
    top = {name: data[name] for name in _OF_RESOURCES if name in data}
    for name in top:
        if name in items[0]:
            yield Mistake((name,), f"duplicate section: accounts[0].{name} has it as well; keep one of them")

    def place(index: int, member: object) -> Path:
        return () if index == 0 and member in top else ("accounts", index)

    def make_parts() -> list[Part]:
        state = workspace.state
        claim_ids(state, items)
        parts = []
        for index, (item, keys) in enumerate(zip(items, _keys(workspace, items), strict=True)):
            account, facts = make_account(state, item, keys, state.clock.start), {**item, **(top if index == 0 else {})}
            parts.append(Part(account, facts, facts, partial(place, index)))
        return parts

    yield from fill(workspace, document, data, make_parts, owners(document))


def _keys(workspace: Workspace, items: Sequence[Mapping[str, Any]]) -> Sequence[list[str] | None]:
    keys = [item.get("api_keys") for item in items]
    keyring = workspace.origin.keyring
    if keyring is None:
        return keys
    revoked = (key for item in items for key in item.get("revoked_keys", ()))
    return keyring.own(keys, {*workspace.state.revoked_keys, *revoked})

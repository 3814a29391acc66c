"""What a checked document adds to a workspace: accounts, sections of resources and generated items, within limits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from mockserver.core.contract.operation import Role
from mockserver.core.lazy import lazy
from mockserver.core.state.identifiers import LAP
from mockserver.core.state.state import LAST_ID, Account, State, User
from mockserver.core.text.messages import nearest, shown, too_many
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.people import People
from mockserver.resources.section import Section, SectionError, TakenError, WorkspaceSection
from mockserver.scenario.documents.mistakes import Mistake, Path
from mockserver.scenario.schema import MOST_GENERATED, SECTIONED, generators

#: Ids that are left out are of the service's size (contract/values): accounts have seven digits.
_ACCOUNT_IDS, _USER_IDS = 1_000_000, 900_000
#: The longest label of a domain name (RFC 1035, 2.3.4), in characters.
_LONGEST_LABEL = 63


def claim_ids(state: State, items: Iterable[Mapping[str, Any]]) -> None:
    """Let the ids of accounts and users count on past those in a document."""
    items = tuple(items)
    for kind, name, least in (("account", "id", _ACCOUNT_IDS), ("user", "user_id", _USER_IDS)):
        state.claim_id(kind, max([least, *(item.get(name, 0) for item in items)]))


def make_account(
    state: State,
    item: Mapping[str, Any],
    keys: Sequence[str] | None,
    moment: datetime,
) -> Account:
    """A new account of a document in a state, made at `moment`; if `keys` is None, it gets one that is drawn."""
    email = item.get("email") or f"owner@{_slug(item['name'])}.test"
    users = [User(**user) for user in item.get("users", ())] or [User(email, admin=True)]
    names = (
        "of",
        "first_name",
        "last_name",
        "company_name",
        "enterprise",
        "under_validation",
        "language",
        "revoked_keys",
    )
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


def check_accounts(items: Sequence[Mapping[str, Any]]) -> Iterator[Mistake]:
    """The mistakes of the accounts of a new workspace: duplicates, and masters that are missing."""
    masters = dict.fromkeys(item["name"] for item in items if item["role"] is Role.MASTER)
    seen: dict[str, dict[Any, int]] = {"name": {}, "id": {}, "api_keys": {}}
    for index, item in enumerate(items):
        path: Path = ("accounts", index)
        for name in ("name", "id"):
            if name in item and seen[name].setdefault(item[name], index) != index:
                yield duplicate((*path, name), name, item[name])
        yield from check_master(path, item, masters)
        for position, key in enumerate(item.get("api_keys", ())):
            if seen["api_keys"].setdefault(key, index) != index:
                yield duplicate_key((*path, "api_keys", position))


def duplicate(path: Path, name: str, value: object) -> Mistake:
    """The mistake of an account whose name or id another account has."""
    return Mistake(path, f"duplicate account {name} {shown(value)}", taken=True)


def duplicate_key(path: Path) -> Mistake:
    """The mistake of an API key that another account has."""
    return Mistake(path, "duplicate API key: another account has it", taken=True)


def check_master(path: Path, item: Mapping[str, Any], masters: Collection[str]) -> Iterator[Mistake]:
    """A mistake if an account lacks its master or has a wrong one, or has one although its role has none."""
    role, master = item["role"], item.get("of")
    if role not in (Role.SUB_ACCOUNT, Role.ADMIN):
        if master is not None:
            message = f"an account of role {role} has no master: got {shown(master)}; leave it out"
            yield Mistake((*path, "of"), message, wanted=(item["name"],))
    elif master is None:
        message = f"no master: expected the name of an account of role master, as the role is {role}"
        yield Mistake((*path, "of"), message, wanted=(item["name"],))
    elif master not in masters:
        message = f"no account of role master is named {shown(master)}"
        yield Mistake((*path, "of"), message, wanted=(master,), advice=partial(_instead, master, masters))


def _instead(master: object, masters: Iterable[str]) -> str:
    return f"; {nearest(master, masters)}" if masters else ""


def _slug(name: str) -> str:
    """A name as a label of a domain name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:_LONGEST_LABEL].strip("-") or "account"


if TYPE_CHECKING:
    from mockserver.scenario import dump
else:
    (dump,) = lazy(__package__, "dump")


def relieve(workspace: Workspace, document: Mapping[str, Any]) -> None:
    """If a document would exceed the limit, measure the workspace anew: much of earlier documents may be gone."""
    if workspace.state.document_bytes + weight(document) > workspace.limits.documents_bytes:
        workspace.state.document_bytes = min(workspace.state.document_bytes, weight(dump.dump(workspace)))


def weigh(workspace: Workspace, document: Mapping[str, Any]) -> Iterator[Mistake]:
    """Count the bytes of a document that a workspace is made from or that is added; a mistake if they are too many."""
    workspace.state.document_bytes += weight(document)
    most = workspace.limits.documents_bytes
    if workspace.state.document_bytes > most:
        message = too_many(workspace.state.document_bytes, most, "bytes of documents in the workspace")
        yield Mistake((), f"{message} (--documents-bytes-limit)", taken=True)


def check_room(state: State) -> Iterator[Mistake]:
    """A mistake if a state has more rows than it may."""
    kept, most = state.kept(), state.rows_limit
    if kept > most:
        yield Mistake((), f"{too_many(kept, most, 'rows in the workspace')} (--rows-limit)", taken=True)


def check_ids(state: State) -> Iterator[Mistake]:
    """A mistake for each kind whose ids have counted past `LAST_ID`: they could not be loaded again."""
    for kind, number in state.last_ids.items():
        if number > LAST_ID:
            yield Mistake((), f"{kind} ids would count up to {number:,}, expected at most {LAST_ID:,}")


def check_amounts(state: State, data: Mapping[str, Any]) -> Iterator[Mistake]:
    """A mistake if a document generates more rows than a document may, or than the state may have."""
    items = [data, *data.get("accounts", ())]
    total = sum(amount for item in items for amount in item.get("generate", {}).values())
    if total > MOST_GENERATED:
        yield Mistake(("generate",), too_many(total, MOST_GENERATED, "generated rows"))
    elif total and state.kept() + total > state.rows_limit:
        message = too_many(state.kept() + total, state.rows_limit, "rows in the workspace")
        yield Mistake(("generate",), f"{message} (--rows-limit), {total:,} of them generated", taken=True)


#: The purpose of the draws for generated people.
_PEOPLE = "people"


def load_workspace_section(
    section: WorkspaceSection, workspace: Workspace, data: Mapping[str, Any]
) -> Iterator[Mistake]:
    """Load the section of a resource that belongs to no account; yields its mistakes."""
    yield from (_mistake(error) for error in section.load(workspace, data))


def load_section(
    section: Section, workspace: Workspace, account: Account, data: Mapping[str, Any], path: Path
) -> Iterator[Mistake]:
    """Load the section of a resource for an account at a path of the document; yields its mistakes."""
    yield from (_mistake(error, path) for error in section.load(workspace, account, data))


def finish_section(section: Section, workspace: Workspace) -> Iterator[tuple[int, Mistake]]:
    """Finish what a resource has loaded of all accounts; gives what does not fit, and which account has it."""
    yield from ((error.account, _mistake(error)) for error in section.finish(workspace))


def _mistake(error: SectionError, path: Path = ()) -> Mistake:
    return Mistake((*path, *error.path), error.message, taken=isinstance(error, TakenError), wanted=error.wanted)


def generate(workspace: Workspace, wanted: Iterable[tuple[Account, Mapping[str, int], Path]]) -> Iterator[Mistake]:
    """Fill lists of accounts with generated items, behind those that there are; yields the mistakes.

    Each account comes with the number of items by list, and with the path of the mapping that has `generate`.
    """
    random = workspace.state.random
    # One for all accounts: loading the names to choose from takes long.
    people = People(random.seed, random.positions.get(_PEOPLE, 0))
    for account, amounts, path in wanted:
        for name, amount in amounts.items():
            items = [generators()[name](people, workspace, account) for _ in range(amount)]
            section = next(
                resource.section for resource in SECTIONED if resource.section and name in resource.section.generators
            )
            for mistake in load_section(section, workspace, account, {name: items}, ()):
                message = f"a generated item of account {shown(account.name)} conflicts with others: {mistake.message}"
                yield mistake._replace(path=(*path, "generate", name), message=message)
            yield from (mistake for _, mistake in finish_section(section, workspace))
            random.positions[_PEOPLE] = people.count % LAP

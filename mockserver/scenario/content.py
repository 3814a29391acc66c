"""Filling a workspace from a checked document: accounts, sections of resources and generated rows, within limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from mockserver.core.contract.operation import Role
from mockserver.core.state.identifiers import LAP
from mockserver.core.state.state import LAST_ID, Account, State, User
from mockserver.core.text.messages import nearest, shown, too_many
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.people import People
from mockserver.resources.resource import Resource
from mockserver.resources.section import Section, SectionError, TakenError
from mockserver.scenario.documents.mistakes import Mistake, Path
from mockserver.scenario.schema import MOST_GENERATED, SECTIONED, generators

#: The first generated ids have the service's size (contract/values): accounts have seven digits.
_ACCOUNT_IDS, _USER_IDS = 1_000_000, 900_000
#: The longest label of a domain name (RFC 1035, 2.3.4), in characters.
_LONGEST_LABEL = 63
#: The longest list of an account's own items, such as users. Chosen: short enough to copy for each document.
MOST_LISTED = 1_000
#: Mappings with alternative members: a new mapping replaces the old mapping.
_ALTERNATIVES = frozenset({"authenticate_domain"})
#: The purpose of the draws for generated people.
_PEOPLE = "people"


class Part(NamedTuple):
    """The content of a document for one account."""

    account: Account
    data: Mapping[str, Any]
    #: The members as written.
    written: Mapping[str, Any]
    #: Returns the path of the mapping that has a member.
    place: Callable[[object], Path]
    #: Whether the document creates the account.
    is_new: bool = True


def fill(
    workspace: Workspace,
    document: Mapping[str, Any],
    data: Mapping[str, Any],
    make_parts: Callable[[], list[Part]],
    resources: Sequence[Resource] = SECTIONED,
) -> Iterator[Mistake]:
    """Fill a workspace with sections and generated rows. Yields mistakes, after which it must not be used.

    `document` is the document as written, and `data` as loaded; `make_parts` creates the accounts.
    """
    limits = [*_weigh(workspace, document), *_check_amounts(workspace.state, data)]
    yield from limits
    # Masters first: the plan of a sub-account is taken from its master's pool.
    parts = sorted(make_parts(), key=lambda part: part.account.role is Role.SUB_ACCOUNT)
    for resource in resources:
        if resource.workspace is not None:
            yield from map(_mistake, resource.workspace.load(workspace, data))
    for section in filter(None, (resource.section for resource in resources)):
        for part in parts:
            yield from _load_section(section, workspace, part)
        for error in section.finish(workspace):
            # An account may be at the top of the document and in its list.
            own = [part for part in parts if part.account.id == error.account]
            part = next((part for part in own if error.path[0] in part.written), own[0])
            yield _mistake(error, part.place(error.path[0]))
    if not limits:
        yield from _generate(workspace, parts)
    kept, most = workspace.state.kept(), workspace.state.rows_limit
    if kept > most:
        yield Mistake((), f"{too_many(kept, most, 'rows in the workspace')} (--rows-limit)", taken=True)
    for kind, number in workspace.state.last_ids.items():
        if number > LAST_ID:
            yield Mistake((), f"{kind} ids would count up to {number:,}, expected at most {LAST_ID:,}")


def _weigh(workspace: Workspace, document: Mapping[str, Any]) -> Iterator[Mistake]:
    workspace.state.document_bytes += weight(document)
    most = workspace.limits.documents_bytes
    if workspace.state.document_bytes > most:
        message = too_many(workspace.state.document_bytes, most, "bytes of documents in the workspace")
        yield Mistake((), f"{message} (--documents-bytes-limit)", taken=True)


def _check_amounts(state: State, data: Mapping[str, Any]) -> Iterator[Mistake]:
    items = [data, *data.get("accounts", ())]
    total = sum(amount for item in items for amount in item.get("generate", {}).values())
    if total > MOST_GENERATED:
        yield Mistake(("generate",), too_many(total, MOST_GENERATED, "generated rows"))
    elif total and state.kept() + total > state.rows_limit:
        message = too_many(state.kept() + total, state.rows_limit, "rows in the workspace")
        yield Mistake(("generate",), f"{message} (--rows-limit), {total:,} of them generated", taken=True)


def _load_section(section: Section, workspace: Workspace, part: Part) -> Iterator[Mistake]:
    data = {name: part.data[name] for name in section.fields if name in part.data}
    if section.account_members & data.keys() and not part.is_new:
        before = section.dump(workspace, part.account)
        for name in section.account_members & (before.keys() | data.keys()):
            whole = laid_over(before.get(name), part.written[name], name) if name in data else before[name]
            if name in data and isinstance(whole, list) and len(whole) > MOST_LISTED:
                yield too_long((*part.place(name), name), len(whole))
                return
            data[name] = section.fields[name].deserialize(whole)
    if data or part.is_new:
        for error in section.load(workspace, part.account, data):
            yield _mistake(error, part.place(error.path[0]))


def _mistake(error: SectionError, path: Path = ()) -> Mistake:
    return Mistake((*path, *error.path), error.message, taken=isinstance(error, TakenError), wanted=error.wanted)


def _generate(workspace: Workspace, parts: Iterable[Part]) -> Iterator[Mistake]:
    random = workspace.state.random
    # One for all accounts: loading the names to choose from takes long.
    people = People(random.seed, random.positions.get(_PEOPLE, 0))
    for part in parts:
        for name, amount in part.data.get("generate", {}).items():
            items = [generators()[name](people, workspace, part.account) for _ in range(amount)]
            sections = (resource.section for resource in SECTIONED)  # a server without generated rows imports few
            section = next(section for section in sections if section and name in section.generators)
            for error in section.load(workspace, part.account, {name: items}):
                known = f"a generated item of account {shown(part.account.name)} conflicts with others"
                path = (*part.place("generate"), "generate", name)
                yield _mistake(error)._replace(path=path, message=f"{known}: {error.message}")
            yield from map(_mistake, section.finish(workspace))
            random.positions[_PEOPLE] = people.count % LAP


def laid_over(before: Any, value: Any, name: str) -> Any:
    """Return a value laid over another value: mappings merge, lists append, other values replace."""
    if isinstance(before, dict) and isinstance(value, dict) and name not in _ALTERNATIVES:
        return {**before, **{key: laid_over(before.get(key), inner, key) for key, inner in value.items()}}
    if isinstance(before, list) and isinstance(value, list):
        return [*before, *value]
    return value


def too_long(path: Path, length: int) -> Mistake:
    return Mistake(path, too_many(length, MOST_LISTED, f"{path[-1]}, with the existing ones"))


def claim_ids(state: State, items: Sequence[Mapping[str, Any]]) -> None:
    """Reserve the ids of accounts and users in a document, so that generated ids come after them."""
    for kind, name, least in (("account", "id", _ACCOUNT_IDS), ("user", "user_id", _USER_IDS)):
        state.claim_id(kind, max([least, *(item.get(name, 0) for item in items)]))


def make_account(state: State, item: Mapping[str, Any], keys: Sequence[str] | None, moment: datetime) -> Account:
    """Create an account of a document in a state, with these API keys or, if None, with a drawn key."""
    email = item.get("email") or f"owner@{_slug(item['name'])}.test"
    names = ("of", "first_name", "last_name", "company_name", "enterprise", "under_validation", "language")
    account = Account(
        id=item["id"] if "id" in item else state.next_id("account"), name=item["name"], email=email,
        created_at=item.get("created_at", moment),
        organization_id=item.get("organization_id") or state.random.digits("organization", 24),
        user_id=item["user_id"] if "user_id" in item else state.next_id("user"), role=item["role"],
        api_keys=[state.draw_api_key()] if keys is None else list(keys),
        users=[User(**user) for user in item.get("users", ())] or [User(email, admin=True)],
        **{name: item[name] for name in (*names, "revoked_keys") if name in item},
    )  # fmt: skip
    state.add_account(account)
    return account


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:_LONGEST_LABEL].strip("-") or "account"


def check_accounts(items: Sequence[Mapping[str, Any]]) -> Iterator[Mistake]:
    """Yield the mistakes of a new workspace's accounts: duplicates, and missing masters."""
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
    return Mistake(path, f"duplicate account {name} {shown(value)}", taken=True)


def duplicate_key(path: Path) -> Mistake:
    return Mistake(path, "duplicate API key: another account has it", taken=True)


def check_master(path: Path, item: Mapping[str, Any], masters: Collection[str]) -> Iterator[Mistake]:
    """Yield a mistake if an account lacks a valid master, or has a master although its role has none."""
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
        near = partial(nearest, master, masters)
        yield Mistake((*path, "of"), message, wanted=(master,), advice=lambda: f"; {near()}" if masters else "")

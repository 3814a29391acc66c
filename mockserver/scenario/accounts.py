"""The accounts of a document: checked, and made in a state."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from mockserver.core.contract.operation import Role
from mockserver.core.state.state import Account, State, User
from mockserver.core.text.messages import nearest, shown
from mockserver.scenario.documents.mistakes import Mistake, Path

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

"""The accounts of a document: checked, and made in a state."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from mockserver.core.contract.operation import Role
from mockserver.core.state.account import Account, User
from mockserver.core.state.state import State
from mockserver.core.text.spelling import cut, meant
from mockserver.scenario.documents.mistakes import Mistake, Path

#: How many characters of a name a message shows. Chosen: to fit on a line.
_SHOWN = 80
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
    """A mistake if an account names no master or a wrong one, or names one although its role has none."""
    role, master = item["role"], item.get("of")
    if role in (Role.SUB_ACCOUNT, Role.ADMIN):
        if master not in masters:
            message = f"an account of role {role} names its master; there is no {cut(repr(master), _SHOWN)}"
            yield Mistake((*path, "of"), message, advice=partial(_instead, master, masters))
    elif master is not None:
        yield Mistake((*path, "of"), f"an account of role {role} has no master")


def _instead(master: object, masters: Iterable[str]) -> str:
    near = meant(master, masters)
    return f"; did you mean {near}?" if near else ""


def _slug(name: str) -> str:
    """A name as a label of a domain name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:_LONGEST_LABEL].strip("-") or "account"

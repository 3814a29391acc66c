"""Which workspace a call acts on, and which account of it."""

from __future__ import annotations

from typing import Any

from flask import request

from mockserver.control.framework import dependencies, off_loop
from mockserver.control.framework.problem import Problem, of_one
from mockserver.core.state import reasons
from mockserver.core.state.account import Account
from mockserver.core.workspaces.store import StoreFullError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.routing.workspace_name import WORKSPACE, WORKSPACE_HEADER
from mockserver.web.server import loop
from mockserver.web.service.auth import find

#: Where the workspace stands that a call has acted on.
ACTED_ON = "mockserver.acted_on"


def workspace(*, whole: bool = False) -> Workspace:
    """The workspace that the call acts on, with all that is due done.

    A call that concerns the whole of it leaves the event loop where that is large.

    Raises:
        Problem: 404; what names it names none.
    """
    return entered(addressed() or _behind_key() or dependencies.store().default, whole=whole)


def changed_workspace() -> Workspace:
    """The same, for which nobody else makes a new state until the call is over.

    Raises:
        Problem: 404; what names it names none.
    """
    found = workspace()
    loop.occupy(request.environ, found.changing)
    return found


def entered(found: Workspace, *, whole: bool = False) -> Workspace:
    """A workspace with all that is due done; on the event loop, nobody else acts on it until the call is over."""
    if whole:
        off_loop.before_all_of(found)
    loop.enter(request.environ, found)
    return acting_on(found)


def acting_on(workspace: Workspace) -> Workspace:
    """The same workspace, of which the log says that the call has acted on it."""
    request.environ[ACTED_ON] = workspace
    return workspace


def named(name: str) -> Workspace:
    """The workspace of this name.

    Raises:
        Problem: 404.
    """
    found = dependencies.store().get(name)
    if found is None:
        why = "; it was evicted, as newer ones took its place" if dependencies.store().was_evicted(name) else ""
        raise Problem(404, f"there is no workspace {name!r}{why}")
    return acting_on(found)


def in_address() -> Workspace | None:
    """The workspace that the address names.

    Raises:
        Problem: 404.
    """
    name = request.environ.get(WORKSPACE)
    return None if name is None else named(name)


def addressed() -> Workspace | None:
    """The workspace that the address names, else the header.

    Raises:
        Problem: 404.
    """
    name = request.environ.get(WORKSPACE, request.headers.get(WORKSPACE_HEADER))
    return None if name is None else named(name)


def _behind_key() -> Workspace | None:
    key = request.headers.get("api-key")
    if not key:
        return None
    try:
        found = find(request.environ, key, dependencies.store())
    except StoreFullError as error:
        raise Problem(409, str(error)) from error
    if found is None:
        raise Problem(404, "there is no workspace behind this api-key")
    return found[0]


def check_room() -> None:
    """Refuse a call that adds rows to a workspace that is full.

    Raises:
        Problem: 409.
    """
    if full := workspace().state.full():
        raise Problem(409, f"{full}; delete some, or reset the workspace")


# ---------------------------------------------------------------------- accounts


def account(of: Workspace, body: dict[str, Any]) -> Account:
    """The account that the body names, else the one behind the call's `api-key`, else the workspace's first one.

    Raises:
        Problem: 400; there is none of that name.
    """
    key = request.headers.get("api-key")
    found = named_account(of, body) or (of.state.account_of(key) if key else None)
    return found or of.state.first_account


def named_account(of: Workspace, body: dict[str, Any]) -> Account | None:
    """The account that the body names as `account`; None, if it names none.

    Raises:
        Problem: 400; there is none of that name.
    """
    if "account" not in body:
        return None
    name = body["account"]
    found = of.state.account_named(name) if isinstance(name, str) else None
    if found is None:
        raise of_one("account", f"is no account's name; those are {reasons.listed(of.state.names)}")
    return found

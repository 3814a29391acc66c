"""The workspace, and the account in it, that a control call acts on."""

from __future__ import annotations

from typing import Any

from flask import request

from mockserver.control.framework import dependencies, off_loop
from mockserver.control.framework.problem import Problem, of_misdirected, of_mistakes, unknown
from mockserver.core.state import reasons
from mockserver.core.state.identifiers import REPLICA_HEADER
from mockserver.core.state.state import Account
from mockserver.core.traffic.causes import CURRENT_CALL
from mockserver.core.workspaces.store import Gone, StoreFullError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.scenario.documents.document import located
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.web.routing.address import WORKSPACE, WORKSPACE_HEADER
from mockserver.web.server import loop
from mockserver.web.service.handlers import find

#: The key of the WSGI environment that holds the workspace on which the call has acted.
ACTED_ON = "mockserver.acted_on"

_WHY_GONE = {
    None: "GET /_mock/workspaces lists all",
    Gone.DROPPED: "it was deleted",
    Gone.EVICTED: "it was evicted to make room for newer ones",
}


def workspace(*, whole: bool = False) -> Workspace:
    """The workspace that the call acts on, in which all due timers have fired.

    It is the one that the address names, else the header, else the one that the API key opens, else the default one.
    With `whole`, for calls that go through all of it, the event loop is left if the workspace is large.

    Raises:
        Problem: 404, there is no such workspace; 409, a workspace would be made for the key, and there are too many.
    """
    return entered(addressed() or _behind_key() or dependencies.store().default, whole=whole)


def changed_workspace() -> Workspace:
    """The workspace that the call acts on, whose state no other request replaces until the call is over.

    Raises:
        Problem: 404, there is no such workspace; 409, a workspace would be made for the key, and there are too many.
    """
    found = workspace()
    loop.occupy(request.environ, found.changing)
    return found


def entered(found: Workspace, *, whole: bool = False) -> Workspace:
    """The given workspace, after all due timers have fired.

    On the event loop no other request acts on the workspace until the call is over.
    With `whole`, for calls that go through all of it, the event loop is left if the workspace is large.
    """
    if whole:
        off_loop.before_all_of(found)
    loop.enter(request.environ, found)
    return acting_on(found)


def acting_on(workspace: Workspace) -> Workspace:
    """The given workspace, noted for the log as the one on which the call has acted."""
    request.environ[ACTED_ON] = workspace
    acting = CURRENT_CALL.get()
    if acting is not None:
        acting.on = workspace
    return workspace


def named(name: str) -> Workspace:
    """The workspace of this name.

    Raises:
        Problem: 404, there is none. 421, it is of another replica.
    """
    found = dependencies.store().get(name)
    if found is None:
        refuse_misdirected(f"workspace {name}", dependencies.store().replica.other_of_name(name))
        why = dependencies.store().why_gone(name)
        raise unknown("workspace", name, _WHY_GONE[why])
    return acting_on(found)


def refuse_misdirected(what: str, other: str | None) -> None:
    """Refuse a call about a thing that belongs to another replica, unless that is None.

    Raises:
        Problem: 421.
    """
    if other is not None:
        raise of_misdirected(dependencies.store().replica.belongs(what, other), REPLICA_HEADER, other)


def in_address() -> Workspace | None:
    """The workspace that the address names (`/w/NAME`), or None if it names none.

    Raises:
        Problem: 404, there is none of that name.
    """
    name = request.environ.get(WORKSPACE)
    return None if name is None else named(name)


def addressed() -> Workspace | None:
    """The workspace that the address names, else the header `X-Mock-Workspace`, or None if neither does.

    Raises:
        Problem: 404, there is none of that name.
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
        refuse_misdirected("the API key", dependencies.store().replica.other_of_key(key))
        raise Problem(404, "unknown API key in the header api-key: no workspace has it")
    return found[0]


def refuse_if_full() -> None:
    """Refuse a call that adds rows to a workspace that is full.

    Raises:
        Problem: 409, the workspace has as many rows as it may have.
    """
    if full := workspace().state.full():
        raise Problem(409, f"{full}; delete rows or reset the workspace")


# ---------------------------------------------------------------------- accounts


def account(of: Workspace, body: dict[str, Any]) -> Account:
    """The account that the body names, else the one that the header `api-key` opens, else the workspace's first one.

    Raises:
        Problem: 400, there is no account of that name.
    """
    key = request.headers.get("api-key")
    found = named_account(of, body) or (of.state.account_of(key) if key else None)
    return found or of.state.first_account


def named_account(of: Workspace, body: dict[str, Any]) -> Account | None:
    """The account that the body names as `account`, or None if it names none.

    Raises:
        Problem: 400, there is no account of that name.
    """
    if "account" not in body:
        return None
    name = body["account"]
    found = of.state.account_named(name) if isinstance(name, str) else None
    if found is None:
        message = f"unknown account {reasons.shown(name)}; known: {reasons.listed(of.state.names)}"
        raise of_mistakes(located(body, [Mistake(("account",), message)]))
    return found

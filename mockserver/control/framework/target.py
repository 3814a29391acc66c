"""Parts of the server for control calls, and lookup of the workspace and account of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from flask import request

from mockserver.control.framework.problem import Problem, of_misdirected, of_mistakes, unknown
from mockserver.core.state import reasons
from mockserver.core.state.identifiers import REPLICA_HEADER
from mockserver.core.state.state import Account
from mockserver.core.traffic.causes import CURRENT_CALL
from mockserver.core.workspaces.store import DEFAULT, Gone, Store, StoreFullError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.scenario.documents.document import located
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.web.components import component
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


class Tls(NamedTuple):
    """The TLS setup: the PEM certificate of the server's authority, or None for a foreign certificate."""

    ca: str | None


class ControlDependencies(NamedTuple):
    """The application component used by control calls."""

    store: Store
    library: Library
    #: The most bytes of a YAML body: reading YAML takes several times as long as JSON.
    yaml_limit: int
    #: The most levels of nested objects and arrays in a body.
    depth_limit: int
    #: Whether the control API asks for a token.
    wants_token: bool
    #: Returns the members of `health` about effects and addresses, by name: `smtp`, `smtp_in`, `tls`, `public_url`.
    effects_health: Callable[[], Mapping[str, Any]]
    #: How calls beyond the mock are answered where the scenario does not say it, as `Behaviour.beyond`.
    beyond: str
    #: How many seconds a client may wait for an answer, for the rule `no-timeout`.
    lint_timeout: float
    #: When the server was made, on the clock of `time.monotonic`.
    started: float
    #: None if the server speaks no TLS.
    tls: Tls | None = None


def current() -> ControlDependencies:
    """Return the dependencies of the server that answers the call."""
    return component(ControlDependencies)


def store() -> Store:
    return current().store


def library() -> Library:
    return current().library


# ---------------------------------------------------------------------- workspaces


def workspace(*, whole: bool = False) -> Workspace:
    """Return the workspace in the address, in the header, or behind the API key; else the default one. See `entered`.

    Raises:
        Problem: 404, there is no such workspace; 409, a workspace would be made for the key, and there are too many.
    """
    return entered(addressed() or _behind_key() or store().default, whole=whole)


def entered(found: Workspace, *, whole: bool = False) -> Workspace:
    """Note the given workspace, which is open, as that of the call, and return it.

    `whole`, for calls that read all of the workspace, leaves the event loop if it is large.
    """
    if whole:
        loop.leave_if_large(found)
    return acting_on(found)


def seen() -> Workspace:
    """Return the workspace of the call for reading only, so that others may use it during long work."""
    key = request.headers.get("api-key")
    found = addressed(find=store().seen) or (store().seen_behind(key) if key else None)
    return acting_on(found or _behind_key() or store().seen(DEFAULT) or store().default)


def opened(seen: Workspace, *, whole: bool = False) -> Workspace:
    """Open the workspace that `seen` has given, whatever its keys are by now. See `entered`.

    Raises:
        Problem: 404, it was removed meanwhile.
    """
    return entered(named(seen.name), whole=whole)


def acting_on(found: Workspace) -> Workspace:
    """Note the workspace of the call for the log, and return the workspace."""
    request.environ[ACTED_ON] = found
    acting = CURRENT_CALL.get()
    if acting is not None:
        acting.on = found
    return found


def named(name: str, find: Callable[[str], Workspace | None] | None = None) -> Workspace:
    """Return the open workspace of a name, or what `find` finds for it."""
    found = (find or store().get)(name)
    if found is None:
        refuse_misdirected(f"workspace {name}", store().replica.other_of_name(name))
        raise unknown("workspace", name, _WHY_GONE[store().why_gone(name)])
    return acting_on(found)


def refuse_misdirected(what: str, other: str | None) -> None:
    """Refuse a call about a thing of another replica, unless `other` is None."""
    if other is not None:
        raise of_misdirected(store().replica.belongs(what, other), REPLICA_HEADER, other)


def addressed(*, by_header: bool = True, find: Callable[[str], Workspace | None] | None = None) -> Workspace | None:
    """Return the workspace of the address (`/w/NAME`) or of the header `X-Mock-Workspace`, or None.

    Raises:
        Problem: 404, there is no such workspace.
    """
    header = request.headers.get(WORKSPACE_HEADER) if by_header else None
    name = request.environ.get(WORKSPACE, header)
    return None if name is None else named(name, find)


def _behind_key() -> Workspace | None:
    key = request.headers.get("api-key")
    if not key:
        return None
    try:
        found = find(request.environ, key, store())
    except StoreFullError as error:
        raise Problem(409, str(error)) from error
    if found is None:
        refuse_misdirected("the API key", store().replica.other_of_key(key))
        raise Problem(404, "unknown API key in the header api-key: no workspace has it")
    return found[0]


# ---------------------------------------------------------------------- accounts


def account(of: Workspace, body: dict[str, Any]) -> Account:
    """Return the account named in the body, else the API key's account, else the workspace's first account.

    Raises:
        Problem: 400, there is no account of that name.
    """
    key = request.headers.get("api-key")
    found = named_account(of, body) or (of.state.account_of(key) if key else None)
    return found or of.state.first_account


def named_account(of: Workspace, body: dict[str, Any]) -> Account | None:
    """Return the body's `account`, or None if the body names no account."""
    if "account" not in body:
        return None
    name = body["account"]
    found = of.state.account_named(name) if isinstance(name, str) else None
    if found is None:
        message = f"unknown account {reasons.shown(name)}; known: {reasons.listed(of.state.names)}"
        raise of_mistakes(located(body, [Mistake(("account",), message)]))
    return found

"""The parts of the server that control calls need, and the workspace and the account that a call acts on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import request

from mockserver.control.framework import off_loop
from mockserver.control.framework.problem import Problem, of_misdirected, of_mistakes, unknown
from mockserver.core.state import reasons
from mockserver.core.state.identifiers import REPLICA_HEADER
from mockserver.core.state.state import Account
from mockserver.core.traffic.causes import CURRENT_CALL
from mockserver.core.workspaces.store import Gone, Store, StoreFullError
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


@dataclass(frozen=True, slots=True)
class Bodies:
    """The limits of the bodies of control calls."""

    #: The size of a YAML body, in bytes: reading YAML takes several times as long as JSON.
    yaml: int
    #: How deeply objects and arrays may be nested.
    levels: int


@dataclass(frozen=True, slots=True)
class Tls:
    """The TLS of the server."""

    #: The certificate of the server's authority, in PEM; None if the server did not issue its certificate.
    ca: str | None


@dataclass(frozen=True, slots=True)
class ControlDependencies:
    """The component of an application that its control calls act on."""

    store: Store
    library: Library
    bodies: Bodies
    #: Whether the control API asks for a token.
    wants_token: bool
    #: Returns the members of `health` about effects and TLS, by name: `smtp`, `smtp_in`, `tls`.
    effects_health: Callable[[], Mapping[str, Mapping[str, Any]]]
    #: How calls beyond the mock are answered where the scenario does not say it, as `Behaviour.beyond`.
    beyond: str
    #: When the server was made, on the clock of `time.monotonic`.
    started: float
    #: None if the server speaks no TLS.
    tls: Tls | None = None


def current() -> ControlDependencies:
    """Return the dependencies of the server that answers the call."""
    return component(ControlDependencies)


def store() -> Store:
    """Return the workspaces of the server that answers the call."""
    return component(ControlDependencies).store


def library() -> Library:
    """Return the scenarios that the server can load by their names."""
    return component(ControlDependencies).library


# ---------------------------------------------------------------------- workspaces


def workspace(*, whole: bool = False) -> Workspace:
    """Return the workspace that the call acts on, after all due timers have fired.

    The address names the workspace, else the header `X-Mock-Workspace`, else the API key; else it is the default one.

    Args:
        whole: Leave the event loop if the workspace is large, for calls that read all of it.

    Raises:
        Problem: 404, there is no such workspace; 409, a workspace would be made for the key, and there are too many.
    """
    return entered(addressed() or _behind_key() or store().default, whole=whole)


def entered(found: Workspace, *, whole: bool = False) -> Workspace:
    """Return the given workspace, after all due timers have fired.

    On the event loop no other request acts on the workspace until the call is over.

    Args:
        found: The workspace.
        whole: Leave the event loop if the workspace is large, for calls that read all of it.
    """
    if whole:
        off_loop.before_all_of(found)
    loop.enter(request.environ, found)
    return acting_on(found)


def occupy(found: Workspace) -> None:
    """Let no other request replace the state of the workspace until the call is over."""
    loop.occupy(request.environ, found.changing)


def acting_on(found: Workspace) -> Workspace:
    """Note a workspace for the log as the one on which the call has acted, and return it."""
    request.environ[ACTED_ON] = found
    acting = CURRENT_CALL.get()
    if acting is not None:
        acting.on = found
    return found


def named(name: str) -> Workspace:
    """Return the workspace of a name.

    Raises:
        Problem: 404, there is no such workspace. 421, the workspace is of another replica.
    """
    found = store().get(name)
    if found is None:
        refuse_misdirected(f"workspace {name}", store().replica.other_of_name(name))
        raise unknown("workspace", name, _WHY_GONE[store().why_gone(name)])
    return acting_on(found)


def refuse_misdirected(what: str, other: str | None) -> None:
    """Refuse a call about a thing that belongs to another replica; `other` is None if it does not.

    Raises:
        Problem: 421.
    """
    if other is not None:
        raise of_misdirected(store().replica.belongs(what, other), REPLICA_HEADER, other)


def in_address() -> Workspace | None:
    """Return the workspace that the address names (`/w/NAME`), or None if it names none.

    Raises:
        Problem: 404, there is no such workspace.
    """
    name = request.environ.get(WORKSPACE)
    return None if name is None else named(name)


def addressed() -> Workspace | None:
    """Return the workspace that the address names, else the header `X-Mock-Workspace`, or None if neither does.

    Raises:
        Problem: 404, there is no such workspace.
    """
    name = request.environ.get(WORKSPACE, request.headers.get(WORKSPACE_HEADER))
    return None if name is None else named(name)


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
    """Return the account that the body names, else the one of the API key, else the first one of the workspace.

    Raises:
        Problem: 400, there is no account of that name.
    """
    key = request.headers.get("api-key")
    found = named_account(of, body) or (of.state.account_of(key) if key else None)
    return found or of.state.first_account


def named_account(of: Workspace, body: dict[str, Any]) -> Account | None:
    """Return the account that the body names as `account`, or None if it names none.

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

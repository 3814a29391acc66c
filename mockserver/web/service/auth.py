"""The caller of a request, by its API key or its token, or one of the 401 answers of contract/errors#statuses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from ipaddress import ip_address, ip_network
from typing import Any

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import UNAUTHORIZED
from mockserver.core.state import reasons
from mockserver.core.state.identifiers import LONGEST_KEY, is_drawn, is_key
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Bearers, Caller
from mockserver.core.workspaces.store import KeyMode, Store, StoreFullError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.routing.route import Route
from mockserver.web.server import loop
from mockserver.web.service.visit import visit_of

#: The key for clients that need none of their own where the server takes any. The journal warns of other unknown keys,
#: as they may be mistyped.
ANY_KEY = "any"
#: The most characters of a key of which a reason shows nothing. Chosen: of a longer key, whose last four are shown, at
#: least five stay secret.
_SHORT = 8


def authenticate(request: Request, route: Route, store: Store, within: Workspace | None, bearers: Bearers) -> Caller:
    """The caller that the `api-key` header or, without one, the bearer token identifies.

    `within` is the workspace that the request names, in which the caller has to be, or None if it names none.

    Raises:
        ServiceError: 401; there is no key and no token, it opens no account there, or its IP address may not use it.
        LeaveLoop: the request runs on the event loop, and a large workspace is to be made, or a lock is not free.
    """
    key = request.environ.get("HTTP_API_KEY")
    scopes: frozenset[str] | None = None
    is_unknown = False
    if key:
        workspace, account = _opened(request, key, store, within)
        is_unknown = key not in workspace.state.keys and key != ANY_KEY
    else:
        enter = partial(loop.enter, request.environ)
        workspace, account, scopes = bearers.find(_token(request), within, enter)
    if workspace.state.behaviour.authorised_ips:
        _check_address(request, workspace)
    return Caller(workspace, account, partial(visit_of, request, route, workspace.name), scopes, is_unknown)


def _token(request: Request) -> str:
    """The bearer token of a request.

    Raises:
        ServiceError: 401; there is none.
    """
    token = bearer_token(request)
    if token is None:
        reason = "missing credentials: the request has no api-key header and no bearer token in an Authorization header"
        raise UNAUTHORIZED("authentication not found in headers").because(reason)
    return token


def bearer_token(request: Request) -> str | None:
    """The bearer token in the Authorization header, or None if there is none."""
    scheme, _, token = request.environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _opened(request: Request, key: str, store: Store, within: Workspace | None) -> tuple[Workspace, Account]:
    """The account that an API key opens, and its workspace.

    Raises:
        ServiceError: 401; the key opens none. 421; another replica has drawn it.
    """
    try:
        found = find(request.environ, key, store, within)
    except StoreFullError as error:
        raise UNAUTHORIZED().because(str(error)) from error
    if found is None:
        if within is None and (other := store.replica.other_of_key(key)):
            raise store.replica.misdirected("the API key", other)
        raise UNAUTHORIZED().because(_why_unknown(key, store, within))
    return found


def find(
    environ: dict[str, Any], key: str, store: Store, within: Workspace | None = None
) -> tuple[Workspace, Account] | None:
    """The account that a key opens, and its workspace, which may be made for the key; None if the key opens none.

    `within` is the workspace in which the account has to be, or None for any.

    Raises:
        LeaveLoop: the request runs on the event loop, and a large workspace is to be made.
        StoreFullError: a workspace is to be made, and there is no room for it.
    """
    if store.keys is KeyMode.ISOLATE and store.makes(key, within) and store.maker.rows() > loop.LARGE_WORKSPACE:
        loop.leave(environ)
    return store.find(key, within)


def _check_address(request: Request, workspace: Workspace) -> None:
    """Refuse a request from an IP address that is not one of the workspace's authorised ones.

    Raises:
        ServiceError: 401; the IP address is another one.
    """
    allowed = workspace.state.behaviour.authorised_ips
    if not _is_authorised(request.remote_addr or "", allowed):
        refused = UNAUTHORIZED(
            f"We have detected you are using an unrecognised IP address {request.remote_addr}. "
            "Authorise it on the security page of your account."
        )
        known = f"workspace {workspace.name} allows {reasons.listed(allowed)} (behaviour.authorised_ips)"
        raise refused.because(f"unauthorised IP address {request.remote_addr}: {known}")


def _why_unknown(key: str, store: Store, within: Workspace | None) -> str:
    """Why a key opens no account, for the journal; no more than the end of the key is shown."""
    shown = f"the API key ending in {reasons.shown(key[-4:])}" if len(key) > _SHORT else "the API key"
    for workspace in store.having(key):
        if key in workspace.state.revoked_keys:
            return f"{shown} was revoked in workspace {workspace.name}"
        if within is not None and workspace.state.account_of(key) is not None:
            return f"{shown} belongs to workspace {workspace.name}, but the request is for workspace {within.name}"
    if is_drawn(key):
        return f"{shown} belongs to a workspace that no longer exists"
    if not is_key(key):
        return f"{shown} is malformed: expected 1 to {LONGEST_KEY} printable ASCII characters without spaces"
    where = "" if within is None else f" in workspace {within.name}"
    return f"{shown} is unknown: no account{where} has it, and unknown keys are refused (--keys {store.keys})"


def _is_authorised(address: str, allowed: Sequence[str]) -> bool:
    try:
        caller = ip_address(address)
    except ValueError:
        return False
    return any(caller in ip_network(entry, strict=False) for entry in allowed)

"""Who calls: from the headers of a request to an account, or to one of the 401 answers of ledger 1.3."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

from flask import Request

from mockserver.core.contract.errors import PERMISSION_DENIED, UNAUTHORIZED
from mockserver.core.contract.operation import Operation
from mockserver.core.state.account import Account
from mockserver.core.state.keys import LONGEST_KEY, is_drawn, is_key
from mockserver.core.workspaces import reasons
from mockserver.core.workspaces.caller import Bearers, Caller, Visit
from mockserver.core.workspaces.store import DEFAULT, KeyMode, Store, StoreFullError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server import loop
from mockserver.web.service.application import WORKSPACE, WORKSPACE_PREFIX

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: The key of those who do not care which it is; any other that is nobody's may be a mistyped one.
ANY_KEY = "any"
#: The end of a key this short would tell too much of it.
_SHORT = 8


def authenticate(request: Request, store: Store, within: Workspace | None, bearers: Bearers) -> Caller:
    """The caller behind the `api-key` header or, without one, behind a bearer token, perhaps in one workspace only.

    Raises:
        ServiceError: 401; there is neither, it is good for nothing, or comes from an address that may not use it.
    """
    key = request.environ.get("HTTP_API_KEY")
    scopes: frozenset[str] | None = None
    is_unknown = False
    if key:
        workspace, account = _opened(request, key, store, within)
        is_unknown = key not in workspace.state.keys and key != ANY_KEY
    else:
        enter = partial(_enter, request.environ)
        workspace, account, scopes = bearers.find(_token(request), within, enter)
    _check_address(request, workspace)
    return Caller(workspace, account, visit_of(request, workspace), scopes, is_unknown)


def _enter(environ: dict[str, Any], workspace: Workspace) -> None:
    loop.hold(environ, workspace.lock)
    with workspace.lock:
        if workspace.state.is_much_due:
            loop.leave(environ)


def _token(request: Request) -> str:
    """The token of a request without a key."""
    token = bearer_token(request)
    if token is None:
        reason = "the request has neither an api-key header nor a bearer token in an Authorization header"
        raise UNAUTHORIZED("authentication not found in headers").because(reason)
    return token


def bearer_token(request: Request) -> str | None:
    """What stands behind `Bearer` in the Authorization header."""
    scheme, _, token = request.environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _opened(request: Request, key: str, store: Store, within: Workspace | None) -> tuple[Workspace, Account]:
    """The account that an API key opens."""
    try:
        found = find(request.environ, key, store, within)
    except StoreFullError as error:
        raise UNAUTHORIZED().because(str(error)) from error
    if found is None:
        raise UNAUTHORIZED().because(_why_unknown(key, store, within))
    return found


def find(
    environ: dict[str, Any], key: str, store: Store, within: Workspace | None = None
) -> tuple[Workspace, Account] | None:
    """What a key opens, as `Store.find` says; a large workspace is made for it by a thread."""
    if store.keys is KeyMode.ISOLATE and store.makes(key, within) and store.rows() > loop.LARGE_WORKSPACE:
        loop.leave(environ)
    return store.find(key, within)


def _check_address(request: Request, workspace: Workspace) -> None:
    allowed = workspace.state.behaviour.authorised_ips
    if allowed and not _is_authorised(request.remote_addr or "", allowed):
        refused = UNAUTHORIZED(
            f"We have detected you are using an unrecognised IP address {request.remote_addr}. "
            "Authorise it on the security page of your account."
        )
        known = f"behaviour.authorised_ips of workspace {workspace.name}: {reasons.listed(allowed)}"
        raise refused.because(f"{request.remote_addr} is not within {known}")


def visit_of(request: Request, workspace: Workspace) -> Visit:
    """From where a request came, and where it found the workspace."""
    return Visit(_root(request, workspace), request.remote_addr or "", request.headers.get("User-Agent", ""))


def _root(request: Request, workspace: Workspace) -> str:
    """Where the workspace is found without a key: as the request found it, or by its name."""
    environ = request.environ
    root, named = _url_root(environ), environ.get(WORKSPACE)
    if named == workspace.name:
        return root
    if named is not None:
        root = root.removesuffix(f"{WORKSPACE_PREFIX}{named}")
    return root if workspace.name == DEFAULT else f"{root}{WORKSPACE_PREFIX}{workspace.name}"


#: What of a request's environment its root address follows from.
_OF_ROOT = ("wsgi.url_scheme", "HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "SCRIPT_NAME")
#: Longer names of hosts are not remembered: they would fill the memory.
_LONGEST_HOST = 255


def _url_root(environ: WSGIEnvironment) -> str:
    """The root address as the request names it, without a slash at its end."""
    parts = tuple([environ.get(name, "") for name in _OF_ROOT])
    return (_remembered_root if len(parts[1]) <= _LONGEST_HOST else _made_root)(parts)


def _made_root(parts: tuple[str, ...]) -> str:
    named = {name: part for name, part in zip(_OF_ROOT, parts, strict=True) if part}
    return Request({"REQUEST_METHOD": "GET", "PATH_INFO": "/", "QUERY_STRING": "", **named}).url_root.rstrip("/")


#: Clients ask at the same address again and again, and werkzeug makes it of its parts each time.
_remembered_root = lru_cache(maxsize=256)(_made_root)


def check_role(caller: Caller, operation: Operation) -> None:
    """Refuse an account whose role the operation is not for.

    Raises:
        ServiceError: 403 `permission_denied`.
    """
    if operation.roles is not None and caller.account.role not in operation.roles:
        account, needed = caller.account, " or ".join(sorted(operation.roles))
        reason = f"account {account.name} has the role {account.role}, and {operation.id} needs {needed}"
        raise PERMISSION_DENIED().because(reason)


def check_scope(caller: Caller, operation: Operation) -> None:
    """Refuse a token that is not good for the operation.

    Raises:
        ServiceError: 403 `permission_denied` (ledger 5: proposed).
    """
    if caller.scopes is not None and not caller.may(operation.needs):
        has = reasons.listed(sorted(caller.scopes))
        raise PERMISSION_DENIED().because(f"{operation.id} needs the scope {operation.needs}; the token has {has}")


def _why_unknown(key: str, store: Store, within: Workspace | None) -> str:
    """What is wrong with a key, of which no more than the end is told."""
    shown = f"the API key ending in {reasons.shown(key[-4:])}" if len(key) > _SHORT else "the API key"
    for workspace in store:
        if key in workspace.state.revoked_keys:
            return f"{shown} was revoked in workspace {workspace.name}"
        if within is not None and workspace.state.account_of(key) is not None:
            return f"{shown} is of workspace {workspace.name}, and the request is for workspace {within.name}"
    if is_drawn(key):
        return f"{shown} is of a workspace that is gone"
    if not is_key(key):
        return f"{shown} is none: keys have 1 to {LONGEST_KEY} printable ASCII characters without blanks"
    return f"{shown} opens no account, and the server takes no unknown keys there (--keys {store.keys})"


def _is_authorised(address: str, allowed: Sequence[str]) -> bool:
    try:
        caller = ip_address(address)
    except ValueError:
        return False
    return any(caller in ip_network(entry, strict=False) for entry in allowed)

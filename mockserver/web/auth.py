"""Who calls: from the headers of a request to an account, or to one of the 401 answers of ledger 1.3."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address, ip_network

from flask import Request

from mockserver.core.caller import Caller
from mockserver.core.contract import Operation
from mockserver.core.errors import PERMISSION_DENIED, UNAUTHORIZED
from mockserver.core.store import Store


def authenticate(request: Request, store: Store) -> Caller:
    """The caller behind the `api-key` header.

    Raises:
        ServiceError: 401; there is no key, it is unknown or revoked, or comes from an address that may not use it.
    """
    key = request.environ.get("HTTP_API_KEY")
    if not key:
        if request.environ.get("HTTP_AUTHORIZATION", "").lower().startswith("bearer "):
            raise UNAUTHORIZED("Invalid access token")
        raise UNAUTHORIZED("authentication not found in headers")
    found = store.find(key)
    if found is None:
        raise UNAUTHORIZED()
    workspace, account = found
    allowed = workspace.behaviour.authorised_ips
    if allowed and not _is_authorised(request.remote_addr or "", allowed):
        raise UNAUTHORIZED(
            f"We have detected you are using an unrecognised IP address {request.remote_addr}. "
            "Authorise it on the security page of your account."
        )
    return Caller(workspace, account)


def check_role(caller: Caller, operation: Operation) -> None:
    """Refuse an account whose role the operation is not for.

    Raises:
        ServiceError: 403 `permission_denied`.
    """
    if operation.roles is not None and caller.account.role not in operation.roles:
        raise PERMISSION_DENIED()


def _is_authorised(address: str, allowed: Sequence[str]) -> bool:
    try:
        caller = ip_address(address)
    except ValueError:
        return False
    return any(caller in ip_network(entry, strict=False) for entry in allowed)

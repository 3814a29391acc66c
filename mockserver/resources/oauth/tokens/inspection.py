"""Introspection (RFC 7662) and revocation (RFC 7009) of tokens, and what they say of their user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.core.contract.errors import INSUFFICIENT_SCOPE, INVALID_CLIENT, INVALID_TOKEN
from mockserver.core.state import reasons
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import lookup, scopes
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.tokens import claims, exchange
from mockserver.resources.oauth.tokens.client import authenticated, required
from mockserver.resources.oauth.tokens.signing import BadSignature, Signer


def revoke(caller: AnonymousCaller, credentials: str, form: Mapping[str, str], signer: Signer) -> None:
    """Revoke the token in the form, if it is one of the app's.

    Raises:
        ServiceError: 401 `invalid_client`, 400 `invalid_request` or `invalid_grant`.
    """
    app = authenticated(caller.workspace, credentials, form)
    exchange.revoke(caller.workspace, app, _identified(caller.workspace, required(form, "token"), signer))


def introspect(caller: AnonymousCaller, credentials: str, form: Mapping[str, str], signer: Signer) -> dict[str, Any]:
    """Whether a token of the app is valid, and its claims; of another app's token, only that it is not active.

    Raises:
        ServiceError: 401 `invalid_client`, 400 `invalid_request`.
    """
    workspace = caller.workspace
    app = authenticated(workspace, credentials, form)
    if app.public:
        # RFC 7662, 2.1: else anybody could try tokens out.
        raise INVALID_CLIENT("Only an app with a secret can ask about tokens").because(
            f"app {app.client_id} is public and has no secret"
        )
    secret = _identified(workspace, required(form, "token"), signer)
    found = lookup.live_token(workspace, secret)
    if found is not None and found.grant.client_id == app.client_id:
        said = claims.of_access(workspace, found, caller.visit.root)
        members = {name: said[name] for name in ("scope", "client_id", "exp", "iat", "sub", "aud", "iss")}
        return {"active": True, **members, "username": found.grant.user, "token_type": "Bearer"}
    return _of_refresh_token(workspace, app, secret) or {"active": False}


def _of_refresh_token(workspace: Workspace, app: App, secret: str) -> dict[str, Any] | None:
    found = lookup.find(workspace, secret)
    if found is None or found.grant.client_id != app.client_id:
        return None
    row, now = found.grant, workspace.state.clock.now()
    if secret != row.refresh_token or row.refresh_expires_at is None or row.refresh_expires_at <= now:
        return None
    said = {"scope": " ".join(row.scopes), "client_id": row.client_id, "username": row.user, "sub": row.user}
    return {"active": True, **said, "exp": int(row.refresh_expires_at.timestamp())}


def userinfo(caller: AnonymousCaller, credentials: str, signer: Signer) -> dict[str, Any]:
    """The claims about its user that an access token lets its bearer see.

    Raises:
        ServiceError: 401 `invalid_token`, 403 `insufficient_scope`.
    """
    scheme, _, text = credentials.partition(" ")
    workspace = caller.workspace
    token_id = _identified(workspace, text.strip(), signer) if scheme.lower() == "bearer" else ""
    found = lookup.live_token(workspace, token_id)
    if found is None:
        raise INVALID_TOKEN("The access token is missing, unknown, expired or revoked").because(
            f"the Authorization header has no valid access token of workspace {workspace.name}"
        )
    if scopes.OPENID not in found.token.scopes:
        reason = f"userinfo requires the scope openid; the token has {reasons.listed(found.token.scopes)}"
        raise INSUFFICIENT_SCOPE("The access token lacks the scope openid").because(reason)
    return claims.of_user(found)


def _identified(workspace: Workspace, text: str, signer: Signer) -> str:
    """The secret by which the grant of a token is found: the id of an access token, or a refresh token itself.

    Empty if the text is an access token that is not valid in the workspace.
    """
    if text.count(".") != 2:
        # The bare id of an access token is not a token, though a grant can be found by it.
        found = lookup.find(workspace, text)
        return "" if found is not None and text in found.grant.tokens else text
    try:
        said = signer.read(text)
    except BadSignature:
        return ""
    known = claims.live_token(workspace, said) if said.get(claims.WORKSPACE) == workspace.name else None
    return "" if known is None else known.token.id

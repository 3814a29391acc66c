"""What apps do with tokens: get them, end them, ask about them (RFC 6749, 7009, 7662)."""

from __future__ import annotations

from typing import Any

from mockserver.core.contract.errors import (
    INSUFFICIENT_SCOPE,
    INVALID_CLIENT,
    INVALID_REQUEST,
    INVALID_SCOPE,
    INVALID_TOKEN,
    UNAUTHORIZED_CLIENT,
    UNSUPPORTED_GRANT_TYPE,
)
from mockserver.core.state import reasons
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import model, scopes
from mockserver.resources.oauth.apps import App
from mockserver.resources.oauth.client import authenticated
from mockserver.resources.oauth.model import ACCESS_LIFETIME, Access, Grant
from mockserver.resources.oauth.tokens import claims, exchange, signing
from mockserver.resources.oauth.tokens.signing import BadSignature, Signer

FormMembers = dict[str, str]
CODE_TYPE = "authorization_code"


def of_code(caller: AnonymousCaller, credentials: str, form: FormMembers, signer: Signer) -> dict[str, Any]:
    """The tokens for a code.

    Raises:
        ServiceError: one of the errors of RFC 6749, 5.2.
    """
    kind = form.get("grant_type", CODE_TYPE)
    if kind != CODE_TYPE:
        known = "authorization_code, refresh_token or client_credentials"
        raise UNSUPPORTED_GRANT_TYPE(f"grant_type must be {known}").because(f"grant_type is {reasons.shown(kind)}")
    app = authenticated(caller.workspace, credentials, form)
    account, row, token = exchange.redeem(
        caller.workspace,
        app,
        _member(form, "code"),
        redirect_uri=form.get("redirect_uri"),
        verifier=form.get("code_verifier"),
    )
    found = _answer(caller, row, token, signer)
    if scopes.OPENID in token.scopes:
        found["id_token"] = signer.sign(claims.of_identity(account, row, token, caller.visit.root))
    return found


def of_refresh(caller: AnonymousCaller, credentials: str, form: FormMembers, signer: Signer) -> dict[str, Any]:
    """A new access token, and perhaps a new refresh token.

    Raises:
        ServiceError: one of the errors of RFC 6749, 5.2.
    """
    app = authenticated(caller.workspace, credentials, form)
    wanted = scopes.split(form.get("scope", ""))
    before = _member(form, "refresh_token")
    _, row, token = exchange.refresh(caller.workspace, app, before, wanted)
    found = _answer(caller, row, token, signer)
    if row.refresh_token == before:
        del found["refresh_token"]
    return found


def of_client(caller: AnonymousCaller, credentials: str, form: FormMembers, signer: Signer) -> dict[str, Any]:
    """A token of an app for itself.

    Raises:
        ServiceError: one of the errors of RFC 6749, 5.2.
    """
    workspace = caller.workspace
    app = authenticated(workspace, credentials, form)
    if app.public:
        raise UNAUTHORIZED_CLIENT("The app cannot have a token for itself").because(f"{app.client_id} is public")
    wanted = scopes.split(form.get("scope", "")) or app.scopes
    if more := scopes.beyond(wanted, app.scopes):
        reason = f"the app {app.client_id} has {reasons.listed(app.scopes)}"
        raise INVALID_SCOPE(f"The app may not ask for {reasons.listed(more)}").because(reason)
    row, token = exchange.grant_itself(workspace, app, wanted)
    return _answer(caller, row, token, signer)


def _answer(caller: AnonymousCaller, row: Grant, token: Access, signer: Signer) -> dict[str, Any]:
    return {
        "access_token": signer.sign(claims.of_access(caller.workspace, row, token, caller.visit.root), signing.ACCESS),
        "token_type": "Bearer",
        "expires_in": int(ACCESS_LIFETIME.total_seconds()),
        "refresh_token": row.refresh_token,
        "scope": " ".join(token.scopes),
    }


def revoke(caller: AnonymousCaller, credentials: str, form: FormMembers, signer: Signer) -> None:
    """End a token.

    Raises:
        ServiceError: 401 `invalid_client`, 400 `invalid_request` or `invalid_grant`.
    """
    app = authenticated(caller.workspace, credentials, form)
    exchange.revoke(caller.workspace, app, _identified(caller.workspace, _member(form, "token"), signer))


def introspect(caller: AnonymousCaller, credentials: str, form: FormMembers, signer: Signer) -> dict[str, Any]:
    """Whether a token is good, and for what; of another app's token nothing is told.

    Raises:
        ServiceError: 401 `invalid_client`, 400 `invalid_request`.
    """
    workspace = caller.workspace
    app = authenticated(workspace, credentials, form)
    if app.public:
        # RFC 7662, 2.1: else anybody could try tokens out.
        raise INVALID_CLIENT("Only an app with a secret can ask about tokens").because(f"{app.client_id} is public")
    secret = _identified(workspace, _member(form, "token"), signer)
    found = model.access(workspace, secret)
    if found is not None and found[1].client_id == app.client_id:
        _, row, token = found
        said = claims.of_access(workspace, row, token, caller.visit.root)
        told = {name: said[name] for name in ("scope", "client_id", "exp", "iat", "sub", "aud", "iss")}
        return {"active": True, **told, "username": row.user, "token_type": "Bearer"}
    return _of_refresh_token(workspace, app, secret) or {"active": False}


def _of_refresh_token(workspace: Workspace, app: App, secret: str) -> dict[str, Any] | None:
    found = model.find(workspace, secret)
    if found is None or found[1].client_id != app.client_id:
        return None
    row, now = found[1], workspace.state.clock.now()
    if secret != row.refresh_token or row.refresh_expires_at is None or row.refresh_expires_at <= now:
        return None
    said = {"scope": " ".join(row.scopes), "client_id": row.client_id, "username": row.user, "sub": row.user}
    return {"active": True, **said, "exp": int(row.refresh_expires_at.timestamp())}


def userinfo(caller: AnonymousCaller, credentials: str, signer: Signer) -> dict[str, Any]:
    """What of a user the token lets its bearer see.

    Raises:
        ServiceError: 401 `invalid_token`, 403 `insufficient_scope`.
    """
    scheme, _, text = credentials.partition(" ")
    workspace = caller.workspace
    token_id = _identified(workspace, text.strip(), signer) if scheme.lower() == "bearer" else ""
    found = model.access(workspace, token_id)
    if found is None:
        raise INVALID_TOKEN("The access token is missing, unknown, expired or revoked").because(
            f"the Authorization header holds no good access token of workspace {workspace.name}"
        )
    account, row, token = found
    if scopes.OPENID not in token.scopes:
        reason = f"the token has {reasons.listed(token.scopes)}"
        raise INSUFFICIENT_SCOPE("The access token lacks the scope openid").because(reason)
    return claims.of_user(account, row, token)


def _identified(workspace: Workspace, text: str, signer: Signer) -> str:
    """The id of an access token; any other text is a refresh token, if anything."""
    if text.count(".") != 2:
        # Nor is the bare id of an access token a token.
        found = model.find(workspace, text)
        return "" if found is not None and text in found[1].tokens else text
    try:
        said = signer.read(text)
    except BadSignature:
        return ""
    known = said.get(claims.WORKSPACE) == workspace.name and claims.access(workspace, said)
    return known[2].id if known else ""


def _member(form: FormMembers, name: str) -> str:
    value = form.get(name)
    if not value:
        raise INVALID_REQUEST(f"{name} is missing").because(f"the form has no {name}; it has {reasons.listed(form)}")
    return value

"""The answers of the token endpoint: for a code, for a refresh token, or for an app itself (RFC 6749)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.core.contract.errors import INVALID_SCOPE, UNAUTHORIZED_CLIENT, UNSUPPORTED_GRANT_TYPE
from mockserver.core.state import reasons
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.resources.oauth import scopes
from mockserver.resources.oauth.lookup import IssuedToken
from mockserver.resources.oauth.model import ACCESS_LIFETIME
from mockserver.resources.oauth.tokens import claims, exchange, signing
from mockserver.resources.oauth.tokens.client import authenticated, required
from mockserver.resources.oauth.tokens.signing import Signer

_CODE_TYPE = "authorization_code"


def of_code(caller: AnonymousCaller, credentials: str, form: Mapping[str, str], signer: Signer) -> dict[str, Any]:
    """The answer with the tokens for a code.

    Raises:
        ServiceError: one of the errors of RFC 6749, 5.2.
    """
    grant_type = form.get("grant_type", _CODE_TYPE)
    if grant_type != _CODE_TYPE:
        known = "authorization_code, refresh_token or client_credentials"
        raise UNSUPPORTED_GRANT_TYPE(f"grant_type must be {known}").because(
            f"grant_type is {reasons.shown(grant_type)}, expected {known}"
        )
    app = authenticated(caller.workspace, credentials, form)
    issued = exchange.redeem(
        caller.workspace,
        app,
        required(form, "code"),
        redirect_uri=form.get("redirect_uri"),
        verifier=form.get("code_verifier"),
    )
    found = _answer(caller, issued, signer)
    if scopes.OPENID in issued.token.scopes:
        found["id_token"] = signer.sign(claims.of_identity(issued, caller.visit.root))
    return found


def of_refresh(caller: AnonymousCaller, credentials: str, form: Mapping[str, str], signer: Signer) -> dict[str, Any]:
    """The answer with a new access token and, if it was replaced, the new refresh token.

    Raises:
        ServiceError: one of the errors of RFC 6749, 5.2.
    """
    app = authenticated(caller.workspace, credentials, form)
    wanted = scopes.split(form.get("scope", ""))
    before = required(form, "refresh_token")
    issued = exchange.refresh(caller.workspace, app, before, wanted)
    found = _answer(caller, issued, signer)
    if issued.grant.refresh_token == before:
        del found["refresh_token"]
    return found


def of_client(caller: AnonymousCaller, credentials: str, form: Mapping[str, str], signer: Signer) -> dict[str, Any]:
    """The answer with an access token of an app for itself.

    Raises:
        ServiceError: one of the errors of RFC 6749, 5.2.
    """
    workspace = caller.workspace
    app = authenticated(workspace, credentials, form)
    if app.public:
        raise UNAUTHORIZED_CLIENT("The app cannot have a token for itself").because(f"app {app.client_id} is public")
    wanted = scopes.split(form.get("scope", "")) or app.scopes
    if more := scopes.beyond(wanted, app.scopes):
        reason = f"app {app.client_id} may ask for {reasons.listed(app.scopes)}"
        raise INVALID_SCOPE(f"The app may not ask for {reasons.listed(more)}").because(reason)
    return _answer(caller, exchange.grant_itself(workspace, app, wanted), signer)


def _answer(caller: AnonymousCaller, issued: IssuedToken, signer: Signer) -> dict[str, Any]:
    said = claims.of_access(caller.workspace, issued, caller.visit.root)
    return {
        "access_token": signer.sign(said, signing.ACCESS),
        "token_type": "Bearer",
        "expires_in": int(ACCESS_LIFETIME.total_seconds()),
        "refresh_token": issued.grant.refresh_token,
        "scope": " ".join(issued.token.scopes),
    }

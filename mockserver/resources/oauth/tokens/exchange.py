"""Tokens for codes, refresh tokens and the credentials of an app, and the revocation of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.core.contract.errors import INVALID_GRANT, INVALID_SCOPE, UNAUTHORIZED_CLIENT, UNSUPPORTED_GRANT_TYPE
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import lookup, model, scopes
from mockserver.resources.oauth.apps import App, home_of
from mockserver.resources.oauth.grant import ACTIVE, CODE_ISSUED, AccessToken, Grant
from mockserver.resources.oauth.lookup import IssuedToken, OwnedGrant
from mockserver.resources.oauth.model import ACCESS_LIFETIME, GRANT
from mockserver.resources.oauth.tokens import claims, signing
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
    issued = redeem(
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
    issued = refresh(caller.workspace, app, before, wanted)
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
    return _answer(caller, grant_itself(workspace, app, wanted), signer)


def _answer(caller: AnonymousCaller, issued: IssuedToken, signer: Signer) -> dict[str, Any]:
    said = claims.of_access(caller.workspace, issued, caller.visit.root)
    return {
        "access_token": signer.sign(said, signing.ACCESS),
        "token_type": "Bearer",
        "expires_in": int(ACCESS_LIFETIME.total_seconds()),
        "refresh_token": issued.grant.refresh_token,
        "scope": " ".join(issued.token.scopes),
    }


def grant_itself(workspace: Workspace, app: App, wanted: tuple[str, ...]) -> IssuedToken:
    """The access token of a new grant of an app to itself."""
    account = home_of(workspace, app)
    row = model.begin(workspace, account, app, scopes=wanted, state=ACTIVE)
    return issue(workspace, account, row)


def issue(workspace: Workspace, account: Account, row: Grant, wanted: tuple[str, ...] = ()) -> IssuedToken:
    """A new access token of a grant, for all of its scopes or the wanted ones; its expired tokens are removed."""
    now = workspace.state.clock.now()
    for old in [token for token in row.tokens.values() if token.expires_at <= now]:
        lookup.forget(workspace, old.id)
        del row.tokens[old.id]
    identifier, until = workspace.state.random.secret("oauth_token", 32), workspace.state.clock.after(ACCESS_LIFETIME)
    token = AccessToken(identifier, wanted or row.scopes, now, until)
    row.tokens[token.id] = token
    if token.expires_at > row.expires_at:
        model.keep_until(workspace, account, row, token.expires_at)
    lookup.learn(workspace, account, row)
    return IssuedToken(account, row, token)


def redeem(workspace: Workspace, app: App, code: str, *, redirect_uri: str | None, verifier: str | None) -> IssuedToken:
    """The access token for a code; a code works once, and a second use revokes its grant (RFC 6749, 4.1.2).

    Raises:
        ServiceError: 400 `invalid_grant`.
    """
    account, row = _of(workspace, app, code, "code")
    if code != row.code:
        raise INVALID_GRANT("The code is unknown").because(f"the code given is another secret of grant {row.id}")
    if row.state == ACTIVE:
        GRANT.fire(workspace, account, row, "revoke")
        raise INVALID_GRANT("The code was used already").because(
            f"the code of grant {row.id} was used a second time, so its tokens are revoked"
        )
    if row.state != CODE_ISSUED:
        raise INVALID_GRANT("The code has expired or was revoked").because(_where(workspace, row))
    if redirect_uri is not None and redirect_uri != row.redirect_uri:
        reason = f"redirect_uri is {reasons.shown(redirect_uri)}, expected {row.redirect_uri} as in authorize"
        raise INVALID_GRANT("redirect_uri is not the one that the code was asked for with").because(reason)
    _check_verifier(row, verifier)
    GRANT.fire(workspace, account, row, "exchange")
    return issue(workspace, account, row)


def _check_verifier(row: Grant, verifier: str | None) -> None:
    if row.challenge is None:
        # A verifier without a challenge is a sign of a PKCE downgrade attack (RFC 9700, 4.8.2).
        if verifier is not None:
            raise INVALID_GRANT("The code was asked for without code_challenge").because(
                f"unexpected code_verifier: grant {row.id} has no code_challenge"
            )
        return
    if verifier is None or not row.challenge.is_met_by(verifier):
        wrong = f"code_verifier does not match the code_challenge ({row.challenge.method})"
        reason = "missing code_verifier" if verifier is None else wrong
        raise INVALID_GRANT("code_verifier is not the one of the code_challenge").because(reason)


def refresh(workspace: Workspace, app: App, token: str, wanted: tuple[str, ...]) -> IssuedToken:
    """A new access token for a refresh token; the use of one that was replaced revokes its grant (RFC 9700, 4.14).

    Raises:
        ServiceError: 400 `invalid_grant` or `invalid_scope`.
    """
    account, row = _of(workspace, app, token, "refresh token")
    if token in row.spent:
        GRANT.fire(workspace, account, row, "revoke")
        raise INVALID_GRANT("The refresh token was replaced by a newer one").because(
            f"a replaced refresh token of grant {row.id} was used again, so the grant is revoked"
        )
    now = workspace.state.clock.now()
    if token != row.refresh_token or row.refresh_expires_at is None or row.refresh_expires_at <= now:
        raise INVALID_GRANT("The refresh token is unknown, expired or revoked").because(_where(workspace, row))
    if more := [name for name in wanted if name not in row.scopes]:
        raise INVALID_SCOPE("The scopes are more than were granted").because(
            f"scopes that were not granted: {reasons.listed(more)}"
        )
    GRANT.fire(workspace, account, row, "refresh")
    return issue(workspace, account, row, wanted)


def revoke(workspace: Workspace, app: App, token: str) -> None:
    """Revoke a grant by its refresh token, or an access token alone; an unknown token is no error (RFC 7009, 2.2).

    Raises:
        ServiceError: 400 `invalid_grant`; the token is another app's.
    """
    found = lookup.find(workspace, token)
    if found is None:
        return
    account, row = found
    _check_owner(row, app, "token")
    if token in row.tokens:
        lookup.forget(workspace, token)
        del row.tokens[token]
    elif token == row.refresh_token or token in row.spent:
        GRANT.fire(workspace, account, row, "revoke")


def _of(workspace: Workspace, app: App, secret: str, called: str) -> OwnedGrant:
    found = lookup.find(workspace, secret)
    if found is None:
        raise INVALID_GRANT(f"The {called} is unknown, expired or revoked").because(
            f"unknown {called}: no grant of workspace {workspace.name} has it"
        )
    _check_owner(found.grant, app, called)
    return found


def _check_owner(row: Grant, app: App, called: str) -> None:
    if row.client_id != app.client_id:
        raise INVALID_GRANT(f"The {called} is another app's").because(
            f"the {called} belongs to app {row.client_id} (grant {row.id}), but app {app.client_id} sent it"
        )


def _where(workspace: Workspace, row: Grant) -> str:
    return f"grant {row.id} is {row.state}; {reasons.clock(workspace.state.clock)}"

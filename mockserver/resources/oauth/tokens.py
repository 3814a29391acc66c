"""Tokens of OAuth: exchange (RFC 6749, 4 to 6), revocation (RFC 7009), introspection (RFC 7662) and userinfo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.core.contract import errors
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.time.duration import spoken
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import model
from mockserver.resources.oauth.apps import App, authenticate, owner, required
from mockserver.resources.oauth.discovery import EMAIL, OPENID, PROFILE, issuer, split_scopes, uncovered_scopes
from mockserver.resources.oauth.model import (
    ACCESS_LIFETIME,
    ACTIVE,
    CODE_ISSUED,
    CODE_LIFETIME,
    GRANT,
    REFRESH_LIFETIME,
    REVOKED,
    AccessToken,
    Grant,
    IssuedToken,
)
from mockserver.resources.oauth.signing import ACCESS, REPLICA, WORKSPACE, BadSignature, Signer

_GRANT_TYPES = "authorization_code, refresh_token or client_credentials"


def exchange_code(caller: AnonymousCaller, credentials: str, form: Mapping[str, str], signer: Signer) -> dict[str, Any]:
    """Exchange a code for tokens."""
    grant_type = form.get("grant_type", "authorization_code")
    if grant_type != "authorization_code":
        raise errors.UNSUPPORTED_GRANT_TYPE(f"grant_type must be {_GRANT_TYPES}").because(
            f"grant_type is {reasons.shown(grant_type)}, expected {_GRANT_TYPES}"
        )
    app = authenticate(caller.workspace, credentials, form)
    code, redirect_uri, verifier = required(form, "code"), form.get("redirect_uri"), form.get("code_verifier")
    issued = _redeem(caller.workspace, app, code, redirect_uri, verifier)
    found = _answer(caller, issued, signer)
    if OPENID in issued.token.scopes:
        found["id_token"] = signer.sign(_identity_claims(issued, caller.visit.root))
    return found


def exchange_refresh_token(
    caller: AnonymousCaller, credentials: str, form: Mapping[str, str], signer: Signer
) -> dict[str, Any]:
    """Exchange a refresh token for an access token and, with rotation, for a new refresh token."""
    app = authenticate(caller.workspace, credentials, form)
    token = required(form, "refresh_token")
    issued = _refresh(caller.workspace, app, token, split_scopes(form.get("scope", "")))
    found = _answer(caller, issued, signer)
    if issued.grant.refresh_token == token:
        del found["refresh_token"]
    return found


def exchange_client_credentials(
    caller: AnonymousCaller, credentials: str, form: Mapping[str, str], signer: Signer
) -> dict[str, Any]:
    """Issue an access token for the account of a private app."""
    workspace = caller.workspace
    app = authenticate(workspace, credentials, form)
    if app.public:
        raise errors.UNAUTHORIZED_CLIENT("The app cannot have a token for itself").because(
            f"app {app.client_id} is public"
        )
    requested = split_scopes(form.get("scope", "")) or app.scopes
    if more := uncovered_scopes(requested, app.scopes):
        reason = f"app {app.client_id} may ask for {reasons.listed(app.scopes)}"
        raise errors.INVALID_SCOPE(f"The app may not ask for {reasons.listed(more)}").because(reason)
    account = owner(workspace, app)
    row = model.begin(workspace, account, app, scopes=requested, state=ACTIVE)
    return _answer(caller, _issue(workspace, account, row), signer)


def _answer(caller: AnonymousCaller, issued: IssuedToken, signer: Signer) -> dict[str, Any]:
    return {
        "access_token": signer.sign(_access_claims(caller.workspace, issued, caller.visit.root), ACCESS),
        "token_type": "Bearer",
        "expires_in": int(ACCESS_LIFETIME.total_seconds()),
        "refresh_token": issued.grant.refresh_token,
        "scope": " ".join(issued.token.scopes),
    }


def _issue(workspace: Workspace, account: Account, row: Grant, scopes: tuple[str, ...] = ()) -> IssuedToken:
    """Add an access token with these scopes, or all scopes, to a grant; remove the expired access tokens."""
    now = workspace.state.clock.now()
    for old in [token for token in row.tokens.values() if token.expires_at <= now]:
        model.forget_secrets(workspace, old.id)
        del row.tokens[old.id]
    identifier, until = workspace.state.random.secret("oauth_token", 32), workspace.state.clock.after(ACCESS_LIFETIME)
    token = row.tokens[identifier] = AccessToken(identifier, scopes or row.scopes, now, until)
    if token.expires_at > row.expires_at:
        model.set_expiry(workspace, account, row, token.expires_at)
    model.index_secrets(workspace, account, row)
    return IssuedToken(account, row, token)


def _redeem(workspace: Workspace, app: App, code: str, redirect_uri: str | None, verifier: str | None) -> IssuedToken:
    """Issue an access token for a code; a second use of a code revokes its grant (RFC 6749, 4.1.2)."""
    account, row = _grant_of(workspace, app, code, "code")
    if code != row.code:
        raise errors.INVALID_GRANT("The code is unknown").because(f"the code given is another secret of grant {row.id}")
    if row.state == ACTIVE:
        GRANT.fire(workspace, account, row, "revoke")
        raise errors.INVALID_GRANT("The code was used already").because(
            f"the code of grant {row.id} was used a second time, so its tokens are revoked"
        )
    if row.state != CODE_ISSUED:
        raise errors.INVALID_GRANT("The code has expired or was revoked").because(_why_ended(workspace, row, "code"))
    if redirect_uri is not None and redirect_uri != row.redirect_uri:
        reason = f"redirect_uri is {reasons.shown(redirect_uri)}, expected {row.redirect_uri} as in authorize"
        raise errors.INVALID_GRANT("redirect_uri differs from that of the code").because(reason)
    _check_verifier(row, verifier)
    GRANT.fire(workspace, account, row, "exchange")
    return _issue(workspace, account, row)


def _check_verifier(row: Grant, verifier: str | None) -> None:
    if row.challenge is None:
        # A verifier without a challenge indicates a PKCE downgrade attack (RFC 9700, 4.8.2).
        if verifier is not None:
            raise errors.INVALID_GRANT("The code was asked for without code_challenge").because(
                f"unexpected code_verifier: grant {row.id} has no code_challenge"
            )
        return
    if verifier is None or not row.challenge.is_met_by(verifier):
        wrong = f"code_verifier does not match the code_challenge ({row.challenge.method})"
        reason = "missing code_verifier" if verifier is None else wrong
        raise errors.INVALID_GRANT("code_verifier is not the one of the code_challenge").because(reason)


def _refresh(workspace: Workspace, app: App, token: str, scopes: tuple[str, ...]) -> IssuedToken:
    """Issue an access token for a refresh token; use of a replaced refresh token revokes its grant (RFC 9700, 4.14)."""
    account, row = _grant_of(workspace, app, token, "refresh token")
    if token in row.spent:
        GRANT.fire(workspace, account, row, "revoke")
        raise errors.INVALID_GRANT("The refresh token was replaced by a newer one").because(
            f"a replaced refresh token of grant {row.id} was used again, so the grant is revoked"
        )
    if not _is_valid_refresh_token(workspace, row, token):
        reason = _why_ended(workspace, row, "refresh token")
        raise errors.INVALID_GRANT("The refresh token is unknown, expired or revoked").because(reason)
    if more := [name for name in scopes if name not in row.scopes]:
        raise errors.INVALID_SCOPE("The scopes are more than were granted").because(
            f"scopes that were not granted: {reasons.listed(more)}"
        )
    GRANT.fire(workspace, account, row, "refresh")
    return _issue(workspace, account, row, scopes)


def _is_valid_refresh_token(workspace: Workspace, row: Grant, token: str) -> bool:
    expiry = row.refresh_expires_at
    return token == row.refresh_token and expiry is not None and expiry > workspace.state.clock.now()


def _grant_of(workspace: Workspace, app: App, secret: str, called: str) -> model.OwnedGrant:
    found = model.find(workspace, secret)
    if found is None:
        ended = next((row for _, row in model.GRANT.instances(workspace) if secret in row.spent), None)
        unknown = f"unknown {called}: no grant of workspace {workspace.name} has it"
        raise errors.INVALID_GRANT(f"The {called} is unknown, expired or revoked").because(
            _why_ended(workspace, ended, "refresh token") if ended else unknown
        )
    _check_owner(found.grant, app, called)
    return found


def _check_owner(row: Grant, app: App, called: str) -> None:
    if row.client_id != app.client_id:
        raise errors.INVALID_GRANT(f"The {called} is another app's").because(
            f"the {called} belongs to app {row.client_id} (grant {row.id}), but app {app.client_id} sent it"
        )


def _why_ended(workspace: Workspace, row: Grant, called: str) -> str:
    now, lifetime = reasons.clock(workspace.state.clock), CODE_LIFETIME if called == "code" else REFRESH_LIFETIME
    expiry = row.refresh_expires_at or row.expires_at
    if row.state == REVOKED or workspace.state.clock.now() < expiry:
        return f"grant {row.id} is {row.state}; {now}"
    return f"the {called} of grant {row.id} expired at {reasons.instant(expiry)}, lifetime {spoken(lifetime)}; {now}"


def revoke(caller: AnonymousCaller, credentials: str, form: Mapping[str, str], signer: Signer) -> None:
    """Revoke a grant by its refresh token, or revoke an access token alone; ignore unknown tokens (RFC 7009, 2.2)."""
    workspace = caller.workspace
    app = authenticate(workspace, credentials, form)
    token = _secret_of(workspace, required(form, "token"), signer)
    found = model.find(workspace, token)
    if found is None:
        return
    account, row = found
    _check_owner(row, app, "token")
    if token in row.tokens:
        model.forget_secrets(workspace, token)
        del row.tokens[token]
    elif token == row.refresh_token or token in row.spent:
        GRANT.fire(workspace, account, row, "revoke")


def introspect(caller: AnonymousCaller, credentials: str, form: Mapping[str, str], signer: Signer) -> dict[str, Any]:
    """Return whether a token of the app is active, with its claims; tokens of other apps are reported as inactive."""
    workspace = caller.workspace
    app = authenticate(workspace, credentials, form)
    if app.public:
        # RFC 7662, 2.1: authentication prevents token scanning.
        raise errors.INVALID_CLIENT("Only an app with a secret can ask about tokens").because(
            f"app {app.client_id} is public and has no secret"
        )
    secret = _secret_of(workspace, required(form, "token"), signer)
    found = model.find(workspace, secret)
    if found is None or found.grant.client_id != app.client_id:
        return {"active": False}
    row = found.grant
    if issued := model.find_token(workspace, secret):
        claims = _access_claims(workspace, issued, caller.visit.root)
        members = {name: claims[name] for name in ("scope", "client_id", "exp", "iat", "sub", "aud", "iss")}
        return {"active": True, **members, "username": row.user, "token_type": "Bearer"}
    if row.refresh_expires_at is None or not _is_valid_refresh_token(workspace, row, secret):
        return {"active": False}
    members = {"scope": " ".join(row.scopes), "client_id": row.client_id, "username": row.user, "sub": row.user}
    return {"active": True, **members, "exp": int(row.refresh_expires_at.timestamp())}


def userinfo(caller: AnonymousCaller, credentials: str, signer: Signer) -> dict[str, Any]:
    """Return the user's claims that an access token grants."""
    scheme, _, text = credentials.partition(" ")
    workspace = caller.workspace
    token_id = _secret_of(workspace, text.strip(), signer) if scheme.lower() == "bearer" else ""
    found = model.find_token(workspace, token_id)
    if found is None:
        raise errors.INVALID_TOKEN("The access token is missing, unknown, expired or revoked").because(
            f"the Authorization header has no valid access token of workspace {workspace.name}"
        )
    if OPENID not in found.token.scopes:
        reason = f"userinfo requires the scope openid; the token has {reasons.listed(found.token.scopes)}"
        raise errors.INSUFFICIENT_SCOPE("The access token lacks the scope openid").because(reason)
    return _user_claims(found)


def _secret_of(workspace: Workspace, text: str, signer: Signer) -> str:
    """Return the grant secret of a token: the id of a valid access token, else "", or the refresh token."""
    if text.count(".") != 2:
        # The id of an access token is not a token, though it identifies a grant.
        found = model.find(workspace, text)
        return "" if found is not None and text in found.grant.tokens else text
    try:
        claims = signer.read(text)
    except BadSignature:
        return ""
    issued = model.token_of_claims(workspace, claims) if claims.get(WORKSPACE) == workspace.name else None
    return "" if issued is None else issued.token.id


def _access_claims(workspace: Workspace, issued: IssuedToken, root: str) -> dict[str, Any]:
    """Return the claims of an access token: `scope` is documented (contract/oauth), the others come from RFC 9068."""
    claims = model.token_claims(issued.grant, issued.token)
    replica = workspace.state.random.replica
    marks = {WORKSPACE: workspace.name, **({REPLICA: replica} if replica else {})}
    return {"iss": issuer(root), "aud": f"{root}/v3", **claims, **marks}


def _identity_claims(issued: IssuedToken, root: str) -> dict[str, Any]:
    """Return the claims of an ID token (OpenID Connect Core 1.0, 2)."""
    row, claims = issued.grant, model.token_claims(issued.grant, issued.token)
    nonce = {} if row.nonce is None else {"nonce": row.nonce}
    times = {"iat": claims["iat"], "exp": claims["exp"]}
    return {"iss": issuer(root), "aud": row.client_id, **times, **nonce, **_user_claims(issued)}


def _user_claims(issued: IssuedToken) -> dict[str, Any]:
    account, row, token = issued
    found: dict[str, Any] = {"sub": row.user or row.client_id}
    if EMAIL in token.scopes and row.user is not None:
        found |= {"email": row.user, "email_verified": True}
    if PROFILE in token.scopes:
        named = account if row.user == account.email else None
        found |= {
            "name": named.full_name if named else row.user,
            "given_name": named.first_name if named else None,
            "family_name": named.last_name if named else None,
        }
    return {name: value for name, value in found.items() if value}

"""The addresses of OAuth (ledger 2.35 to 2.38 and 5): pages for users, tokens for apps, documents for both."""

from __future__ import annotations

from typing import Any

from flask import Request, current_app

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ServiceError
from mockserver.core.contract.operation import Surface, documented, proposed
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import Guest
from mockserver.resources.oauth import metadata, schemas, sign_in
from mockserver.resources.oauth.tokens import issuing
from mockserver.resources.oauth.tokens.signing import Signer
from mockserver.web.service import front
from mockserver.web.service.operation import Endpoints

OAUTH = Endpoints("oauth")

_BAD_REQUEST = documented(errors.INVALID_REQUEST, "a parameter is missing, twice there, or malformed", "ledger 2.35")
_BAD_SCOPE = documented(errors.INVALID_SCOPE, "the app may not ask for it", "ledger 2.35")
_BAD_CLIENT = proposed(errors.INVALID_CLIENT, "unknown app, or wrong credentials", "RFC 6749, 5.2")
_BAD_GRANT_TYPE = proposed(errors.UNSUPPORTED_GRANT_TYPE, "another grant_type", "RFC 6749, 5.2")
_BROKEN = proposed(errors.SERVER_ERROR, "by a fault only", "RFC 6749, 4.1.2.1")
_UNAVAILABLE = proposed(errors.TEMPORARILY_UNAVAILABLE, "by a fault only", "RFC 6749, 4.1.2.1")
_OF_A_CODE = (
    proposed(errors.INVALID_GRANT, "unknown, used or expired, or not asked for like this", "RFC 6749, 5.2"),
    _BAD_CLIENT, _BAD_REQUEST, _BAD_SCOPE, _BAD_GRANT_TYPE, _BROKEN, _UNAVAILABLE,
)  # fmt: skip
_DOCUMENT_ERRORS = (_BROKEN, _UNAVAILABLE)


def signer() -> Signer:
    """The server's."""
    found: Signer = current_app.extensions["mockserver.signer"]
    return found


# ---------------------------------------------------------------------- pages


@OAUTH.operation(
    "oauthAuthorize", "GET", metadata.AUTHORIZE,
    summary="Ask a user to let an app in",
    source="SPEC 5.2, ledger 2.35",
    surface=Surface.PAGE,
    query=schemas.AuthorizeQuery,
    refuse=sign_in.send_back,
    errors=(
        proposed(errors.INVALID_CLIENT, "unknown app: a page, never a redirection", "RFC 6749, 4.1.2.1", status=400),
        _BAD_REQUEST, _BAD_SCOPE,
        documented(errors.ACCESS_DENIED, "the user refuses, or may not accept", "ledger 2.35"),
        proposed(errors.UNSUPPORTED_RESPONSE_TYPE, "another response_type than code", "RFC 6749, 4.1.2.1"),
        _BROKEN, _UNAVAILABLE,
    ),
    notes=("The answer is a page, and in the end 302 to redirect_uri with code and state, or error and state.",),
)  # fmt: skip
def authorize(guest: Guest, request: Request, query: dict[str, str]) -> Reply:
    return sign_in.begin(guest, request, query)


@OAUTH.operation(
    "oauthSignIn", "POST", metadata.AUTHORIZE,
    summary="Sign in, on the page of oauthAuthorize",
    adds=True,
    source="SPEC 5.2, ledger 2.35; proposed",
    surface=Surface.PAGE,
    query=schemas.AuthorizeQuery,
    body=schemas.SignInForm,
    refuse=sign_in.send_back,
    errors=(proposed(errors.PERMISSION_DENIED, "the form is not one of our own pages'", "the mock's own"), _BAD_SCOPE),
)  # fmt: skip
def sign_in_form(guest: Guest, request: Request, query: dict[str, str], form: dict[str, str]) -> Reply:
    return sign_in.sign_in(guest, request, query, form)


@OAUTH.operation(
    "oauthConsent", "POST", metadata.CONSENT,
    summary="Accept or refuse, on the page after signing in",
    source="SPEC 5.2, ledger 2.35; proposed",
    surface=Surface.PAGE,
    body=schemas.ConsentForm,
    errors=(
        proposed(errors.PERMISSION_DENIED, "the form is not one of our own pages'", "the mock's own"),
        proposed(errors.GONE, "the question was answered, or waited too long", "the mock's own"),
    ),
)  # fmt: skip
def consent(guest: Guest, request: Request, form: dict[str, str]) -> Reply:
    return sign_in.consent(guest, request, form)


# ---------------------------------------------------------------------- tokens


@OAUTH.operation(
    "oauthTokenCode", "POST", metadata.TOKEN,
    summary="Tokens for a code",
    adds=True,
    source="SPEC 5.2, ledger 2.36",
    surface=Surface.OAUTH,
    body=schemas.CodeForm,
    answer=schemas.Tokens,
    errors=_OF_A_CODE,
    notes=("grant_type and redirect_uri may be absent, as SPEC does not ask for them; wrong ones are refused.",),
)  # fmt: skip
def token_code(guest: Guest, request: Request, form: dict[str, str]) -> dict[str, Any]:
    return issuing.of_code(guest, _credentials(request), form, signer())


@OAUTH.operation(
    "oauthTokenRefresh", "POST", metadata.TOKEN,
    summary="A new access token for a refresh token",
    adds=True,
    source="SPEC 5.2, ledger 2.37",
    surface=Surface.OAUTH,
    told_by=("grant_type", "refresh_token"),
    body=schemas.RefreshForm,
    answer=schemas.Tokens,
    errors=_OF_A_CODE,
    notes=("behaviour.oauth_rotate_refresh: whether a new refresh token comes back and ends the old one.",),
)  # fmt: skip
def token_refresh(guest: Guest, request: Request, form: dict[str, str]) -> dict[str, Any]:
    return issuing.of_refresh(guest, _credentials(request), form, signer())


@OAUTH.operation(
    "oauthTokenClientCredentials", "POST", metadata.TOKEN,
    summary="A token of an app for itself",
    adds=True,
    source="ledger 2.38",
    surface=Surface.OAUTH,
    told_by=("grant_type", "client_credentials"),
    body=schemas.ClientCredentialsForm,
    answer=schemas.Tokens,
    errors=(
        _BAD_CLIENT, _BAD_REQUEST, _BAD_SCOPE,
        proposed(errors.UNAUTHORIZED_CLIENT, "a public app", "RFC 6749, 4.4"),
        _BROKEN, _UNAVAILABLE,
    ),
    notes=("Opens the app's own account, for the scopes that are asked for, else for all of the app's.",),
)  # fmt: skip
def token_client_credentials(guest: Guest, request: Request, form: dict[str, str]) -> dict[str, Any]:
    return issuing.of_client(guest, _credentials(request), form, signer())


@OAUTH.operation(
    "oauthRevoke", "POST", metadata.REVOKE,
    summary="End a token",
    source="ledger 5; RFC 7009",
    surface=Surface.OAUTH,
    body=schemas.TokenForm,
    errors=(_BAD_CLIENT, _BAD_REQUEST, proposed(errors.INVALID_GRANT, "another app's token", "RFC 7009, 2.1")),
    notes=("A refresh token ends its whole grant, an access token itself only; an unknown one is 200 as well.",),
)  # fmt: skip
def revoke(guest: Guest, request: Request, form: dict[str, str]) -> None:
    issuing.revoke(guest, _credentials(request), form, signer())


@OAUTH.operation(
    "oauthIntrospect", "POST", metadata.INTROSPECT,
    summary="Ask whether a token is good, and for what",
    source="ledger 5; RFC 7662",
    surface=Surface.OAUTH,
    body=schemas.TokenForm,
    answer=schemas.Introspection,
    errors=(_BAD_CLIENT, _BAD_REQUEST),
)  # fmt: skip
def introspect(guest: Guest, request: Request, form: dict[str, str]) -> dict[str, Any]:
    return issuing.introspect(guest, _credentials(request), form, signer())


_USERINFO_ERRORS = (
    proposed(errors.INVALID_TOKEN, "no access token, or one that is not good", "RFC 6750, 3.1"),
    proposed(errors.INSUFFICIENT_SCOPE, "a token without openid", "RFC 6750, 3.1"),
)


def _of_bearer(error: ServiceError, guest: Guest, exchange: Exchange) -> Reply | None:
    """A key that is refused, as a fault asks for it, is a token here (RFC 6750, 3.1)."""
    if error.code != errors.UNAUTHORIZED:
        return None
    return front.refusal(errors.INVALID_TOKEN(error.message).because(error.reason), Surface.OAUTH, guest, exchange)


@OAUTH.operation(
    "oauthUserinfo", "GET", metadata.USERINFO,
    summary="Who has signed in",
    source="ledger 5; OpenID Connect Core 1.0, 5.3",
    surface=Surface.OAUTH,
    answer=schemas.UserInfo,
    refuse=_of_bearer,
    errors=_USERINFO_ERRORS,
)  # fmt: skip
def userinfo(guest: Guest, request: Request) -> dict[str, Any]:
    return issuing.userinfo(guest, _credentials(request), signer())


def _credentials(request: Request) -> str:
    return request.headers.get("Authorization", "")


# ---------------------------------------------------------------------- documents


@OAUTH.operation(
    "oauthServerMetadata", "GET", metadata.AUTHORIZATION_SERVER,
    summary="The discovery document of OAuth",
    source="ledger 5; RFC 8414",
    surface=Surface.OAUTH,
    answer=schemas.Metadata,
    errors=_DOCUMENT_ERRORS,
)  # fmt: skip
def authorization_server(guest: Guest, request: Request) -> dict[str, Any]:
    return metadata.metadata(guest.visit.root, has_public_apps=guest.workspace.behaviour.oauth_public_apps)


@OAUTH.operation(
    "oauthOpenidConfiguration", "GET", metadata.OPENID_CONFIGURATION,
    summary="The discovery document of OpenID Connect",
    source="ledger 5; OpenID Connect Discovery 1.0",
    surface=Surface.OAUTH,
    answer=schemas.Metadata,
    errors=_DOCUMENT_ERRORS,
)  # fmt: skip
def openid_configuration(guest: Guest, request: Request) -> dict[str, Any]:
    return metadata.metadata(guest.visit.root, has_public_apps=guest.workspace.behaviour.oauth_public_apps)


@OAUTH.operation(
    "oauthPublicKeys", "GET", metadata.KEYS,
    summary="The keys with which tokens verify",
    source="ledger 5; RFC 7517",
    surface=Surface.OAUTH,
    answer=schemas.Keys,
    errors=_DOCUMENT_ERRORS,
)  # fmt: skip
def public_keys(guest: Guest, request: Request) -> dict[str, Any]:
    return {"keys": [signer().public]}


@OAUTH.operation(
    "oauthScopes", "GET", metadata.SCOPES,
    summary="What apps can ask for",
    source="ledger 5",
    surface=Surface.OAUTH,
    answer=schemas.Scopes,
    errors=_DOCUMENT_ERRORS,
)  # fmt: skip
def list_scopes(guest: Guest, request: Request) -> dict[str, Any]:
    operations = current_app.extensions["mockserver.operations"]
    return {"scopes": metadata.catalogue(operations)}

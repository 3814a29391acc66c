"""The operations of OAuth (contract/oauth): pages, tokens, and discovery documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Request

from mockserver.core.contract import errors
from mockserver.core.contract.errors import ServiceError
from mockserver.core.contract.operation import Audience, documented_error, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.resources.oauth import discovery
from mockserver.resources.oauth.signing import OAuthParts, Signer
from mockserver.web.components import component
from mockserver.web.endpoints import oauth_error
from mockserver.web.endpoints.operations import Operations

if TYPE_CHECKING:
    from mockserver.resources.oauth import pages, schemas, tokens
else:
    pages, schemas, tokens = lazy(__package__, "pages", "schemas", "tokens")

OAUTH = Operations("oauth", "specification 5.2", audience=Audience.OAUTH)

#: The vendor's pages, and the sections of RFC 6749 on the errors of authorization and of tokens.
_PAGES, _SENT_BACK, _REFUSALS = "OAuth pages of developers.brevo.com", "RFC 6749, 4.1.2.1", "RFC 6749, 5.2"
_MALFORMED, _NOT_THE_APPS = "a parameter is missing, twice there, or malformed", "the app may not ask for it"
_BAD_REQUEST = proposed_error(errors.INVALID_REQUEST, _MALFORMED, _REFUSALS)
_BAD_SCOPE = documented_error(errors.INVALID_SCOPE, _NOT_THE_APPS, _PAGES)
_BAD_CLIENT = proposed_error(errors.INVALID_CLIENT, "unknown app, or wrong credentials", _REFUSALS)
_BAD_GRANT_TYPE = proposed_error(errors.UNSUPPORTED_GRANT_TYPE, "another grant_type", _REFUSALS)
_BROKEN = proposed_error(errors.SERVER_ERROR, "by a fault only", "the mock's own")
_UNAVAILABLE = proposed_error(errors.TEMPORARILY_UNAVAILABLE, "by a fault only", "the mock's own")
_TOKEN_ERRORS = (
    proposed_error(errors.INVALID_GRANT, "unknown, used or expired, or not asked for like this", _REFUSALS),
    _BAD_CLIENT, _BAD_REQUEST, proposed_error(errors.INVALID_SCOPE, _NOT_THE_APPS, _REFUSALS), _BAD_GRANT_TYPE,
    _BROKEN, _UNAVAILABLE,
)  # fmt: skip
_DOCUMENT_ERRORS = (_BROKEN, _UNAVAILABLE)


def _signer() -> Signer:
    return component(OAuthParts).signer


@OAUTH.operation(
    "oauthAuthorize", "GET", discovery.AUTHORIZE,
    summary="Ask a user to let an app in",
    audience=Audience.PAGE,
    query=schemas.AuthorizeQuery,
    refuse=pages.send_back,
    errors=(
        proposed_error(errors.INVALID_CLIENT, "unknown app: a page, never a redirection",
            "RFC 6749, 4.1.2.1, but for the code", status=400),
        documented_error(errors.INVALID_REQUEST, _MALFORMED, _PAGES), _BAD_SCOPE,
        documented_error(errors.ACCESS_DENIED, "the user refuses, or may not accept", _PAGES),
        proposed_error(errors.UNSUPPORTED_RESPONSE_TYPE, "another response_type than code", _SENT_BACK),
        proposed_error(errors.SERVER_ERROR, "by a fault only", _SENT_BACK),
        proposed_error(errors.TEMPORARILY_UNAVAILABLE, "by a fault only", _SENT_BACK),
    ),
    notes=("The answer is a page, and in the end 302 to redirect_uri with code and state, or error and state.",),
)  # fmt: skip
def authorize(caller: AnonymousCaller, request: Request, query: dict[str, str]) -> Reply:
    return pages.authorize(caller, request, query)


@OAUTH.operation(
    "oauthSignIn", "POST", discovery.AUTHORIZE,
    summary="Sign in, on the page of oauthAuthorize",
    adds=True,
    audience=Audience.PAGE,
    query=schemas.AuthorizeQuery,
    body=schemas.SignInForm,
    refuse=pages.send_back,
    errors=(proposed_error(errors.PERMISSION_DENIED, "the form is not one of our own pages'",
        "the mock's own"), _BAD_SCOPE),
)  # fmt: skip
def sign_in_form(caller: AnonymousCaller, request: Request, query: dict[str, str], form: dict[str, str]) -> Reply:
    return pages.sign_in(caller, request, query, form)


@OAUTH.operation(
    "oauthConsent", "POST", discovery.CONSENT,
    summary="Accept or refuse, on the page after signing in",
    audience=Audience.PAGE,
    body=schemas.ConsentForm,
    errors=(
        proposed_error(errors.PERMISSION_DENIED, "the form is not one of our own pages'", "the mock's own"),
        proposed_error(errors.GONE, "the question was answered, or waited too long", "the mock's own"),
    ),
)  # fmt: skip
def consent(caller: AnonymousCaller, request: Request, form: dict[str, str]) -> Reply:
    return pages.consent(caller, request, form)


@OAUTH.operation(
    "oauthTokenCode", "POST", discovery.TOKEN,
    summary="Tokens for a code",
    adds=True,
    body=schemas.CodeForm,
    answer=schemas.Tokens,
    errors=_TOKEN_ERRORS,
    notes=("grant_type and redirect_uri may be absent, as in the specification; wrong ones are refused.",),
)  # fmt: skip
def token_code(caller: AnonymousCaller, request: Request, form: dict[str, str]) -> dict[str, Any]:
    return tokens.exchange_code(caller, _credentials(request), form, _signer())


@OAUTH.operation(
    "oauthTokenRefresh", "POST", discovery.TOKEN,
    summary="A new access token for a refresh token",
    adds=True,
    discriminator=("grant_type", "refresh_token"),
    body=schemas.RefreshForm,
    answer=schemas.Tokens,
    errors=_TOKEN_ERRORS,
    notes=("behaviour.oauth_rotate_refresh: whether a new refresh token comes back and ends the old one.",),
)  # fmt: skip
def token_refresh(caller: AnonymousCaller, request: Request, form: dict[str, str]) -> dict[str, Any]:
    return tokens.exchange_refresh_token(caller, _credentials(request), form, _signer())


@OAUTH.operation(
    "oauthTokenClientCredentials", "POST", discovery.TOKEN,
    summary="A token of an app for itself",
    adds=True,
    source="contract/oauth#oauthTokenClientCredentials",
    discriminator=("grant_type", "client_credentials"),
    body=schemas.ClientCredentialsForm,
    answer=schemas.Tokens,
    errors=(
        _BAD_CLIENT, _BAD_REQUEST, _BAD_SCOPE,
        proposed_error(errors.UNAUTHORIZED_CLIENT, "a public app", _REFUSALS),
        _BROKEN, _UNAVAILABLE,
    ),
    notes=("Opens the app's own account, for the scopes that are asked for, else for all of the app's.",),
)  # fmt: skip
def token_client_credentials(caller: AnonymousCaller, request: Request, form: dict[str, str]) -> dict[str, Any]:
    return tokens.exchange_client_credentials(caller, _credentials(request), form, _signer())


@OAUTH.operation(
    "oauthRevoke", "POST", discovery.REVOKE,
    summary="End a token",
    source="RFC 7009, contract/oauth#oauthRevoke",
    body=schemas.TokenForm,
    errors=(_BAD_CLIENT, _BAD_REQUEST, proposed_error(errors.INVALID_GRANT, "another app's token", _REFUSALS)),
    notes=("A refresh token ends its whole grant, an access token itself only; an unknown one is 200 as well.",),
)  # fmt: skip
def revoke(caller: AnonymousCaller, request: Request, form: dict[str, str]) -> None:
    tokens.revoke(caller, _credentials(request), form, _signer())


@OAUTH.operation(
    "oauthIntrospect", "POST", discovery.INTROSPECT,
    summary="Ask whether a token is good, and for what",
    source="RFC 7662, contract/oauth#oauthIntrospect",
    body=schemas.TokenForm,
    answer=schemas.Introspection,
    errors=(_BAD_CLIENT, _BAD_REQUEST),
)  # fmt: skip
def introspect(caller: AnonymousCaller, request: Request, form: dict[str, str]) -> dict[str, Any]:
    return tokens.introspect(caller, _credentials(request), form, _signer())


_USERINFO_ERRORS = (
    proposed_error(errors.INVALID_TOKEN, "no access token, or one that is not good", "RFC 6750, 3.1"),
    proposed_error(errors.INSUFFICIENT_SCOPE, "a token without openid", "RFC 6750, 3.1"),
)


def _refuse_token(error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply | None:
    """Refuse the token where a fault refuses the API key; return None for other errors (RFC 6750, 3.1)."""
    if error.code != errors.UNAUTHORIZED:
        return None
    return oauth_error.refusal(errors.INVALID_TOKEN(error.message).because(error.reason))


@OAUTH.operation(
    "oauthUserinfo", "GET", discovery.USERINFO,
    summary="Who has signed in",
    source="OpenID Connect Core 1.0, 5.1 and 5.3, contract/oauth#oauthUserinfo",
    answer=schemas.UserInfo,
    refuse=_refuse_token,
    errors=_USERINFO_ERRORS,
)  # fmt: skip
def userinfo(caller: AnonymousCaller, request: Request) -> dict[str, Any]:
    return tokens.userinfo(caller, _credentials(request), _signer())


def _credentials(request: Request) -> str:
    return request.headers.get("Authorization", "")


@OAUTH.operation(
    "oauthServerMetadata", "GET", discovery.AUTHORIZATION_SERVER,
    summary="The discovery document of OAuth",
    source="RFC 8414, contract/oauth#oauthServerMetadata",
    answer=schemas.Metadata,
    errors=_DOCUMENT_ERRORS,
)  # fmt: skip
def authorization_server(caller: AnonymousCaller, request: Request) -> dict[str, Any]:
    return discovery.metadata(caller.visit.root, has_public_apps=caller.workspace.state.behaviour.oauth_public_apps)


@OAUTH.operation(
    "oauthOpenidConfiguration", "GET", discovery.OPENID_CONFIGURATION,
    summary="The discovery document of OpenID Connect",
    source="OpenID Connect Discovery 1.0, contract/oauth#oauthOpenidConfiguration",
    answer=schemas.Metadata,
    errors=_DOCUMENT_ERRORS,
)  # fmt: skip
def openid_configuration(caller: AnonymousCaller, request: Request) -> dict[str, Any]:
    return discovery.metadata(caller.visit.root, has_public_apps=caller.workspace.state.behaviour.oauth_public_apps)


@OAUTH.operation(
    "oauthPublicKeys", "GET", discovery.KEYS,
    summary="The keys with which tokens verify",
    source="RFC 7517, contract/oauth#oauthPublicKeys",
    answer=schemas.Keys,
    errors=_DOCUMENT_ERRORS,
)  # fmt: skip
def public_keys(caller: AnonymousCaller, request: Request) -> dict[str, Any]:
    return {"keys": [_signer().public]}


@OAUTH.operation(
    "oauthScopes", "GET", discovery.SCOPES,
    summary="What apps can ask for",
    source="contract/oauth#oauthScopes",
    answer=schemas.Scopes,
    errors=_DOCUMENT_ERRORS,
)  # fmt: skip
def list_scopes(caller: AnonymousCaller, request: Request) -> dict[str, Any]:
    return discovery.scope_list()

"""The schemas of OAuth (contract/oauth; RFC 6749, 7009, 7662, 8414)."""

from __future__ import annotations

from marshmallow import fields

from mockserver.web.schemas.evidence import documented, proposed
from mockserver.web.schemas.fields import Flag, Int64, Text
from mockserver.web.schemas.schema import Input, Output

#: The vendor's pages on OAuth, and the discovery documents that its server answers.
PAGES = "OAuth pages of developers.brevo.com"
DISCOVERY = "discovery document of oauth.brevo.com"
#: The vendor's command-line tool, which reads the list of scopes.
TOOL = "getbrevo/brevo-cli"
_OWN, _RFC, _OPENID = "the mock's own", "RFC 8414, 2", "OpenID Connect Discovery 1.0, 3"


class OauthInput(Input):
    """Base of input from apps and browsers, with long texts: apps choose the length of a `state`."""

    longest = 100_000


class AuthorizeQuery(OauthInput):
    """The query of an authorization request."""

    client_id = Text(required=True, **documented())
    redirect_uri = Text(required=True, **documented("as it is registered"))
    response_type = Text(**documented("code; the specification does not list it", source=PAGES))
    scope = Text(**documented("separated by blanks"))
    state = Text(**documented("comes back with the answer"))
    code_challenge = Text(**documented("PKCE, which public apps need", source=PAGES))
    code_challenge_method = Text(**documented("S256 or plain", source=PAGES))
    nonce = Text(**proposed("comes back in the id_token", source="OpenID Connect Core 1.0, 3.1.2.1"))
    mock_user = Text(**proposed("signs this user in, without a page", source=_OWN))
    mock_consent = Text(**proposed("accept or refuse, without a page", source=_OWN))


class SignInForm(OauthInput):
    """The form of the sign-in page: a chosen user, or e-mail address and password."""

    csrf = Text(**proposed(source=_OWN))
    person = Text(**proposed(source=_OWN))
    user = Text(**proposed(source=_OWN))
    password = Text(**proposed(source=_OWN))


class ConsentForm(OauthInput):
    csrf = Text(**proposed(source=_OWN))
    ticket = Text(**proposed(source=_OWN))
    decision = Text(**proposed("accept or refuse", source=_OWN))


class _ClientForm(OauthInput):
    """Credentials of an app outside the Authorization header."""

    client_id = Text(**documented("or HTTP Basic"))
    client_secret = Text(**documented("or HTTP Basic; a public app has none"))


class CodeForm(_ClientForm):
    grant_type = Text(**documented("authorization_code", source=PAGES))
    code = Text(**documented())
    redirect_uri = Text(**documented("as in authorize", source=PAGES))
    code_verifier = Text(**documented("PKCE", source=PAGES))


class RefreshForm(_ClientForm):
    names_from = PAGES

    grant_type = Text(**documented("refresh_token"))
    refresh_token = Text(**documented())
    scope = Text(**proposed("fewer than were granted", source="RFC 6749, 6"))


class ClientCredentialsForm(_ClientForm):
    names_from = PAGES

    grant_type = Text(**documented("client_credentials"))
    scope = Text(**documented())


class TokenForm(OauthInput):
    client_id = Text(**proposed("or HTTP Basic", source="RFC 6749, 2.3.1"))
    client_secret = Text(**proposed("or HTTP Basic; a public app has none", source="RFC 6749, 2.3.1"))
    token = Text(**proposed(source="RFC 7009, 2.1; RFC 7662, 2.1"))
    token_type_hint = Text(**proposed("not needed: tokens are told apart anyway"))


class Tokens(Output):
    names_from = PAGES

    access_token = Text(required=True, **documented("a signed JWT with a scope claim"))
    token_type = Text(required=True, **documented("Bearer"))
    expires_in = Int64(required=True, **documented("seconds"))
    refresh_token = Text(**documented())
    scope = Text(**documented())
    id_token = Text(**proposed("if openid was asked for", source="OpenID Connect Core 1.0, 3.1.3.3"))


class Introspection(Output):
    active = Flag(required=True, **proposed(source="RFC 7662, 2.2"))
    scope = Text(**proposed())
    client_id = Text(**proposed())
    username = Text(**proposed())
    token_type = Text(**proposed())
    exp = Int64(**proposed())
    iat = Int64(**proposed())
    sub = Text(**proposed())
    aud = Text(**proposed())
    iss = Text(**proposed())


class UserInfo(Output):
    sub = Text(required=True, **proposed(source="OpenID Connect Core 1.0, 5.3"))
    email = Text(**proposed())
    email_verified = Flag(**proposed())
    name = Text(**proposed())
    given_name = Text(**proposed())
    family_name = Text(**proposed())


class Metadata(Output):
    """The discovery documents; addresses are documented, the rest describes the server."""

    names_from = DISCOVERY

    issuer = Text(required=True, **documented())
    authorization_endpoint = Text(required=True, **documented())
    token_endpoint = Text(required=True, **documented())
    revocation_endpoint = Text(required=True, **documented())
    introspection_endpoint = Text(required=True, **documented())
    userinfo_endpoint = Text(required=True, **documented())
    jwks_uri = Text(required=True, **documented())
    scopes_supported = fields.List(Text(), required=True, **documented())
    response_types_supported = fields.List(Text(), required=True, **documented())
    response_modes_supported = fields.List(Text(), required=True, **proposed(source=_RFC))
    grant_types_supported = fields.List(Text(), required=True, **documented())
    token_endpoint_auth_methods_supported = fields.List(Text(), required=True, **documented())
    revocation_endpoint_auth_methods_supported = fields.List(Text(), required=True, **proposed(source=_RFC))
    introspection_endpoint_auth_methods_supported = fields.List(Text(), required=True, **proposed(source=_RFC))
    code_challenge_methods_supported = fields.List(Text(), required=True, **documented())
    subject_types_supported = fields.List(Text(), required=True, **proposed(source=_OPENID))
    id_token_signing_alg_values_supported = fields.List(Text(), required=True, **proposed(source=_OPENID))
    claims_supported = fields.List(Text(), required=True, **proposed(source=_OPENID))


class Key(Output):
    kty = Text(required=True, **proposed(source="RFC 7517"))
    use = Text(required=True, **proposed())
    alg = Text(required=True, **proposed())
    kid = Text(required=True, **proposed())
    n = Text(required=True, **proposed(source="RFC 7518, 6.3.1"))
    e = Text(required=True, **proposed(source="RFC 7518, 6.3.1"))


class Keys(Output):
    keys = fields.List(fields.Nested(Key), required=True, **proposed("the discovery document has the address only"))


class ScopeOut(Output):
    names_from = TOOL

    name = Text(required=True, **documented())
    category = Text(required=True, **documented("account, messaging, data_crm; oidc for scopes of OpenID Connect"))
    api_endpoints = fields.List(Text(), required=True, **documented("path prefixes without /v3, of what the mock has"))
    is_oidc_reserved = Flag(required=True, **documented())


class Scopes(Output):
    names_from = TOOL

    scopes = fields.List(fields.Nested(ScopeOut), required=True, **documented())
    magic_scopes = fields.List(Text(), required=True, **documented("those that include others"))

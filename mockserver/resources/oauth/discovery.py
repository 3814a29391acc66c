"""Paths and scopes of OAuth, and the discovery documents (RFC 8414, OpenID Connect Discovery 1.0, contract/oauth)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from mockserver.core.contract.operation import ALL_SCOPES, SCOPE_PATHS

REALM = "/realms/partner"
AUTHORIZE, TOKEN = f"{REALM}/oauth/authorize", f"{REALM}/oauth/token"
CONSENT = f"{REALM}/oauth/consent"
REVOKE, INTROSPECT, USERINFO = f"{REALM}/oauth/revoke", f"{REALM}/oauth/introspect", f"{REALM}/oauth/userinfo"
KEYS, SCOPES = f"{REALM}/public-keys", f"{REALM}/scopes"
AUTHORIZATION_SERVER = f"{REALM}/.well-known/oauth-authorization-server"
OPENID_CONFIGURATION = f"{REALM}/.well-known/openid-configuration"

#: The signature algorithm that OpenID Connect requires (Discovery 1.0, 3).
ALGORITHM = "RS256"
_CLIENT_METHODS = ["client_secret_basic", "client_secret_post"]

#: Resource names on the consent page, within a sentence.
_RESOURCES = {
    "account": "your account, senders, domains and inbound e-mails",
    "organization": "your organization and its sub-accounts",
    "webhooks": "your webhooks",
    "campaigns.email": "your e-mail campaigns",
    "campaigns.sms": "your SMS campaigns",
    "campaigns.whatsapp": "your WhatsApp campaigns",
    "contacts": "your contacts, their lists and attributes",
    "crm": "your deals, companies and tasks",
    "conversations": "your conversations",
    "objects": "your custom objects",
    "ecommerce": "your products and orders",
    "events": "your events",
    "loyalty": "your loyalty programs",
    "transactional.email": "your transactional e-mails and their templates",
    "transactional.sms": "your transactional SMS",
    "transactional.whatsapp": "your transactional WhatsApp messages",
}
#: The categories by resource; `data_crm` for all others (contract/oauth#oauthScopes).
_CATEGORIES = {
    **dict.fromkeys(("account", "organization", "webhooks"), "account"),
    **dict.fromkeys((name for name in _RESOURCES if name.startswith(("campaigns.", "transactional."))), "messaging"),
}
OPENID, PROFILE, EMAIL, OFFLINE_ACCESS = "openid", "profile", "email", "offline_access"
#: OpenID Connect scopes, which every app may request, with their description on the consent page.
_OPENID_SCOPES = {
    OPENID: "know that you have signed in",
    PROFILE: "see your name",
    EMAIL: "see your e-mail address",
    OFFLINE_ACCESS: "do all this while you are away",
}
#: Default scopes of a new app (contract/oauth#scopes).
DEFAULT_SCOPES = ("contacts:read", "contacts:write", "crm:read", "crm:write")


class Scope(NamedTuple):
    """A permission: name, category of the list of scopes, and description on the consent page."""

    name: str
    category: str
    words: str
    is_oidc_reserved: bool = False


def _catalogue() -> Iterable[Scope]:
    yield Scope(ALL_SCOPES, ALL_SCOPES, "Do everything that you can do yourself")
    for name, called in _RESOURCES.items():
        category = _CATEGORIES.get(name, "data_crm")
        yield Scope(f"{name}:read", category, f"See {called}")
        yield Scope(f"{name}:write", category, f"Add, change and delete {called}")
    for name, words in _OPENID_SCOPES.items():
        yield Scope(name, "oidc", words.capitalize(), is_oidc_reserved=True)


CATALOGUE: dict[str, Scope] = {scope.name: scope for scope in _catalogue()}


def uncovered_scopes(requested: Iterable[str], granted: Collection[str]) -> list[str]:
    return [name for name in requested if not _covers(granted, name)]


def _covers(granted: Collection[str], name: str) -> bool:
    scope = CATALOGUE.get(name)
    return scope is not None and (name in granted or scope.is_oidc_reserved or ALL_SCOPES in granted)


def split_scopes(text: str) -> tuple[str, ...]:
    """Split a `scope` parameter; keep the order and drop duplicates (RFC 6749, 3.3)."""
    return tuple(dict.fromkeys(part for part in text.split(" ") if part))


def issuer(root: str) -> str:
    return f"{root}{REALM}"


def metadata(root: str, *, has_public_apps: bool) -> dict[str, Any]:
    """Return the discovery document of the workspace at a root address.

    With public apps, the authentication methods include `none`: public apps have no secret.
    """
    methods = [*_CLIENT_METHODS, "none"] if has_public_apps else _CLIENT_METHODS
    return {
        "issuer": issuer(root),
        "authorization_endpoint": f"{root}{AUTHORIZE}",
        "token_endpoint": f"{root}{TOKEN}",
        "revocation_endpoint": f"{root}{REVOKE}",
        "introspection_endpoint": f"{root}{INTROSPECT}",
        "userinfo_endpoint": f"{root}{USERINFO}",
        "jwks_uri": f"{root}{KEYS}",
        "scopes_supported": list(CATALOGUE),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "introspection_endpoint_auth_methods_supported": _CLIENT_METHODS,
        "code_challenge_methods_supported": ["S256", "plain"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [ALGORITHM],
        "claims_supported": ["sub", "email", "email_verified", "name", "given_name", "family_name"],
    }


def scope_list() -> dict[str, Any]:
    """Return the scopes, each with its path prefixes, and apart from them the scope that includes all others."""
    scopes = [
        {
            "name": scope.name,
            "category": scope.category,
            "api_endpoints": list(SCOPE_PATHS.get(scope.name.rpartition(":")[0], ())),
            "is_oidc_reserved": scope.is_oidc_reserved,
        }
        for scope in CATALOGUE.values()
        if scope.name != ALL_SCOPES
    ]
    return {"scopes": scopes, "magic_scopes": [ALL_SCOPES]}

"""The discovery documents of OAuth (RFC 8414, OpenID Connect Discovery 1.0, contract/oauth)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mockserver.core.contract.operation import Operation
from mockserver.resources.oauth.addresses import AUTHORIZE, INTROSPECT, KEYS, REVOKE, TOKEN, USERINFO
from mockserver.resources.oauth.scopes import CATALOGUE, Scope
from mockserver.resources.oauth.tokens.claims import issuer
from mockserver.resources.oauth.tokens.signing import ALGORITHM

_CLIENT_METHODS = ["client_secret_basic", "client_secret_post"]


def metadata(root: str, *, has_public_apps: bool) -> dict[str, Any]:
    """The discovery document of the workspace at this root address.

    Where there are public apps, it lists `none` among the methods of authentication, as they have no secret.
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


def catalogue(operations: Iterable[Operation]) -> list[dict[str, Any]]:
    """The catalogue of scopes, each with the given operations that need it."""
    by_scope: dict[str, list[str]] = {name: [] for name in CATALOGUE}
    for row in operations:
        by_scope[row.needs].append(f"{row.method} {row.path}")
    return [_scope(scope, by_scope[scope.name]) for scope in CATALOGUE.values()]


def _scope(scope: Scope, endpoints: list[str]) -> dict[str, Any]:
    return {
        "name": scope.name,
        "category": scope.category,
        "api_endpoints": endpoints,
        "is_oidc_reserved": scope.is_oidc_reserved,
    }

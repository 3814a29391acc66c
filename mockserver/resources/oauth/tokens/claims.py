"""The claims of tokens (RFC 7519; RFC 9068 for access tokens; OpenID Connect for identity tokens)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth import lookup, scopes
from mockserver.resources.oauth.addresses import REALM
from mockserver.resources.oauth.grant import AccessToken, Grant
from mockserver.resources.oauth.lookup import IssuedToken

#: A claim of the mock's own: the name of the workspace in which a token is valid.
WORKSPACE = "mock_workspace"
#: Another one: the replica that has this workspace, for load balancers; only of a server that is a replica.
REPLICA = "mock_replica"


def issuer(root: str) -> str:
    """The issuer of the tokens of the workspace at this root address."""
    return f"{root}{REALM}"


def of_access(workspace: Workspace, issued: IssuedToken, root: str) -> dict[str, Any]:
    """An access token's claims; `scope` is documented (contract/oauth), the others are those of RFC 9068."""
    known = _known(issued.grant, issued.token)
    replica = workspace.state.random.replica
    marked = {REPLICA: replica} if replica else {}
    return {"iss": issuer(root), "aud": f"{root}/v3", **known, WORKSPACE: workspace.name, **marked}


def live_token(workspace: Workspace, said: Mapping[str, Any]) -> IssuedToken | None:
    """The access token with these claims, or None if it is unknown, expired or revoked.

    A workspace that was reset draws the same ids again, and may give them to other grants: so all claims are compared,
    and not only the id.
    """
    found = lookup.live_token(workspace, str(said.get("jti")))
    return found if found is not None and _known(found.grant, found.token).items() <= dict(said).items() else None


def _known(row: Grant, token: AccessToken) -> dict[str, Any]:
    """The claims of an access token that do not depend on the address of its workspace."""
    return {
        "sub": row.user or row.client_id,
        "client_id": row.client_id,
        "iat": _seconds(token.issued_at),
        "exp": _seconds(token.expires_at),
        "jti": token.id,
        "scope": " ".join(token.scopes),
    }


def of_identity(issued: IssuedToken, root: str) -> dict[str, Any]:
    """The claims of an identity token: who has signed in, and for which app."""
    row, token = issued.grant, issued.token
    said = {
        "iss": issuer(root),
        "aud": row.client_id,
        "iat": _seconds(token.issued_at),
        "exp": _seconds(token.expires_at),
        "nonce": row.nonce,
    }
    return {**{name: value for name, value in said.items() if value is not None}, **of_user(issued)}


def of_user(issued: IssuedToken) -> dict[str, Any]:
    """The claims about a user that the scopes of a token let an app see."""
    account, row, token = issued
    found: dict[str, Any] = {"sub": row.user or row.client_id}
    if scopes.EMAIL in token.scopes and row.user is not None:
        found |= {"email": row.user, "email_verified": True}
    if scopes.PROFILE in token.scopes:
        named = account if row.user == account.email else None
        found |= {
            "name": named.full_name if named else row.user,
            "given_name": named.first_name if named else None,
            "family_name": named.last_name if named else None,
        }
    return {name: value for name, value in found.items() if value}


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())

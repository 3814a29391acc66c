"""Signed tokens (RFC 7519), and callers with an access token. A server draws its key for the first token."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from mockserver.core.contract.errors import UNAUTHORIZED, ServiceError
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.messages import counted
from mockserver.core.workspaces.storage import Storage
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.discovery import ALGORITHM

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

#: Claims of the mock server: the workspace of a token, and the replica that serves this workspace, for load balancers.
WORKSPACE, REPLICA = "mock_workspace", "mock_replica"
#: The header `typ` of access tokens (RFC 9068, 2.1); other tokens have another.
ACCESS = "at+jwt"
#: Key length in bits: the minimum for this algorithm (RFC 7518, 3.3).
_BITS = 2048
_KEY_NAME = "oauth signing key"
#: Maximum length of a token in characters; tokens of this server are shorter.
_LONGEST = 8_192


class BadSignature(ValueError):
    """An invalid token: malformed, or signed by another server."""


class Signer:
    """Signs and verifies tokens, and publishes the public key."""

    def __init__(self, storage: Storage | None = None) -> None:
        """Store the key in `storage`, so that tokens survive a restart of the server; None: keep it in memory."""
        self._storage = storage or Storage()

    def sign(self, claims: Mapping[str, Any], typ: str = "JWT") -> str:
        import jwt  # noqa: PLC0415  # with cryptography it is slow to import, and most servers never need it

        der = self._der
        return jwt.encode(dict(claims), _private_key(der), ALGORITHM, headers={"kid": _public(der)["kid"], "typ": typ})

    def read(self, token: str) -> Mapping[str, Any]:
        """Return the claims of a token, without checking its expiry: the workspace's clock decides on expiry.

        Raises:
            BadSignature: not a token, or signed with another key.
        """
        if len(token) > _LONGEST:
            raise BadSignature(f"longer than {_LONGEST:,} characters")
        der = self._storage.secret(_KEY_NAME)
        if der is None:
            raise BadSignature("no token has been signed yet")  # drawing a key takes long
        return _decoded(token, der)

    @property
    def public(self) -> dict[str, Any]:
        """The public key as a JSON Web Key (RFC 7517), named after its thumbprint (RFC 7638)."""
        return dict(_public(self._der))

    @property
    def _der(self) -> bytes:
        """The key in DER; a new key if the store has lost the last key."""
        der = self._storage.secret(_KEY_NAME, _draw_key)
        assert der is not None, "drawn if absent"
        return der


class OAuthParts(NamedTuple):
    """What OAuth operations need of the application: the token signer."""

    signer: Signer


@lru_cache(maxsize=1_024)
def _decoded(token: str, der: bytes) -> Mapping[str, Any]:
    """Return the verified claims of a token; cached, so that repeated requests skip the verification."""
    import jwt  # noqa: PLC0415  # see above

    try:
        content = jwt.api_jws.decode(token, _private_key(der).public_key(), algorithms=[ALGORITHM])
    except (jwt.InvalidTokenError, ValueError) as error:
        raise BadSignature(str(error)) from error
    claims: dict[str, Any] = json.loads(content)
    return claims


def _unverified(token: str) -> Mapping[str, Any]:
    """Return the claims of a token without verifying the signature; empty if the text is not a token."""
    import jwt  # noqa: PLC0415  # see above

    if len(token) > _LONGEST:
        return {}
    try:
        claims = json.loads(jwt.api_jws.decode(token, options={"verify_signature": False}))
    except (jwt.InvalidTokenError, ValueError, RecursionError):  # RecursionError: thousands of nested lists
        return {}
    return claims if isinstance(claims, dict) else {}


@lru_cache(maxsize=8)
def _public(der: bytes) -> Mapping[str, Any]:
    from jwt.algorithms import RSAAlgorithm  # noqa: PLC0415  # see above
    from jwt.utils import base64url_encode  # noqa: PLC0415  # see above

    key = RSAAlgorithm.to_jwk(_private_key(der).public_key(), as_dict=True)
    members = {name: key[name] for name in ("e", "kty", "n")}
    thumbprint = base64url_encode(sha256(json.dumps(members, separators=(",", ":")).encode()).digest()).decode()
    return {**members, "kid": thumbprint, "use": "sig", "alg": ALGORITHM}


def _draw_key() -> bytes:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415  # see above

    return rsa.generate_private_key(65_537, _BITS).private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


@lru_cache(maxsize=8)
def _private_key(der: bytes) -> RSAPrivateKey:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415  # see above

    # Validation would take 0.1 seconds; the server has drawn the key.
    key: Any = serialization.load_der_private_key(der, None, unsafe_skip_rsa_key_validation=True)
    found: RSAPrivateKey = key
    return found


class Bearer:
    """Finds the account of an access token, in the workspace that the token names."""

    def __init__(self, store: Store, signer: Signer) -> None:
        self._store = store
        self._signer = signer

    def find(self, token: str, within: Workspace | None) -> tuple[Workspace, Account, frozenset[str]]:
        """Return the open workspace, the account and the scopes of a token."""
        from mockserver.resources.oauth.model import token_of_claims  # noqa: PLC0415  # imports the rows of OAuth

        try:
            claims = self._signer.read(token)
        except BadSignature as error:
            replica = self._store.replica
            other = replica.other_of_token(_unverified(token).get(REPLICA)) if replica.name else None
            if within is None and other:
                raise replica.misdirected("the access token", other) from error
            if token.startswith("xkeysib-") or self._store.knows(token):
                raise _refused("it is an API key, which is sent in the header api-key") from error
            if (parts := token.count(".") + 1) != 3:
                raise _refused(f"not a signed token ({counted(parts, 'part')} between dots, expected 3)") from error
            raise _refused(f"not signed by this server ({reasons.shown(error)})") from error
        if WORKSPACE not in claims:
            raise _refused("it is an ID token")
        name = str(claims[WORKSPACE])
        is_elsewhere = within is not None and within.name != name
        # Another workspace is not opened, as the step would wait for it with the present one.
        workspace = self._store.seen(name) if is_elsewhere else self._store.get(name)
        if workspace is None:
            raise _refused(f"workspace {reasons.shown(name)} no longer exists")
        if within is not None and is_elsewhere:
            raise _refused(f"it belongs to workspace {name}, but the request is for workspace {within.name}")
        found = token_of_claims(workspace, claims)
        if found is None:
            raise _refused(_ended(claims, workspace))
        return workspace, found.account, frozenset(found.token.scopes)


def _ended(claims: Mapping[str, Any], workspace: Workspace) -> str:
    expiry = datetime.fromtimestamp(claims["exp"], UTC)
    if expiry <= workspace.state.clock.now():
        return f"it expired at {reasons.instant(expiry)}; {reasons.clock(workspace.state.clock)}"
    return f"the token or its grant was revoked, its account deleted, or workspace {workspace.name} reset"


def _refused(why: str) -> ServiceError:
    return UNAUTHORIZED("Invalid access token").because(f"invalid access token: {why}")

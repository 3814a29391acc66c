"""Signed tokens (RFC 7519); a server has one key, which is made when the first token is signed, and kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from mockserver.core.workspaces.storage import Storage

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

#: The algorithm that every server of OpenID Connect must support (Discovery 1.0, 3).
ALGORITHM = "RS256"
#: The `typ` of an access token (RFC 9068, 2.1), which tells it from other tokens.
ACCESS = "at+jwt"
#: The length of the key, the least that RFC 7518, 3.3, allows for this algorithm.
_BITS = 2048
#: The name by which the key is kept.
_KEPT_AS = "oauth signing key"
#: The longest text that is decoded as a token, in characters; tokens of this server are shorter.
_LONGEST = 8_192


class BadSignature(ValueError):
    """A text that is no token of this server."""


class Signer:
    """Signs and reads tokens, and gives the public key with which others verify them."""

    def __init__(self, storage: Storage | None = None) -> None:
        """`storage` keeps the key, so that tokens outlast the server; None: nothing does."""
        self._storage = storage or Storage()

    def sign(self, claims: Mapping[str, Any], typ: str = "JWT") -> str:
        """A signed token with these claims, and with `typ` in its header."""
        import jwt  # noqa: PLC0415  # with cryptography it is slow to import, and most servers never need it

        der = self._der
        return jwt.encode(dict(claims), _read(der), ALGORITHM, headers={"kid": _public(der)["kid"], "typ": typ})

    def read(self, token: str) -> Mapping[str, Any]:
        """The claims of a token; its expiry is not checked, as the clock of its workspace decides on that.

        Raises:
            BadSignature: it is not a token, or was signed with another key.
        """
        if len(token) > _LONGEST:
            raise BadSignature(f"longer than {_LONGEST:,} characters")
        der = self._storage.secret(_KEPT_AS)
        if der is None:
            raise BadSignature("no token has been signed yet")  # making a key takes its time
        return _decoded(token, der)

    @property
    def public(self) -> dict[str, Any]:
        """The public key as a JSON Web Key (RFC 7517), named after its thumbprint (RFC 7638)."""
        return dict(_public(self._der))

    @property
    def _der(self) -> bytes:
        """The present key, in DER; it is another one when the store has lost the one before."""
        der = self._storage.secret(_KEPT_AS, _drawn)
        assert der is not None, "it was drawn"
        return der


@lru_cache(maxsize=1_024)
def _decoded(token: str, der: bytes) -> Mapping[str, Any]:
    """Return the claims of a token; remembered, so that a signature is verified once and not with every request.

    Raises:
        BadSignature: it is no token, or was signed with another key.
    """
    import jwt  # noqa: PLC0415  # see above

    try:
        content = jwt.api_jws.decode(token, _read(der).public_key(), algorithms=[ALGORITHM])
    except (jwt.InvalidTokenError, ValueError) as error:
        raise BadSignature(str(error)) from error
    claims: dict[str, Any] = json.loads(content)
    return claims


@lru_cache(maxsize=8)
def _public(der: bytes) -> Mapping[str, Any]:
    """Return the public part of a key as a JSON Web Key."""
    from jwt.algorithms import RSAAlgorithm  # noqa: PLC0415  # see above
    from jwt.utils import base64url_encode  # noqa: PLC0415  # see above

    key = RSAAlgorithm.to_jwk(_read(der).public_key(), as_dict=True)
    members = {name: key[name] for name in ("e", "kty", "n")}
    thumbprint = base64url_encode(sha256(json.dumps(members, separators=(",", ":")).encode()).digest()).decode()
    return {**members, "kid": thumbprint, "use": "sig", "alg": ALGORITHM}


def unverified(token: str) -> Mapping[str, Any]:
    """What a token claims, whoever has signed it; nothing if it is none."""
    import jwt  # noqa: PLC0415  # see above

    if len(token) > _LONGEST:
        return {}
    try:
        claims = json.loads(jwt.api_jws.decode(token, options={"verify_signature": False}))
    except (jwt.InvalidTokenError, ValueError, RecursionError):  # the last one: lists in lists, thousands deep
        return {}
    return claims if isinstance(claims, dict) else {}


def _drawn() -> bytes:
    """A new key, in DER."""
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415  # see above
    from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415  # see above

    return rsa.generate_private_key(65_537, _BITS).private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


@lru_cache(maxsize=8)
def _read(der: bytes) -> RSAPrivateKey:
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415  # see above

    # A server draws its key itself; to see whether it is a good one takes 0.1 seconds.
    key: Any = serialization.load_der_private_key(der, None, unsafe_skip_rsa_key_validation=True)
    found: RSAPrivateKey = key
    return found

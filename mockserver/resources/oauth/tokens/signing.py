"""Signed tokens (RFC 7519), with one key per server that is made when it is first needed."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

#: The one that OpenID Connect asks of everybody.
ALGORITHM = "RS256"
#: What an access token calls itself (RFC 9068, 2.1), so that nobody takes another token for one.
ACCESS = "at+jwt"
_BITS = 2048
#: No token of ours is longer.
_LONGEST = 8_192


class BadSignature(ValueError):
    """A text that is no token of this server."""


class Signer:
    """Signs tokens, reads them again, and shows the key with which anybody can do the latter."""

    def __init__(self) -> None:
        self._made: RSAPrivateKey | None = None
        #: Two requests at once make one key.
        self._making = threading.Lock()
        # A signature is looked at once, and not with every request.
        self._read = lru_cache(maxsize=1_024)(self._decoded)

    def sign(self, claims: Mapping[str, Any], kind: str = "JWT") -> str:
        """A token of a kind that says this."""
        import jwt  # noqa: PLC0415  # with cryptography it is slow to import, and most servers never need it

        return jwt.encode(dict(claims), self._key, ALGORITHM, headers={"kid": self.public["kid"], "typ": kind})

    def read(self, token: str) -> Mapping[str, Any]:
        """What a token says, whether it still holds or not: that is the business of a workspace's clock.

        Raises:
            BadSignature: it is none, or was signed with another key.
        """
        if len(token) > _LONGEST:
            raise BadSignature("too long")
        if self._made is None:
            raise BadSignature("it has signed nothing yet")  # making a key takes its time
        return self._read(token)

    @cached_property
    def public(self) -> dict[str, Any]:
        """The public key as a JSON Web Key (RFC 7517), named after its thumbprint (RFC 7638)."""
        from jwt.algorithms import RSAAlgorithm  # noqa: PLC0415  # see above
        from jwt.utils import base64url_encode  # noqa: PLC0415  # see above

        key = RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        members = {name: key[name] for name in ("e", "kty", "n")}
        thumbprint = base64url_encode(sha256(json.dumps(members, separators=(",", ":")).encode()).digest()).decode()
        return {**members, "kid": thumbprint, "use": "sig", "alg": ALGORITHM}

    @property
    def _key(self) -> RSAPrivateKey:
        from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415  # see above

        with self._making:
            if self._made is None:
                self._made = rsa.generate_private_key(65_537, _BITS)
            return self._made

    def _decoded(self, token: str) -> Mapping[str, Any]:
        import jwt  # noqa: PLC0415  # see above

        try:
            content = jwt.api_jws.decode(token, self._key.public_key(), algorithms=[ALGORITHM])
        except (jwt.InvalidTokenError, ValueError) as error:
            raise BadSignature(str(error)) from error
        claims: dict[str, Any] = json.loads(content)
        return claims

"""A grant: what a user, or an app's own account, lets an app do, with the tokens that it has given (contract/oauth)."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

#: The states of a grant.
PENDING, CODE_ISSUED, ACTIVE, EXPIRED, REVOKED = "pending_consent", "code_issued", "active", "expired", "revoked"
#: The longest state and nonce that an app may send along, in characters (proposed): a grant keeps both.
LONGEST_STATE = 8_192


class AccessToken(NamedTuple):
    """An access token: its id, its scopes, and from when to when it is valid."""

    id: str
    scopes: tuple[str, ...]
    issued_at: datetime
    expires_at: datetime


class Challenge(NamedTuple):
    """A code challenge: tokens for the code need the verifier that it was made of (RFC 7636)."""

    value: str
    method: str = "plain"

    def is_met_by(self, verifier: str) -> bool:
        """Whether the verifier is the one that the challenge was made of."""
        made = verifier.encode()
        if self.method == "S256":
            made = urlsafe_b64encode(sha256(made).digest()).rstrip(b"=")
        return hmac.compare_digest(made, self.value.encode())


@dataclass(slots=True, eq=False)
class Grant:
    """A grant, as a row of the account that it opens."""

    id: int
    client_id: str
    scopes: tuple[str, ...]
    created_at: datetime
    #: When its present state ends by itself.
    expires_at: datetime
    state: str = PENDING
    #: The e-mail address of the user who has signed in, or None if an app has the grant for itself.
    user: str | None = None
    redirect_uri: str | None = None
    #: The `state` of the app's request, which is sent back with the code.
    app_state: str | None = None
    nonce: str | None = None
    challenge: Challenge | None = None
    #: The secret of the consent page, with which the user's answer is sent.
    ticket: str | None = None
    #: The token by which that browser is known (`web.csrf`); None: any browser can answer.
    browser: str | None = None
    code: str | None = None
    refresh_token: str | None = None
    refresh_expires_at: datetime | None = None
    #: Refresh tokens that newer ones have replaced.
    spent: list[str] = field(default_factory=list)
    tokens: dict[str, AccessToken] = field(default_factory=dict)

    @property
    def secrets(self) -> list[str]:
        """All secrets by which the grant can be found."""
        named = (self.ticket, self.code, self.refresh_token)
        return [*filter(None, named), *self.spent, *self.tokens]

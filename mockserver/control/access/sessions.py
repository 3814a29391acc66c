"""Who has signed in to the dashboard: a browser shows with a cookie that somebody there has given the control token."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable

from mockserver.control.access.guesses import Guesses

#: How long a session lasts, in seconds: a working day with some of the evening.
LIFETIME_S = 12 * 3600
#: How many sessions are known at once, of which the oldest goes for a new one: more than a team has browsers.
_MOST = 1_000


class Sessions:
    """The sessions of a server; they end with it, or when they are closed, or after `LIFETIME_S` seconds."""

    def __init__(self, token: str | None, now: Callable[[], float] = time.monotonic) -> None:
        """`token` is the control token, or None if there is none, and so no session; `now` is the time in seconds."""
        self._token, self._now = token, now
        self._guesses = Guesses()
        #: The name of the cookie. Browsers send the cookies of one port to all ports of a host, so that two servers on
        #: one host would each overwrite the other's, had they one name.
        self.cookie = f"mockserver_session_{secrets.token_hex(4)}"
        #: When each session ends, oldest first.
        self._ends: dict[str, float] = {}
        self._changing = threading.Lock()

    @property
    def wants_token(self) -> bool:
        """Whether there is a control token to sign in with."""
        return self._token is not None

    def is_token(self, given: bytes, client: str | None = None) -> bool:
        """Return whether a client gives the control token; the answer takes as long for any other of its length.

        Args:
            given: what the client sent as the token.
            client: its address; clients without one share a limit.

        Raises:
            TooManyGuesses: the client has sent too many wrong tokens, so this one is not compared.
        """
        if self._token is None:
            return False
        self._guesses.check(client)
        if hmac.compare_digest(given, self._token.encode()):
            return True
        self._guesses.note(client, given)
        return False

    def open(self, given: str, client: str | None = None) -> str | None:
        """Return the value of the cookie of a new session, or None if the client gives another token.

        Raises:
            TooManyGuesses: as `is_token`.
        """
        if not self.is_token(given.encode("utf-8", "replace"), client):
            return None
        value, now = secrets.token_urlsafe(32), self._now()
        with self._changing:
            self._ends = {name: end for name, end in self._ends.items() if end > now}
            if len(self._ends) >= _MOST:
                del self._ends[next(iter(self._ends))]
            self._ends[value] = now + LIFETIME_S
        return value

    def has(self, value: str | None) -> bool:
        """Whether a cookie has the value of a session that lasts."""
        return value is not None and self._ends.get(value, 0.0) > self._now()

    def close(self, value: str | None) -> None:
        """End the session of a cookie, if there is one."""
        with self._changing:
            self._ends.pop(value or "", None)


class SharedSessions(Sessions):
    """The sessions of servers behind one address, which share a secret: one that opens at any of them is known to all.

    The cookie itself says until when, signed. To close a session takes the cookie from the browser, and no more: no
    server tells the others of it.
    """

    def __init__(self, token: str | None, secret: bytes, now: Callable[[], float] = time.time) -> None:
        """As `Sessions`; with another token among the servers, each knows its own sessions. `now` counts from 1970."""
        super().__init__(token, now)
        self._key = hashlib.blake2b((token or "").encode(), key=secret).digest()
        self.cookie = f"mockserver_session_{self._signed('cookie')[:8]}"

    def open(self, given: str, client: str | None = None) -> str | None:
        if not self.is_token(given.encode("utf-8", "replace"), client):
            return None
        told = f"{int(self._now()) + LIFETIME_S}-{secrets.token_hex(16)}"
        return f"{told}-{self._signed(told)}"

    def has(self, value: str | None) -> bool:
        told, _, signature = (value or "").rpartition("-")
        if not hmac.compare_digest(signature.encode(), self._signed(told).encode()):
            return False
        return int(told.partition("-")[0]) > self._now()

    def close(self, value: str | None) -> None:
        """Do nothing: the session ends with the cookie."""

    def _signed(self, told: str) -> str:
        return hmac.new(self._key, told.encode(), "sha256").hexdigest()

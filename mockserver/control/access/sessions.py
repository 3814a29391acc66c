"""Who has signed in to the dashboard: a browser shows with a cookie that somebody there has given the control token."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable

#: How long a session lasts, in seconds: a working day with some of the evening.
LIFETIME_S = 12 * 3600
#: How many sessions are known at once, of which the oldest goes for a new one: more than a team has browsers.
_MOST = 1_000


class Sessions:
    """The sessions of a server; they end with it, or when they are closed, or after `LIFETIME_S` seconds."""

    def __init__(self, token: str | None, now: Callable[[], float] = time.monotonic) -> None:
        """`token` is the control token, or None if there is none, and so no session; `now` is the time in seconds."""
        self._token, self._now = token, now
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

    def is_token(self, given: bytes) -> bool:
        """Whether this is the control token; the answer takes as long for any other of its length."""
        return self._token is not None and hmac.compare_digest(given, self._token.encode())

    def open(self, given: str) -> str | None:
        """The value of the cookie of a new session, or None if that is not the token."""
        if not self.is_token(given.encode("utf-8", "replace")):
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

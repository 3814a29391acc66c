"""Who has signed in to the dashboard: a browser shows with a cookie that somebody there has given the control token."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable

from mockserver.control.access.guesses import Guesses
from mockserver.core.workspaces.storage import SharedStorage

#: How long a session lasts, in seconds: a working day with some of the evening.
LIFETIME_S = 12 * 3600
#: How many sessions are known at once, of which the oldest goes for a new one: more than a team has browsers.
_MOST = 1_000


class Sessions:
    """The sessions of a server, or of all servers of a store.

    They end when they are closed, or after `LIFETIME_S` seconds; those of a server alone end with it, too.
    """

    def __init__(
        self, token: str | None, shared: SharedStorage | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare sessions.

        Args:
            token: the control token, or None if there is none, and so no session.
            shared: keeps the sessions for all servers of a store; None: this server keeps its own.
            now: returns the time in seconds.
        """
        self._token, self._shared, self._now = token, shared, now
        self._guesses = Guesses()
        #: The name of the cookie. Browsers send the cookies of one port to all ports of a host, so that two servers on
        #: one host would each overwrite the other's, had they one name. Servers of one store have the same name.
        self.cookie = f"mockserver_session_{secrets.token_hex(4) if shared is None else _mark(token or '')}"
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
        value = secrets.token_urlsafe(32)
        self._remember(value)
        return value

    def _remember(self, value: str) -> None:
        if self._shared is not None:
            self._shared.remember(_name(value), LIFETIME_S)
            return
        now = self._now()
        with self._changing:
            self._ends = {name: end for name, end in self._ends.items() if end > now}
            if len(self._ends) >= _MOST:
                del self._ends[next(iter(self._ends))]
            self._ends[value] = now + LIFETIME_S

    def has(self, value: str | None) -> bool:
        """Whether a cookie has the value of a session that lasts."""
        if value is None:
            return False
        if self._shared is not None:
            return self._shared.remembers(_name(value))
        return self._ends.get(value, 0.0) > self._now()

    def close(self, value: str | None) -> None:
        """End the session of a cookie, if there is one."""
        if value is not None and self._shared is not None:
            self._shared.forget(_name(value))
        with self._changing:
            self._ends.pop(value or "", None)


def _name(value: str) -> str:
    """Return the name by which a store remembers a session; it does not tell the value of the cookie."""
    return f"dashboard/{hashlib.sha256(value.encode()).hexdigest()}"


def _mark(token: str) -> str:
    """Return what tells the cookie of the servers with a control token from that of others."""
    return hmac.new(token.encode(), b"cookie", "sha256").hexdigest()[:8]

"""Sessions of the dashboard, which a browser opens with the control token, and a limit on wrong control tokens."""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
import threading
import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple

from mockserver.control.framework.problem import Problem
from mockserver.core.workspaces.storage import SharedStorage

#: How many different wrong tokens an address may send in a window. Chosen: more than a person mistypes; at this rate
#: six random letters take decades to find.
LIMIT = 20
#: The length of a window in seconds; it begins with the first wrong token.
WINDOW_S = 60.0
#: How many addresses are remembered; the oldest makes room for a new one.
_MOST_ADDRESSES = 1_000


class TooManyGuesses(Problem):
    """A 429: the address has sent too many wrong control tokens, so the present token was not compared."""

    def __init__(self, client: str | None, wait_s: int) -> None:
        super().__init__(
            429,
            f"{LIMIT} different wrong control tokens came from {client or 'this address'} within a minute; "
            f"try again in {wait_s} s",
        )
        self.headers = {"Retry-After": str(wait_s)}


class _Window(NamedTuple):
    """Hashes of an address's wrong tokens since a moment."""

    since: float
    wrong: set[int]


class Guesses:
    """The wrong tokens of the last minute, by sender address.

    A repeated wrong token counts once: its client learns nothing, and a forgotten program with an old token locks
    nobody out.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        #: By address, the oldest window first.
        self._windows: dict[str, _Window] = {}
        self._changing = threading.Lock()

    def check(self, client: str | None) -> None:
        """Refuse a client that has sent too many wrong tokens."""
        window = self._windows.get(_network(client))
        if window is None or len(window.wrong) < LIMIT:
            return
        left = window.since + WINDOW_S - self._now()
        if left > 0:
            raise TooManyGuesses(client, math.ceil(left))

    def note(self, client: str | None, given: bytes) -> None:
        now, name = self._now(), _network(client)
        with self._changing:
            self._windows = {key: row for key, row in self._windows.items() if row.since + WINDOW_S > now}
            if name not in self._windows and len(self._windows) >= _MOST_ADDRESSES:
                del self._windows[next(iter(self._windows))]
            # Python seeds the hashes of bytes anew for each process, and a token cannot be read from one.
            self._windows.setdefault(name, _Window(now, set())).wrong.add(hash(given))


def _network(client: str | None) -> str:
    """Return the key of a client: an IPv4 address, or the 64 bits that an IPv6 client cannot choose."""
    try:
        address = ip_address((client or "").partition("%")[0])
    except ValueError:
        return client or ""
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or address.exploded[:19])


# ---------------------------------------------------------------------- sessions

#: How long a session lasts, in seconds: a working day with some of the evening.
LIFETIME_S = 12 * 3600
#: How many sessions are known at once, of which the oldest goes for a new one: more than a team has browsers.
_MOST = 1_000


class Sessions:
    """The dashboard sessions of one server, or of all servers sharing a store.

    A session ends when it is closed, or after `LIFETIME_S` seconds. Sessions that no store keeps end with the server.
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
        self.wants_token = token is not None
        self._guesses = Guesses()
        #: The name of the cookie. Browsers send the cookies of one port to all ports of a host, so that two servers on
        #: one host would each overwrite the other's, had they one name. Servers of one store have the same name.
        self.cookie = f"mockserver_session_{secrets.token_hex(4) if shared is None else _mark(token or '')}"
        #: When each session ends, oldest first.
        self._ends: dict[str, float] = {}
        self._changing = threading.Lock()

    def is_token(self, given: bytes, client: str | None = None) -> bool:
        """Return whether a client gives the control token; comparing takes as long for a wrong token of its length.

        Args:
            given: what the client sent as the token.
            client: its address; clients without one share a limit.

        Raises:
            TooManyGuesses: the client has sent too many wrong tokens, so `given` is not compared.
        """
        if self._token is None:
            return False
        self._guesses.check(client)
        if hmac.compare_digest(given, self._token.encode()):
            return True
        self._guesses.note(client, given)
        return False

    def open(self, given: str, client: str | None = None) -> str | None:
        """Return the cookie value of a new session, or None for a wrong token.

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
        """Return whether a cookie value belongs to a running session."""
        if value is None:
            return False
        if self._shared is not None:
            return self._shared.remembers(_name(value))
        return self._ends.get(value, 0.0) > self._now()

    def close(self, value: str | None) -> None:
        if value is not None and self._shared is not None:
            self._shared.forget(_name(value))
        with self._changing:
            self._ends.pop(value or "", None)


def _name(value: str) -> str:
    """Return a session's name in a store; the name does not reveal the cookie value."""
    return f"dashboard/{hashlib.sha256(value.encode()).hexdigest()}"


def _mark(token: str) -> str:
    """Return a short hash of the control token, for the name of the cookie."""
    return hmac.new(token.encode(), b"cookie", "sha256").hexdigest()[:8]

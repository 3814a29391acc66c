"""A limit on wrong control tokens, so that nobody finds the right one by trying many."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple

from mockserver.control.framework.problem import Problem

#: How many different wrong tokens an address may send in a window. Chosen: more than a person mistypes; at this rate
#: six random letters take decades to find.
LIMIT = 20
#: The length of a window in seconds; it begins with the first wrong token.
WINDOW_S = 60.0
#: How many addresses are remembered; the oldest makes room for a new one.
_MOST = 1_000


class TooManyGuesses(Problem):
    """A 429: the address has sent too many wrong control tokens, so this one was not looked at."""

    def __init__(self, client: str | None, wait_s: int) -> None:
        super().__init__(
            429,
            f"{LIMIT} different wrong control tokens came from {client or 'this address'} within a minute; "
            f"try again in {wait_s} s",
        )
        self.headers = {"Retry-After": str(wait_s)}


class _Window(NamedTuple):
    """The wrong tokens that an address has sent since a moment, as hashes."""

    since: float
    wrong: set[int]


class Guesses:
    """The wrong tokens of the last minute, by the address that sent them.

    A client that repeats one wrong token learns nothing by that, so it counts once: a forgotten program with an old
    token locks nobody out.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """`now` is the time in seconds."""
        self._now = now
        #: By address, the oldest window first.
        self._windows: dict[str, _Window] = {}
        self._changing = threading.Lock()

    def check(self, client: str | None) -> None:
        """Refuse a client that has sent too many wrong tokens.

        Raises:
            TooManyGuesses: the limit is reached, and the window is not over.
        """
        window = self._windows.get(_network(client))
        if window is None or len(window.wrong) < LIMIT:
            return
        left = window.since + WINDOW_S - self._now()
        if left > 0:
            raise TooManyGuesses(client, math.ceil(left))

    def note(self, client: str | None, given: bytes) -> None:
        """Count a wrong token of a client."""
        now, name = self._now(), _network(client)
        with self._changing:
            self._windows = {key: row for key, row in self._windows.items() if row.since + WINDOW_S > now}
            if name not in self._windows and len(self._windows) >= _MOST:
                del self._windows[next(iter(self._windows))]
            # Python seeds the hashes of bytes anew for each process, and a token cannot be read from one.
            self._windows.setdefault(name, _Window(now, set())).wrong.add(hash(given))


def _network(client: str | None) -> str:
    """Return what addresses are counted by: an IPv4 address, or the 64 bits that an IPv6 client cannot choose."""
    try:
        address = ip_address((client or "").partition("%")[0])
    except ValueError:
        return client or ""
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or address.exploded[:19])

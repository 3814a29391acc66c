"""The workspaces that a server holds."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from itertools import count
from typing import NamedTuple


class Holding(NamedTuple):
    """A workspace, or a name of none yet, that a server holds."""

    #: What every write of it has to name; each taking has another one.
    token: str
    #: What other servers know of it, as bytes; None: nothing.
    told: bytes | None


class Holdings:
    """The workspaces that a server holds, by name."""

    def __init__(self, server: str) -> None:
        """Nothing yet; `server` is the id of the server."""
        self._server, self._numbers = server, count(1)
        self._lock = threading.Lock()
        self._rows: dict[str, Holding] = {}

    def draw(self) -> str:
        """A new token."""
        return f"{self._server}:{next(self._numbers)}"

    def token(self, name: str) -> str:
        """The token by which a name is held, or ''."""
        row = self._rows.get(name)
        return "" if row is None else row.token

    def rows(self) -> dict[str, Holding]:
        """All of them, as they are now."""
        with self._lock:
            return dict(self._rows)

    def set(self, name: str, token: str, told: bytes | None) -> None:
        """Hold a name from now on."""
        with self._lock:
            self._rows[name] = Holding(token, told)

    def tell(self, name: str, told: bytes, token: str) -> None:
        """Note what other servers know of a name, if it is still held by a token."""
        with self._lock:
            if self.token(name) == token:
                self._rows[name] = Holding(token, told)

    def drop(self, rows: Iterable[tuple[str, str]]) -> list[str]:
        """Hold names no longer that are still held by these tokens; returns those that were."""
        with self._lock:
            found = [name for name, token in rows if token and self.token(name) == token]
            for name in found:
                del self._rows[name]
        return found

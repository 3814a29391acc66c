"""What is kept of a server beside its workspaces: secrets, and the coverage of workspaces that are gone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from mockserver.storage.engine import SharedEngine
from mockserver.storage.records import reading
from mockserver.storage.records.packing import pack, seal
from mockserver.storage.records.parts import CoverageForm

#: The names of the values; those of secrets go on with their own.
_PAST, _SECRET = "past", "secret/"


class ServerValues:
    """The values of a server, as they are kept or will be."""

    def __init__(self, values: Mapping[str, bytes], keep: Callable[[str, bytes], None]) -> None:
        """Values that are kept by now; `keep` is called with the name of each that comes up, and what it is then.

        Raises:
            UnreadableError: what is kept as coverage is none.
        """
        self._values = dict(values)
        #: The coverage of workspaces that are gone.
        self.past = reading.coverage(self._values.get(_PAST, b""))
        self._keep = keep
        self._lock = threading.Lock()

    def keep_past(self) -> None:
        """Keep what has changed in the coverage of workspaces that are gone."""
        self._set(_PAST, seal(pack(CoverageForm.of(self.past))))

    def has_secret(self, name: str) -> bool:
        """Whether a secret was drawn."""
        return f"{_SECRET}{name}" in self._values

    def secret(self, name: str, draw: Callable[[], bytes]) -> bytes:
        """A secret, which is drawn once."""
        with self._lock:
            if not self.has_secret(name):
                self._set(f"{_SECRET}{name}", draw())
            return self._values[f"{_SECRET}{name}"]

    def _set(self, name: str, value: bytes) -> None:
        self._values[name] = value
        self._keep(name, value)


class SharedValues(ServerValues):
    """The values of all servers of a store: a secret that one of them has drawn is that of all."""

    def __init__(self, engine: SharedEngine, keep: Callable[[str, bytes], None]) -> None:
        """Values that an engine holds; `keep` is called with the name of each that comes up, and what it is then."""
        super().__init__(engine.values(), keep)
        self._engine = engine

    def has_secret(self, name: str) -> bool:
        """Whether a server has drawn a secret.

        Raises:
            EngineError: nobody can tell.
        """
        if super().has_secret(name):
            return True
        return f"{_SECRET}{name}" in self._engine.values()

    def secret(self, name: str, draw: Callable[[], bytes]) -> bytes:
        """A secret, which is drawn once by whichever server asks first.

        Raises:
            EngineError: nobody can tell.
        """
        key = f"{_SECRET}{name}"
        # Even on the event loop, as it comes up once in a server, and in the middle of a request, which has used up a
        # code by then perhaps: to run that again from its beginning would find the code used.
        if key not in self._values:
            self._values[key] = self._engine.values().get(key) or self._engine.value(key, draw())
        return self._values[key]

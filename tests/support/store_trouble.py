"""A store in a file that is away for a while, as a test wants it."""

from __future__ import annotations

import threading
from contextlib import contextmanager

from mockserver.storage import working_set
from mockserver.storage.engine import ConflictError, EngineError
from mockserver.storage.sqlite_engine import Engine

WHY = "the disk is away"


class StoreTrouble:
    """What befalls the stores of all servers of a process."""

    def __init__(self, monkeypatch):
        #: The methods of the engine that fail now.
        self._failing = ()
        self._failed = threading.Event()
        #: In so many writes another server is faster.
        self.overtaken = 0
        monkeypatch.setattr(working_set, "_EVERY_S", 0.01)
        for name in ("read", "write"):
            monkeypatch.setattr(Engine, name, self._watched(name, getattr(Engine, name)))

    @contextmanager
    def away(self, *methods):
        """Let these methods fail within a `with` block, which ends once one of them has failed."""
        self._failed.clear()
        self._failing = methods
        try:
            yield
            assert self._failed.wait(10), "nobody asks the store"
        finally:
            self._failing = ()

    def _watched(self, name, real):
        def method(engine, *arguments):
            if name in self._failing:
                self._failed.set()
                raise EngineError(WHY)
            if name == "write" and self.overtaken:
                self.overtaken -= 1
                raise ConflictError(())
            return real(engine, *arguments)

        return method

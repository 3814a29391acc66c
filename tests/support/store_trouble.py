"""A store that is away for a while, as a test wants it."""

from __future__ import annotations

import threading
from contextlib import contextmanager

from mockserver.storage import working_set
from mockserver.storage.engine import ConflictError, EngineError
from mockserver.storage.redis_engine import Engine as RedisEngine
from mockserver.storage.sqlite_engine import Engine as FileEngine

WHY = "the store is away"


class StoreTrouble:
    """What befalls the stores of all servers of a process."""

    def __init__(self, monkeypatch):
        #: The methods of the engine that fail now.
        self.failing = ()
        self._failed = threading.Event()
        #: In so many writes another server is faster.
        self.overtaken = 0
        #: How many changed workspaces were written.
        self.written = 0
        monkeypatch.setattr(working_set, "_EVERY_S", 0.01)
        for engine in (FileEngine, RedisEngine):
            for name in ("read", "write"):
                monkeypatch.setattr(engine, name, self._watched(name, getattr(engine, name)))

    @contextmanager
    def away(self, *methods):
        """Let these methods fail within a `with` block, which ends once one of them has failed."""
        self._failed.clear()
        self.failing = methods
        try:
            yield
            assert self._failed.wait(10), "nobody asks the store"
        finally:
            self.failing = ()

    def _watched(self, name, real):
        def method(engine, *arguments):
            if name in self.failing:
                self._failed.set()
                raise EngineError(WHY)
            if name == "write" and self.overtaken:
                self.overtaken -= 1
                raise ConflictError(())
            found = real(engine, *arguments)
            self.written += sum(len(batch.rows) for batch in arguments) if name == "write" else 0
            return found

        return method

"""Writes lines of a log beside the requests: nobody ever waits for whoever reads them."""

from __future__ import annotations

import atexit
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Generic, TypeVar

Entry = TypeVar("Entry")

#: How many entries wait to be written, at most.
LIMIT = 10_000
#: How many are written at once; between two such parts others get to run.
_PART = 100
#: How long entries are gathered before they are written, in seconds: fewer, larger writes cost less.
_GATHER = 0.02
#: How long the end waits for what is not written yet, in seconds.
_GRACE = 0.5


class LogWriter(Generic[Entry]):
    """A bounded queue of entries, and a thread that writes them to a file descriptor, begun with the first of them.

    It writes past `sys.stderr`, whose lock a thread that nobody can stop must not hold when the program ends.
    """

    def __init__(
        self, line: Callable[[Entry], str], lost: Callable[[int], str], *, target: int = 2, limit: int = LIMIT
    ) -> None:
        #: Gives the line of an entry.
        self._line = line
        #: Gives the line that says how many entries had to go, as they came faster than they could be written.
        self._lost = lost
        self._target = target
        self._limit = limit
        self._lock = threading.Lock()
        self._entries: deque[Entry] = deque()
        self._dropped = 0
        self._thread: threading.Thread | None = None
        self._awake = threading.Event()
        self._closing = threading.Event()

    def put(self, entry: Entry) -> None:
        """Have an entry written some time soon; the oldest one goes if too many wait."""
        if self._closing.is_set():
            return
        with self._lock:
            if len(self._entries) >= self._limit:
                self._entries.popleft()
                self._dropped += 1
            self._entries.append(entry)
            if self._thread is None:
                self._begin()
        if not self._awake.is_set():
            self._awake.set()

    def close(self, seconds: float = _GRACE) -> None:
        """Write what waits, as far as that can be done within so many seconds; nothing is taken any more."""
        atexit.unregister(self.close)
        self._closing.set()
        self._awake.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def _begin(self) -> None:
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def _run(self) -> None:
        try:
            while self._awake.wait():
                self._closing.wait(_GATHER)
                last = self._closing.is_set()
                self._awake.clear()
                for part in self._parts():
                    self._write(part)
                if last:
                    return
        except OSError:  # there is nobody who could read
            self._closing.set()

    def _parts(self) -> Iterable[str]:
        """The lines of all that waits."""
        with self._lock:
            entries, self._entries = self._entries, deque()
            dropped, self._dropped = self._dropped, 0
        if dropped:
            yield self._lost(dropped)
        waiting = iter(entries)
        while part := "".join(map(self._line, islice(waiting, _PART))):
            yield part

    def _write(self, text: str) -> None:
        rest = memoryview(text.encode(errors="backslashreplace"))
        while rest:
            try:
                rest = rest[os.write(self._target, rest) :]
            except BlockingIOError:  # whoever shares the terminal may have set it so
                select.select([], [self._target], [])

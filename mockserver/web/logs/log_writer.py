"""A thread that writes the lines of a log, so that no request waits for a slow reader of the log."""

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

#: The most entries that wait to be written. Chosen: a second of the fastest requests, in a few megabytes.
LIMIT = 10_000
#: How many entries are written at once. Chosen: some milliseconds of work, after which other threads can run.
_BATCH = 100
#: How many seconds entries are gathered before they are written. Chosen: fewer, larger writes cost less, and a reader
#: notices no delay.
_GATHER = 0.02
#: How many seconds the end of the process waits for entries to be written. Chosen: enough for all that may wait, and
#: a reader that has stopped reading delays the end no longer.
_GRACE = 0.5


class LogWriter(Generic[Entry]):
    """A bounded queue of entries, and a thread that writes them to a file descriptor; the first entry starts it.

    The thread does not write by `sys.stderr`, whose lock a daemon thread must not hold when the process ends.
    """

    def __init__(
        self, line: Callable[[Entry], str], lost: Callable[[int], str], *, target: int = 2, limit: int = LIMIT
    ) -> None:
        """A writer to the file descriptor `target`, with at most `limit` entries waiting.

        `line` makes the line of an entry, and `lost` the line that says how many entries were dropped, as they came
        faster than they could be written.
        """
        self._line = line
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
        """Let an entry be written soon; if too many wait, the oldest one is dropped."""
        if self._closing.is_set():
            return
        with self._lock:
            entries = self._entries
            if len(entries) >= self._limit:
                entries.popleft()
                self._dropped += 1
            entries.append(entry)
            if len(entries) > 1:
                return  # the thread takes all that wait once the first of them has awoken it
            if self._thread is None:
                self._begin()
        self._awake.set()

    def close(self, seconds: float = _GRACE) -> None:
        """Take no more entries, and wait for at most so many seconds until those that wait are written."""
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
                for text in self._batches():
                    self._write(text)
                if last:
                    return
        except OSError:  # the reader of the log is gone
            self._closing.set()

    def _batches(self) -> Iterable[str]:
        """The lines of all entries that wait, a batch at a time."""
        with self._lock:
            entries, self._entries = self._entries, deque()
            dropped, self._dropped = self._dropped, 0
        if dropped:
            yield self._lost(dropped)
        waiting = iter(entries)
        while text := "".join(map(self._line, islice(waiting, _BATCH))):
            yield text

    def _write(self, text: str) -> None:
        rest = memoryview(text.encode(errors="backslashreplace"))
        while rest:
            try:
                rest = rest[os.write(self._target, rest) :]
            except BlockingIOError:  # another process may have made the shared terminal non-blocking
                select.select([], [self._target], [])

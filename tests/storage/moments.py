"""The moments at which a server is killed."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import NamedTuple

#: How long a server is under load until it is told to stop, in seconds, and the longest that a file is watched.
_LOADED_S, _WATCHED_S = 0.2, 1.5


class Moment(NamedTuple):
    """A moment: `after_s` seconds after something has begun."""

    kind: str
    after_s: float

    @classmethod
    def drawn(cls, random: Random, count: int):
        """So many moments in any order: of each kind as many as of any other, or one more."""
        kinds = list(_AFTER_S)
        random.shuffle(kinds)
        kinds = list(islice(cycle(kinds), count))
        random.shuffle(kinds)
        return [cls(kind, random.uniform(*_AFTER_S[kind])) for kind in kinds]

    def come(self, server, store: Path):
        """Wait for the moment; `store` is the file of the server, if it has any."""
        if self.kind == "write":
            _watch(store.with_name(f"{store.name}-journal"))
        elif self.kind == "commit":
            _watch(store)
        elif self.kind in ("stop", "end"):
            time.sleep(_LOADED_S)
            server.signal(signal.SIGTERM)
        if self.kind == "end":
            server.ended()
        time.sleep(self.after_s)


#: How long after its beginning each kind of moment comes. Chosen: up to a little more than what has begun takes.
_AFTER_S = {
    "start": (0, 0.1),  # of the process
    "load": (0, 0.5),  # of the load
    "write": (0, 0.004),  # of changes
    "commit": (0, 0.004),  # of changes into the file itself
    "stop": (0, 0.05),
    "end": (0, 0),
}


def _watch(file):
    """Wait until a file changes, but not for ever: a server that has nothing to write does not."""
    before, until = _size_and_moment(file), time.monotonic() + _WATCHED_S
    while _size_and_moment(file) == before and time.monotonic() < until:
        time.sleep(0.0002)


def _size_and_moment(file):
    with suppress(FileNotFoundError):
        found = file.stat()
        return found.st_size, found.st_mtime_ns

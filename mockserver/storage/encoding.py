"""The encoding of what is new in workspaces, in batches, so that the first are written before the last are encoded."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from mockserver.core.workspaces.keeping import KeepingError
from mockserver.storage.kept import Kept, Taken

#: How many bytes are written in one transaction, unless one workspace has more; chosen: they are in memory meanwhile.
_BATCH_BYTES = 8 << 20
#: How long the writer waits for the lock of a workspace, in seconds, before it leaves it to the next round. Chosen: a
#: lock is held for one short step, and others wait to be written.
_PATIENCE_S = 1.0


class Encoding:
    """The encoding of the workspaces that were touched."""

    def __init__(self, kept: Mapping[str, Kept], names: dict[str, None], touch: Callable[[str], None]) -> None:
        """An encoding of the workspaces of these names; `touch` is called with those that are for another time."""
        self._kept = kept
        self._touch = touch
        #: The names of those that were not looked at yet.
        self.left = names
        #: How many seconds it has taken.
        self.took_s = 0.0
        #: What could not be encoded, if something could not.
        self.failure: KeepingError | None = None

    def batches(self) -> Iterator[list[Taken]]:
        """What is new in the workspaces, in batches of some megabytes."""
        batch: list[Taken] = []
        size = 0
        while self.left:
            name = next(iter(self.left))
            del self.left[name]
            taken = self._take(name)
            if taken is not None:
                batch.append(taken)
                size += taken.size
            if size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _take(self, name: str) -> Taken | None:
        """What is new in a workspace, or None if nothing is, it is gone, or it is for another time."""
        kept = self._kept.get(name)
        if kept is None:
            return None
        with kept.lock.look(_PATIENCE_S) as is_held:
            if not is_held:
                self._touch(name)
                return None
            if self._kept.get(name) is not kept:
                return None
            began = time.thread_time()
            try:
                return kept.take()
            except KeepingError as error:
                kept.lock.touch()
                self.failure = error
                return None
            finally:
                self.took_s += time.thread_time() - began

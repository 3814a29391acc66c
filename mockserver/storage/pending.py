"""What waits to be written."""

from __future__ import annotations

import threading
from collections.abc import Container, Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Waiting:
    """The names of the workspaces that were touched, in that order, and of those that are gone; values to be set."""

    touched: dict[str, None] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    values: dict[str, bytes] = field(default_factory=dict)
    #: What is to be added to counts.
    counts: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.touched) + len(self.removed) + len(self.values) + len(self.counts)


class Pending:
    """What waits to be written, added to by any thread, and taken by the one that writes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting = Waiting()

    def __len__(self) -> int:
        return len(self._waiting)

    def touch(self, name: str) -> None:
        """A workspace may have changed."""
        with self._lock:
            self._waiting.touched[name] = None

    def remove(self, name: str) -> None:
        """A workspace is gone."""
        with self._lock:
            self._waiting.touched.pop(name, None)
            self._waiting.removed.add(name)

    def begin(self, name: str) -> None:
        """There is another workspace of a name, and who writes that removes what is there."""
        with self._lock:
            self._waiting.removed.discard(name)

    def set(self, name: str, value: bytes) -> None:
        """A value of the server is another one."""
        with self._lock:
            self._waiting.values[name] = value

    def count(self, numbers: Mapping[str, int]) -> None:
        """These numbers are to be added to the counts of their names."""
        with self._lock:
            _add(self._waiting.counts, numbers)

    def take(self) -> Waiting:
        """All that waits, which waits no longer."""
        with self._lock:
            taken, self._waiting = self._waiting, Waiting()
        return taken

    def take_back(self, taken: Waiting, known: Container[str]) -> None:
        """Let what was taken wait again, but for what is newer, and removals of names that are `known` again."""
        with self._lock:
            waiting = self._waiting
            waiting.touched = {**taken.touched, **waiting.touched}
            waiting.removed |= {name for name in taken.removed if name not in known}
            waiting.values = {**taken.values, **waiting.values}
            _add(waiting.counts, taken.counts)


def _add(counts: dict[str, int], numbers: Mapping[str, int]) -> None:
    for name, number in numbers.items():
        counts[name] = counts.get(name, 0) + number

"""The history of a workspace: the last transitions of its instances, those that are gone included."""

from __future__ import annotations

from collections.abc import Iterator

from mockserver.core.time.timers import Key
from mockserver.core.time.transition import Changed
from mockserver.core.traffic.ring import Ring

#: What a transition takes beside the text of its key, in bytes: measured, and rounded up.
_OVERHEAD = 600
#: The most that a character of a text takes, in bytes (PEP 393).
_PER_CHARACTER = 4
#: How many bytes there are for a transition on average. Chosen: enough for keys of 100 characters.
_ON_AVERAGE = 1_000
#: How many bytes there are however few transitions are kept. Chosen: a ring keeps nothing that takes a quarter of it,
#: and this is far more than four transitions with keys of a thousand characters.
_LEAST_BYTES = 64 * 1024


class History:
    """The last transitions of a workspace, up to a number, and to as many bytes as long keys are expected to take."""

    def __init__(self, limit: int) -> None:
        self._changes = Ring[Changed](limit, max(limit * _ON_AVERAGE, _LEAST_BYTES))

    def __len__(self) -> int:
        return len(self._changes)

    @property
    def evicted(self) -> int:
        """How many transitions are no longer kept."""
        return self._changes.evicted

    @property
    def bytes(self) -> int:
        """How many bytes the transitions take."""
        return self._changes.bytes

    @property
    def ring(self) -> Ring[Changed]:
        """The transitions, to be written down."""
        return self._changes

    def add(self, change: Changed) -> None:
        key = change.key
        self._changes.add(change, _OVERHEAD + (_PER_CHARACTER * len(key) if type(key) is str else 0))

    def of(self, machine: str, key: Key) -> Iterator[Changed]:
        """The transitions of an instance that are kept, newest first; the cost grows with all that are kept."""
        return (change for change in self._changes if change.machine == machine and change.key == key)

    def last(self, machine: str) -> Changed | None:
        """The newest transition of any instance of a machine, or None if none is kept."""
        return next((change for change in self._changes if change.machine == machine), None)

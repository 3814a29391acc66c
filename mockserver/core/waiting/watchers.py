"""Who waits for something to happen in a workspace, and for what kind of thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal

#: An exchange is over; there is a mail, or news of one; a machine has moved; what was begun outside is over; a receiver
#: was called; DNS has answered.
WatchedKind = Literal["request", "mail", "transition", "job", "received", "look_up"]
Kinds = frozenset[WatchedKind]
#: Whatever happens.
ANYTHING: Kinds = frozenset()


class Watchers:
    """Those who are called when something of a kind happens, from whatever thread."""

    def __init__(self) -> None:
        self._wanted: dict[Callable[[], object], Kinds] = {}
        self._happened: Counter[WatchedKind | None] = Counter()

    def __len__(self) -> int:
        return len(self._wanted)

    def add(self, wake: Callable[[], object], kinds: Kinds = ANYTHING) -> None:
        """Call this after everything of these kinds."""
        self._wanted[wake] = kinds

    def discard(self, wake: Callable[[], object]) -> None:
        self._wanted.pop(wake, None)

    def happened(self, kinds: Kinds = ANYTHING) -> int:
        """How often something of these kinds has happened: whoever begins to wait sees what came since it looked."""
        if not kinds:
            return self._happened.total()
        return self._happened[None] + sum(self._happened[kind] for kind in kinds)

    def tell(self, kind: WatchedKind | None = None) -> None:
        """Something of this kind has happened; None: everything may be another than before."""
        self._happened[kind] += 1
        if not self._wanted:
            return
        for wake, kinds in tuple(self._wanted.items()):
            if kind is None or not kinds or kind in kinds:
                wake()

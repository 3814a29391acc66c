"""Watchers: functions that are called when something of certain kinds happens in a workspace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Literal

#: `request`: an exchange is over. `mail`: an e-mail was sent, or has come further. `transition`: an instance was moved.
#: `job`: an outgoing call is over. `received`: a receiver was called. `look_up`: DNS has answered. `answer`: what was
#: asked of the outside for a request has come.
WatchedKind = Literal["request", "mail", "transition", "job", "received", "look_up", "answer"]
Kinds = frozenset[WatchedKind]
#: Stands for all kinds.
ANYTHING: Kinds = frozenset()


class Watchers:
    """Functions to call when something happens; they are called in the thread in which that is told."""

    def __init__(self) -> None:
        self._wanted: dict[Callable[[], object], Kinds] = {}
        #: How often something of each kind has happened; adding to a `Counter` would take twice as long.
        self._happened: defaultdict[WatchedKind | None, int] = defaultdict(int)

    def __len__(self) -> int:
        return len(self._wanted)

    def add(self, wake: Callable[[], object], kinds: Kinds = ANYTHING) -> None:
        """Call `wake` from now on whenever something of these kinds happens."""
        self._wanted[wake] = kinds

    def discard(self, wake: Callable[[], object]) -> None:
        self._wanted.pop(wake, None)

    def happened(self, kinds: Kinds = ANYTHING) -> int:
        """How often something of these kinds has happened.

        Who reads the number, looks, and begins to wait sees by another number that something came in between.
        """
        if not kinds:
            return sum(self._happened.values())
        return self._happened[None] + sum(self._happened[kind] for kind in kinds)

    def tell(self, kind: WatchedKind | None = None) -> None:
        """Call who waits for something of this kind; None, after a reset, calls everybody."""
        self._happened[kind] += 1
        if not self._wanted:
            return
        for wake, kinds in tuple(self._wanted.items()):
            if kind is None or not kinds or kind in kinds:
                wake()

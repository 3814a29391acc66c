"""Waiting for events of a workspace.

How a request waits without a thread is in `web.server`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, get_args

#: `request`: an exchange is over. `mail`: an e-mail was sent, or its delivery has progressed. `transition`: an instance
#: has changed its state. `job`: an outgoing call is over. `received`: a receiver was called. `look_up`: DNS has
#: answered. `answer`: the outside has answered for a request. `control`: a control call, or a fault of a TLS handshake,
#: may have changed something. `reset`: never told by this name, as all watchers are called.
WatchedKind = Literal["request", "mail", "transition", "job", "received", "look_up", "answer", "control", "reset"]
Kinds = frozenset[WatchedKind]
#: Stands for all kinds.
ANYTHING: Kinds = frozenset()
#: For watchers of nothing but a reset, and of the end of the workspace.
RESETS: Kinds = frozenset({"reset"})
CONTROL: Kinds = frozenset({"control"})


def at_once(step: Callable[[], Any]) -> Any:
    return step()


class Watchers:
    """Callbacks for workspace events, called when the step of the event is saved."""

    def __init__(self) -> None:
        #: Calls a function once the present step is saved.
        self.after: Callable[[Callable[[], object]], object] = at_once
        self._wanted: dict[Callable[[], object], Kinds] = {}
        #: The watchers of resets only, so that nothing else has to look at them.
        self._of_resets: set[Callable[[], object]] = set()
        #: How often each kind has happened; adding to a `Counter` would take twice as long.
        self._happened: defaultdict[WatchedKind | None, int] = defaultdict(int)

    def __len__(self) -> int:
        return len(self._wanted) + len(self._of_resets)

    def add(self, wake: Callable[[], object], kinds: Kinds = ANYTHING) -> None:
        """Call `wake` on events of exactly these kinds."""
        self.discard(wake)
        if kinds == RESETS:
            self._of_resets.add(wake)
        else:
            self._wanted[wake] = kinds

    def discard(self, wake: Callable[[], object]) -> None:
        self._wanted.pop(wake, None)
        self._of_resets.discard(wake)

    def happened(self, kinds: Kinds = ANYTHING) -> int:
        """Return how often these kinds have happened.

        A caller that reads the number, looks, and adds a watcher sees by another number that it has missed something.
        """
        if not kinds:
            return sum(self._happened.values())
        return self._happened[None] + sum(self._happened[kind] for kind in kinds)

    def tell_changed(self) -> None:
        """Call all watchers except those of resets: another server has changed the workspace."""
        for kind in get_args(WatchedKind):
            if kind != "reset":
                self._happened[kind] += 1
        for wake in tuple(self._wanted):
            wake()

    def tell(self, kind: WatchedKind | None = None) -> None:
        """Call this kind's watchers, or all watchers after a reset (None)."""
        self._happened[kind] += 1
        if self._wanted or (kind is None and self._of_resets):
            self.after(partial(self._wake, kind))

    def _wake(self, kind: WatchedKind | None) -> None:
        if kind is None:
            for wake in tuple(self._of_resets):
                wake()
        for wake, kinds in tuple(self._wanted.items()):
            if kind is None or not kinds or kind in kinds:
                wake()

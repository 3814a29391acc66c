"""The working set: which of the workspaces that are kept are in memory."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Iterable
from contextlib import suppress

from mockserver.core.workspaces.keeping import HeldElsewhereError, KeepingError, Outline
from mockserver.core.workspaces.store import Store

#: How many workspaces are in memory by default, if as many can rest. Chosen: with some 0.3 MB each, less than 100 MB.
MOST = 200
#: How often the thread looks whether there are too many, in seconds. Chosen: what has changed is kept after about one.
_EVERY_S = 0.5
#: After how many seconds one is tried again that could not be read. Chosen: soon after a database is back, and too
#: seldom to be felt where a workspace stays damaged.
_AGAIN_S = 2.0
#: How long `close` waits for the end of the thread, in seconds; chosen far above what it takes to load a workspace.
_JOIN_S = 5.0

_LOG = logging.getLogger(__name__)


class WorkingSet:
    """A thread that loads workspaces in which something falls due or was under way, and lets those idle longest rest.

    A workspace that is used is loaded by whoever uses it.
    """

    def __init__(self, store: Store, most: int = MOST) -> None:
        """Prepare the thread, which `open` starts; `most` workspaces stay in memory, and more where they cannot rest.

        Those cannot that somebody watches, in which something is under way, or of which not all is kept yet.
        """
        self._store, self._most = store, most
        #: When those are tried again that could not be read, by their names; on the clock of `time.time`.
        self._unreadable: dict[str, float] = {}
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="working set", daemon=True)

    def open(self) -> None:
        """Begin with the workspaces in which something was under way when the server ended."""
        self._thread.start()

    def close(self) -> None:
        """Load nothing more, and let nothing more rest."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_S)

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                self.turn()
            except Exception:  # noqa: BLE001  # the thread has more to do
                _LOG.exception("the workspaces in memory could not be looked after")
            self._closed.wait(min(_EVERY_S, max(self._due_in_s(), 0)))

    def turn(self) -> None:
        """Hear what other servers have done, load what is due now, and let rest what is too much."""
        with suppress(KeepingError):  # the state of health tells why nobody can tell
            self._store.keep_up()
        for outline in self._due(time.time()):
            self._load(outline)
        self._let_rest()

    # ------------------------------------------------------------------ loading

    def _waiting(self) -> Iterable[Outline]:
        """Those that rest in which something was under way, or will be due."""
        return (outline for outline in self._store.resting() if outline.is_busy or outline.due_at is not None)

    def _due_in_s(self) -> float:
        return min(map(self._turn, self._waiting()), default=math.inf) - time.time()

    def _turn(self, outline: Outline) -> float:
        """When a workspace is to be loaded, in seconds since 1970."""
        return max(_due_at(outline), self._unreadable.get(outline.name, 0.0))

    def _due(self, now: float) -> list[Outline]:
        """Those that are to be loaded now, in the order of what is due in them."""
        return sorted((outline for outline in self._waiting() if self._turn(outline) <= now), key=_due_at)

    def _load(self, outline: Outline) -> None:
        """Load a workspace, in which then all happens that is due; one that is loaded already stays as it is.

        What another server holds is left to it.
        """
        if self._closed.is_set():
            return
        try:
            self._store.look(outline.name)
        except HeldElsewhereError:
            self._unreadable.pop(outline.name, None)
        except KeepingError as error:
            if outline.name not in self._unreadable:  # nobody is told again and again
                _LOG.error(
                    "what is due in workspace %s does not happen: %s", outline.name, error
                )  # the sentence says it all
            self._unreadable[outline.name] = time.time() + _AGAIN_S
        else:
            self._unreadable.pop(outline.name, None)

    # ------------------------------------------------------------------ resting

    def _let_rest(self) -> None:
        # Names, as nothing rests to which anybody refers.
        names = [workspace.name for workspace in self._store.loaded()]
        excess = len(names) - self._most
        for name in names:
            if excess <= 0 or self._closed.is_set():
                break
            excess -= self._store.rest(name)


def _due_at(outline: Outline) -> float:
    """When a workspace is to be loaded, in seconds since 1970; whatever was under way goes first."""
    return 0.0 if outline.is_busy or outline.due_at is None else outline.due_at

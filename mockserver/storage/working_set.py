"""The working set: which of the workspaces that are kept are in memory."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Iterator

from mockserver.core.workspaces.keeping import KeepingError, Outline
from mockserver.core.workspaces.store import Store

#: How many workspaces are in memory by default, if as many can rest. Chosen: with some 0.3 MB each, less than 100 MB.
MOST = 200
#: How often the thread looks whether there are too many, in seconds. Chosen: what has changed is kept after about one.
_EVERY_S = 0.5
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
        #: Those that could not be read, by name, so that nobody is told of them again and again.
        self._unreadable: dict[str, Outline] = {}
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
        """Load what is due now, and let rest what is too much."""
        for outline in self._due(time.time()):
            self._load(outline)
        self._let_rest()

    # ------------------------------------------------------------------ loading

    def _waiting(self) -> Iterator[Outline]:
        """Those that rest in which something was under way, or will be due, and that can be read."""
        for outline in self._store.resting():
            if (outline.is_busy or outline.due_at is not None) and self._unreadable.get(outline.name) is not outline:
                yield outline

    def _due_in_s(self) -> float:
        return min(map(_due_at, self._waiting()), default=math.inf) - time.time()

    def _due(self, now: float) -> list[Outline]:
        """Those that are to be loaded now, in the order of what is due in them."""
        return sorted((outline for outline in self._waiting() if _due_at(outline) <= now), key=_due_at)

    def _load(self, outline: Outline) -> None:
        """Load a workspace, in which then all happens that is due; one that is loaded already stays as it is."""
        if self._closed.is_set():
            return
        try:
            self._store.look(outline.name)
        except KeepingError as error:
            self._unreadable[outline.name] = outline
            _LOG.error(
                "what is due in workspace %s does not happen: %s", outline.name, error
            )  # the sentence says it all

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

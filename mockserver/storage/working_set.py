"""The working set: loading workspaces with due timers, and passivating idle workspaces."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import cast

from mockserver.core.workspaces.shared_store import SharedStore
from mockserver.core.workspaces.storage import Outline, SharedStorage, StorageError
from mockserver.core.workspaces.store import Store

#: How many workspaces stay in memory by default. Chosen: with some 0.3 MB each, less than 100 MB.
MOST = 200
#: How often the thread looks for work, in seconds. Chosen: changes are saved after about one.
_EVERY_S = 0.5
#: After how many seconds an unreadable workspace is tried again. Chosen: soon after a database is back.
_AGAIN_S = 2.0
#: How long `close` waits for the end of the thread, in seconds; chosen far above what loading a workspace takes.
_JOIN_S = 5.0

_LOG = logging.getLogger(__name__)


class WorkingSet:
    """A thread that loads workspaces with due timers, and passivates the longest idle workspaces."""

    def __init__(self, store: Store, most: int = MOST) -> None:
        """Prepare the thread; `most` workspaces stay in memory, and workspaces in use."""
        self._store, self._most = store, most
        #: When unreadable workspaces are tried again, by name; on the clock of `time.time`.
        self._unreadable: dict[str, float] = {}
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="working set", daemon=True)

    def open(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_S)

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                self.turn()
            except Exception:  # noqa: BLE001  # the thread goes on
                _LOG.exception("the workspaces in memory could not be looked after")
            due_in_s = min(map(self._due_at, self._waiting()), default=math.inf) - time.time()
            self._closed.wait(min(_EVERY_S, max(due_in_s, 0)))

    def turn(self) -> None:
        """Load workspaces with due timers, and passivate workspaces over the limit."""
        now = time.time()
        for outline in sorted((row for row in self._waiting() if self._due_at(row) <= now), key=self._due_at):
            if not self._closed.is_set():
                self._load(outline.name)
        self._passivate()

    def _waiting(self) -> Iterable[Outline]:
        return (outline for outline in self._store.passivated() if outline.due_at is not None)

    def _due_at(self, outline: Outline) -> float:
        return max(outline.due_at or 0.0, self._unreadable.get(outline.name, 0.0))

    def _load(self, name: str) -> None:
        try:
            self._store.storage.run(lambda: self._store.look(name))
        except StorageError as error:
            if name not in self._unreadable:  # logged once
                _LOG.error("timers of workspace %s do not fire: %s", name, error)  # the sentence says it all
            self._unreadable[name] = time.time() + _AGAIN_S
        else:
            self._unreadable.pop(name, None)

    def _passivate(self) -> None:
        # Names, as a workspace stays to which anything refers.
        names = [workspace.name for workspace in self._store.loaded()]
        excess = len(names) - self._most
        for name in names:
            if excess <= 0 or self._closed.is_set():
                break
            excess -= self._store.passivate(name)


class SharedWorkingSet(WorkingSet):
    """The working set of a shared store, which also listens to other servers."""

    def __init__(self, store: SharedStore, most: int = MOST) -> None:
        super().__init__(store, most)
        self._shared = store
        self._listening = threading.Thread(target=self._listen, name="mockserver store changes", daemon=True)

    def open(self) -> None:
        super().open()
        self._listening.start()

    def _listen(self) -> None:
        for name in cast("SharedStorage", self._shared.storage).changes():
            if self._closed.is_set():
                return
            try:
                self._shared.heard(name)
            except StorageError as error:
                _LOG.info("workspace %s is not up to date: %s", name, error)
            except Exception:  # noqa: BLE001  # there is more to hear
                _LOG.exception("a change of workspace %s by another server was not taken in", name)

    def turn(self) -> None:
        """Fire due timers, refresh watched workspaces, and passivate workspaces over the limit."""
        with suppress(StorageError):  # health says why the store cannot be read
            self._shared.look_after()
        self._passivate()

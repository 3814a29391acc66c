"""The working set: loading workspaces with due timers, and passivating idle workspaces."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable
from functools import partial
from typing import cast

from mockserver.core.workspaces.lifecycle import settle_late
from mockserver.core.workspaces.rounds import TIMERS
from mockserver.core.workspaces.shared_store import SharedStore
from mockserver.core.workspaces.storage import SharedStorage
from mockserver.core.workspaces.store import Store

#: How many workspaces stay in memory by default. Chosen: with some 0.3 MB each, less than 100 MB.
MOST = 200
#: How often the thread looks for work, in seconds. Chosen: changes are saved after about one.
_EVERY_S = 0.5
#: How long `close` waits for the end of the thread, in seconds; chosen far above what loading a workspace takes.
_JOIN_S = 5.0


class WorkingSet:
    """A thread that loads workspaces with due timers, and passivates the longest idle workspaces."""

    def __init__(self, store: Store, most: int = MOST) -> None:
        """Prepare the thread; `most` workspaces stay in memory, and workspaces in use."""
        self._store, self._most = store, most
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
            list(map(settle_late, self._store.loaded()))
            self._store.rounds.run("the workspaces in memory are not looked after", self.turn)
            due_in_s = min(self._waiting(), default=(math.inf, ""))[0] - time.time()
            self._closed.wait(min(_EVERY_S, max(due_in_s, 0)))

    def turn(self) -> None:
        """Load workspaces with due timers, resume forgotten calls, and passivate workspaces over the limit."""
        now = time.time()
        for due_at, name in sorted(self._waiting()):
            if due_at <= now and not self._closed.is_set():
                load = partial(self._store.look, name)
                self._store.rounds.run(TIMERS(name), partial(self._store.storage.run, load))
        self._resume()
        self._passivate()

    def _waiting(self) -> Iterable[tuple[float, str]]:
        rows, is_put_off = self._store.passivated(), self._store.rounds.is_put_off
        return ((row.due_at, row.name) for row in rows if row.due_at is not None and not is_put_off(TIMERS(row.name)))

    def _resume(self) -> None:
        for name in [workspace.name for workspace in self._store.loaded() if workspace.jobs.are_forgotten]:
            resume = partial(self._store.storage.run, partial(self._resume_one, name))
            self._store.rounds.run(f"calls of workspace {name} are not made", resume)

    def _resume_one(self, name: str) -> None:
        found = self._store.look(name)
        if found is not None and not found.late:  # what looks forgotten may be over
            found.resume()

    def _passivate(self) -> None:
        # Names, as a workspace stays to which anything refers.
        names = [workspace.name for workspace in self._store.loaded()]
        excess = len(names) - self._most
        for name in names:
            if excess <= 0 or self._closed.is_set():
                break
            passivate = partial(self._store.passivate, name)
            excess -= bool(self._store.rounds.run(f"workspace {name} stays in memory", passivate))


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
        for name, is_removed in cast("SharedStorage", self._shared.storage).changes():
            if self._closed.is_set():
                return
            self._shared.heard(name, is_removed=is_removed)

    def turn(self) -> None:
        """Fire due timers, refresh watched workspaces, resume forgotten calls, and passivate over the limit."""
        self._store.rounds.run("due timers are not looked for", self._shared.look_after)
        self._resume()
        self._passivate()

"""What falls due while nobody asks: clocks that run fire their timers by themselves."""

from __future__ import annotations

import logging
import math
import threading
import time
import weakref

from mockserver.core.effects.effects import Timed

#: Nothing is waited for longer than this, in seconds: real time may be set, and workspaces may go.
_LONGEST = 10.0
#: Turns that are so close are one, in seconds.
_CLOSE = 0.001
#: How long a close waits for the thread, in seconds.
_FAREWELL = 0.5

_LOG = logging.getLogger(__name__)


class TimerThread:
    """Lets workspaces catch up when their next timer is due; its thread lives while there is one to wait for."""

    def __init__(self) -> None:
        #: Held for all below; taken after a workspace's lock, never before one.
        self._changed = threading.Condition()
        #: When a workspace has its turn at the latest, by the real time of `time.monotonic`.
        self._turns: weakref.WeakKeyDictionary[Timed, float] = weakref.WeakKeyDictionary()
        #: When the thread looks again by itself.
        self._until = math.inf
        self._thread: threading.Thread | None = None
        self._closed = False

    def watch(self, workspace: Timed) -> None:
        """Look at a workspace whose timers or clock have changed, under its lock."""
        timer = workspace.state.timers.next()
        if timer is None or workspace.state.clock.frozen:
            return
        seconds = (timer.moment - workspace.state.clock.now()).total_seconds()
        turn = time.monotonic() + min(seconds, _LONGEST)
        with self._changed:
            if self._closed or turn >= self._turns.get(workspace, math.inf) - _CLOSE:
                return
            self._turns[workspace] = turn
            if self._thread is None:
                self._start()
            elif turn < self._until:
                self._changed.notify()

    def _start(self) -> None:
        """Start the thread; where the system has none, the next call of `watch` tries again."""
        thread = threading.Thread(target=self._beat, name="timer thread", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            _LOG.exception("no thread could be started: what falls due waits until somebody asks")
            self._turns.clear()
        else:
            self._thread = thread

    def close(self) -> None:
        """Let time stand still."""
        with self._changed:
            self._closed = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join(_FAREWELL)

    def _beat(self) -> None:
        while (late := self._late()) is not None:
            while late:
                # Nothing here keeps a workspace alive that nobody else needs.
                self._catch_up(late.pop(0))

    def _catch_up(self, workspace: Timed) -> None:
        try:
            with workspace.lock:
                workspace.catch_up()
                self.watch(workspace)
        except Exception:  # noqa: BLE001  # other workspaces go on
            _LOG.exception("what was due in workspace %s has failed", workspace.name)

    def _late(self) -> list[Timed] | None:
        """The workspaces whose turn has come, perhaps none; None: there is nothing to wait for."""
        with self._changed:
            self._until = min(self._turns.values(), default=math.inf)
            if self._closed or math.isinf(self._until):
                self._thread = None
                return None
            left = self._until - time.monotonic()
            if left > 0:
                self._changed.wait(left)
            now = time.monotonic()
            late = [workspace for workspace, turn in self._turns.items() if turn <= now]
            for workspace in late:
                del self._turns[workspace]
            return late

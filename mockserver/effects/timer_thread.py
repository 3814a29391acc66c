"""The timer thread, which fires due timers of running clocks without requests."""

from __future__ import annotations

import logging
import math
import threading
import time
import weakref
from contextlib import suppress

from mockserver.core.effects import Timed
from mockserver.core.workspaces.rounds import AGAIN_S, TIMERS, Rounds
from mockserver.core.workspaces.storage import MissingError

#: The longest wait, in seconds: real time may be set, and a timer is then late by no more than that.
_LONGEST_S = 10.0
#: Turns of a workspace that differ by no more, in seconds, count as one, so that the thread wakes up less often.
_CLOSE_S = 0.001
#: How long `close` waits for the end of the thread, in seconds; chosen far above what a notified thread needs.
_JOIN_S = 0.5

_LOG = logging.getLogger(__name__)


class TimerThread:
    """Fires due timers of workspaces; its thread runs while timers are pending."""

    def __init__(self) -> None:
        #: Held for all attributes below; taken after a workspace, never before one.
        self._changed = threading.Condition()
        #: When each workspace catches up, by `time.monotonic`.
        self._turns: weakref.WeakKeyDictionary[Timed, float] = weakref.WeakKeyDictionary()
        #: Until when the thread waits, by `time.monotonic`.
        self._until = math.inf
        self._thread: threading.Thread | None = None
        self._closed = False
        self.rounds = Rounds()

    def watch(self, workspace: Timed) -> None:
        """Wait for the next timer of a workspace whose timers or clock have changed."""
        timer = workspace.state.timers.next()
        if timer is None or workspace.state.clock.frozen:
            return
        seconds = (timer.moment - workspace.state.clock.now()).total_seconds()
        self._turn(workspace, min(seconds, _LONGEST_S))

    def _turn(self, workspace: Timed, seconds: float) -> None:
        turn = time.monotonic() + seconds
        with self._changed:
            if self._closed or turn >= self._turns.get(workspace, math.inf) - _CLOSE_S:
                return
            self._turns[workspace] = turn
            if self._thread is None:
                self._start()
            elif turn < self._until:
                self._changed.notify()

    def _start(self) -> None:
        """Start the thread; without free threads, the next `watch` tries again."""
        thread = threading.Thread(target=self._run, name="timer thread", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            _LOG.exception("no thread could be started: what falls due waits until somebody asks")
            self._turns.clear()
        else:
            self._thread = thread

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join(_JOIN_S)

    def _run(self) -> None:
        while (late := self._late()) is not None:
            for find in late:
                self._catch_up(find)

    def _catch_up(self, find: weakref.ref[Timed]) -> None:
        workspace = find()
        if workspace is None:
            return

        def now() -> None:
            workspace.open()
            self.watch(workspace)

        def catch_up() -> None:
            with suppress(MissingError):  # it needs no further turn, and another one may have its name by now
                workspace.run(now)

        self.rounds.run(TIMERS(workspace.name), catch_up)
        if self.rounds.is_put_off(TIMERS(workspace.name)):
            self._turn(workspace, AGAIN_S)

    def _late(self) -> list[weakref.ref[Timed]] | None:
        """Wait, and return due workspaces, or None without pending timers; a workspace may leave the memory then."""
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
            return list(map(weakref.ref, late))

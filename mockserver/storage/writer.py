"""The thread that writes what is new."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from mockserver.core.workspaces.keeping import KeepingError

#: How long what is new waits at least, in seconds, so that many changes are written at once. Chosen: half of the second
#: within which it is promised.
_PAUSE_S = 0.5
#: How many times as long as the encoding took the next one waits, so that it takes a twentieth of the time, unless that
#: is longer than this, in seconds: what is promised within a second comes first.
_REST, _LONGEST_PAUSE_S = 19, 0.9
#: How long after a failure it is tried again, in seconds; chosen.
_RETRY_S = 1.0

_LOG = logging.getLogger(__name__)


class Writer:
    """Calls `write` in rounds, in a thread of its own: a while after `wake`, and at once while somebody waits."""

    def __init__(self, write: Callable[[], float]) -> None:
        """Start the thread; `write` returns how many seconds the encoding took, and may raise `KeepingError`.

        Raises:
            KeepingError: the system has no thread to spare.
        """
        self._write = write
        #: Why the last round has failed, or None.
        self.failure: str | None = None
        self.last_failure: str | None = None
        #: How many rounds have succeeded, and how many have failed.
        self.rounds = self.failures = 0
        self._is_awake, self._is_urgent = threading.Event(), threading.Event()
        self._changed = threading.Condition()
        #: The numbers of the round that has begun last, that is over, and that was over and succeeded.
        self._begun = self._over = self._succeeded = 0
        self._is_closing = self._has_ended = False
        self._thread = threading.Thread(target=self._run, name="mockserver store", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            raise KeepingError(f"the store cannot be written: {error}") from error

    def wake(self) -> None:
        """Let a round begin soon; cheap, and to be called with whatever lock held."""
        if not self._is_awake.is_set():
            self._is_awake.set()

    def settle(self) -> None:
        """Wait until a round that begins after this call is over.

        Raises:
            KeepingError: it has failed, or there are no rounds any more.
        """
        with self._changed:
            wanted = self._begun + 1
            self._is_urgent.set()
            self._is_awake.set()
            self._changed.wait_for(lambda: self._over >= wanted or self._has_ended)
            if self._succeeded < wanted:
                raise KeepingError(self.failure or "the store is closed")

    def close(self) -> bool:
        """Let a last round begin at once, and wait for its end; whether it succeeded."""
        self._is_closing = True
        self._is_urgent.set()
        self._is_awake.set()
        self._thread.join()
        return self.failure is None

    def _run(self) -> None:
        pause_s = _PAUSE_S
        while not self._is_closing:
            self._is_awake.wait()
            self._is_urgent.wait(pause_s)
            self._is_awake.clear()
            self._is_urgent.clear()
            pause_s = self._round()
        if self._is_awake.is_set():  # something is new since the round that was under way began
            self._round()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def _round(self) -> float:
        """Write what is new; returns how many seconds the next round waits."""
        with self._changed:
            self._begun += 1
        try:
            encoding_s = self._write()
        except KeepingError as error:
            self._fail(str(error), error.__cause__)
            return _RETRY_S
        except Exception as error:  # noqa: BLE001  # a bug of the mock: the next round may do
            self._fail(f"the store cannot be written: {type(error).__name__}", error)
            return _RETRY_S
        self._succeed()
        return min(max(_PAUSE_S, encoding_s * _REST), _LONGEST_PAUSE_S)

    def _succeed(self) -> None:
        if self.failure is not None:
            _LOG.warning("the store is written again")
        with self._changed:
            self.failure = None
            self.rounds += 1
            self._over = self._succeeded = self._begun
            self._changed.notify_all()

    def _fail(self, sentence: str, cause: BaseException | None) -> None:
        if self.failure != sentence:
            _LOG.warning("nothing is kept, which is tried again every second: %s", sentence, exc_info=cause)
        with self._changed:
            self.failure = self.last_failure = sentence
            self.failures += 1
            self._over = self._begun
            self._changed.notify_all()
        self._is_awake.set()

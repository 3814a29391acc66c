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


#: Takes why a round has failed, or None: it has not.
Tell = Callable[[str | None], object]


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
        #: Held for those who wait for the round that begins next, and for whether there will be one.
        self._joining = threading.Lock()
        self._joined: list[Tell] = []
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

    def hurry(self) -> None:
        """Let a round begin at once; cheap, and to be called with whatever lock held."""
        if not self._is_urgent.is_set():
            self._is_urgent.set()
        self.wake()

    def join(self, tell: Tell) -> None:
        """Let a round begin at once, and call `tell` when it is over, in whatever thread."""
        with self._joining:
            if not self._has_ended:
                self._joined.append(tell)
                self.hurry()
                return
        tell(self.failure or "the store is closed")

    def settle(self) -> None:
        """Wait until a round that begins after this call is over.

        Raises:
            KeepingError: it has failed, or there are no rounds any more.
        """
        found: list[str | None] = []
        is_over = threading.Event()

        def tell(failure: str | None) -> None:
            found.append(failure)
            is_over.set()

        self.join(tell)
        is_over.wait()
        if found[0] is not None:
            raise KeepingError(found[0])

    def close(self) -> bool:
        """Let a last round begin at once, and wait for its end; whether it succeeded."""
        self._is_closing = True
        self.hurry()
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
        with self._joining:
            self._has_ended = True
            joined = self._joined
        for tell in joined:
            tell(self.failure or "the store is closed")

    def _round(self) -> float:
        """Write what is new, and tell who waits; returns how many seconds the next round waits."""
        with self._joining:
            joined, self._joined = self._joined, []
        pause_s = self._try()
        for tell in joined:
            tell(self.failure)
        return pause_s

    def _try(self) -> float:
        """Write what is new; returns how many seconds the next round waits."""
        try:
            encoding_s = self._write()
        except KeepingError as error:
            return self._fail(str(error), error.__cause__)
        except Exception as error:  # noqa: BLE001  # a bug of the mock: the next round may do
            return self._fail(f"the store cannot be written: {type(error).__name__}", error)
        if self.failure is not None:
            _LOG.warning("the store is written again")
        self.failure = None
        self.rounds += 1
        return min(max(_PAUSE_S, encoding_s * _REST), _LONGEST_PAUSE_S)

    def _fail(self, sentence: str, cause: BaseException | None) -> float:
        if self.failure != sentence:
            _LOG.warning("nothing is kept, which is tried again every second: %s", sentence, exc_info=cause)
        self.failure = self.last_failure = sentence
        self.failures += 1
        self._is_awake.set()
        return _RETRY_S

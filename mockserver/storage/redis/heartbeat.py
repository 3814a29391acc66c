"""The thread by which the servers of a store hear that this one lives."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from mockserver.core.workspaces.keeping import KeepingError
from mockserver.storage.errors import EngineError

#: How long after it was heard of last a server counts as dead, in milliseconds, and how often it is heard of, in
#: seconds. Chosen: others take its workspaces over within some seconds, and a pause of a busy machine loses none.
LEASE_MS = 2000
_INTERVAL_S = 0.4

_LOG = logging.getLogger(__name__)


class Heartbeat:
    """Calls `beat` again and again, in a thread of its own, until `close`."""

    def __init__(self, beat: Callable[[], object]) -> None:
        """Start the thread, just after a first beat; `beat` may raise `EngineError`.

        Raises:
            KeepingError: the system has no thread to spare.
        """
        self._beat = beat
        #: When the last beat that succeeded had begun, on the monotonic clock.
        self._heard_at = time.monotonic()
        #: Why the last beat has failed, or None.
        self._sentence: str | None = None
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mockserver store heartbeat", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            raise KeepingError(f"the store cannot be used: {error}") from error

    @property
    def failure(self) -> str | None:
        """Why this server may count as dead by now, or None."""
        if self._sentence is None and (time.monotonic() - self._heard_at) * 1000 >= LEASE_MS:
            return "the store has not heard of this server for a while"  # which stood still, perhaps
        return self._sentence

    def _run(self) -> None:
        while not self._is_closed.wait(_INTERVAL_S):
            began = time.monotonic()
            try:
                self._beat()
            except EngineError as error:
                self._fail(str(error))
            else:
                self._heard_at = began
                self._succeed()

    def _fail(self, sentence: str) -> None:
        if self._sentence != sentence:
            _LOG.warning("other servers do not hear of this one: %s", sentence)
        self._sentence = sentence

    def _succeed(self) -> None:
        if self._sentence is not None:
            _LOG.warning("other servers hear of this one again")
        self._sentence = None

    def close(self) -> None:
        """End the thread, and wait for the beat that is under way."""
        self._is_closed.set()
        self._thread.join()

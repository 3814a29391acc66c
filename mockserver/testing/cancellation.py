"""The cancellation of calls that another thread makes."""

from __future__ import annotations

import atexit
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import TypeVar
from weakref import WeakSet

#: How long the end of a program waits for calls that were cancelled before, in seconds; they take less than a
#: millisecond. Their threads close the connections, and would not come to it when the program is over.
_ENDING_S = 1.0

Result = TypeVar("Result")


class CalledOffError(Exception):
    """The call was cancelled, and nobody waits for its answer."""


class Cancellation:
    """Cancels the calls of a client that a function makes, from another thread than that of the function."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._socket: socket.socket | None = None
        #: Set when the function is over.
        self.over = threading.Event()

    def cancel(self) -> None:
        """End the call that is under way, and refuse later ones; nothing happens if the function is over."""
        with self._lock:
            self._is_cancelled = True
            if self._socket is not None:
                _CANCELLED.add(self)
                with suppress(OSError):  # the other side has ended the connection
                    self._socket.shutdown(socket.SHUT_RDWR)

    def run(self, function: Callable[[], Result]) -> Result:
        """Call a function, whose calls of clients can be cancelled meanwhile."""
        token = _PRESENT.set(self)
        try:
            return function()
        finally:
            _PRESENT.reset(token)
            self.over.set()

    def enter(self, connected: socket.socket | None) -> None:
        """Make the call end with the connection of a socket.

        Raises:
            CalledOffError: the call was cancelled before.
        """
        with self._lock:
            if self._is_cancelled:
                raise CalledOffError
            self._socket = connected

    def leave(self) -> None:
        """Let the connection be used for other calls, which are none of this one's.

        Raises:
            CalledOffError: the call was cancelled meanwhile, and the connection was ended.
        """
        self.enter(None)


#: The cancellation of the function that runs.
_PRESENT: ContextVar[Cancellation] = ContextVar("mockserver cancellation")

#: The cancellations that were used and whose threads may not know it yet.
_CANCELLED: WeakSet[Cancellation] = WeakSet()


def present() -> Cancellation:
    """The cancellation of the function that runs, or one that nobody uses."""
    return _PRESENT.get(None) or Cancellation()


@atexit.register
def _wait() -> None:
    for cancellation in list(_CANCELLED):
        cancellation.over.wait(_ENDING_S)

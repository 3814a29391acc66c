"""The end of a call that another thread makes."""

from __future__ import annotations

import atexit
import socket
import threading
from contextlib import suppress
from weakref import WeakSet

#: How long the end of a program waits for calls that were cancelled before, in seconds; they take less than a
#: millisecond. Their threads close the connections, and would not come to it when the program is over.
_ENDING_S = 1.0


class CalledOffError(Exception):
    """The call was cancelled, and nobody waits for its answer."""


class Cancellation:
    """Cancels one call of a client, from another thread than the one that makes it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._socket: socket.socket | None = None
        #: Set when the call is over.
        self.over = threading.Event()

    def cancel(self) -> None:
        """End the call at once; nothing happens if it is over."""
        with self._lock:
            self._is_cancelled = True
            if self._socket is not None:
                _CANCELLED.add(self)
                with suppress(OSError):  # the other side has ended the connection
                    self._socket.shutdown(socket.SHUT_RDWR)

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


#: The calls that were cancelled and whose threads may not know it yet.
_CANCELLED: WeakSet[Cancellation] = WeakSet()


@atexit.register
def _wait() -> None:
    for cancellation in list(_CANCELLED):
        cancellation.over.wait(_ENDING_S)

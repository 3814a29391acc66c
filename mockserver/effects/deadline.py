"""Time limits over a whole call: the sockets of Python know only those of one step."""

from __future__ import annotations

import io
import socket
import time
from typing import Any

#: No longer than a day, in seconds, whatever is asked for: sockets take no larger limit than their C type holds.
_LONGEST = 86_400.0


class Deadline:
    """The moment at which something has to have ended."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + min(seconds, _LONGEST)

    def left(self) -> float:
        """The seconds that are left.

        Raises:
            TimeoutError: there are none.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class HurriedSocket:
    """A connected socket on which nothing lasts beyond the deadline, however little comes at a time.

    It has what an HTTP connection asks of its socket.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._socket, self._deadline = sock, deadline

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._socket.settimeout(self._deadline.left())
            rest = rest[self._socket.send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        """What comes in, for as long as there is time; an HTTP connection asks for nothing but `rb`."""
        assert mode == "rb"
        return io.BufferedReader(_Incoming(self._socket, self._deadline))

    def settimeout(self, seconds: float | None) -> None:
        """Change nothing: the deadline decides."""

    def shutdown(self, how: int) -> None:
        self._socket.shutdown(how)

    def close(self) -> None:
        self._socket.close()


class _Incoming(io.RawIOBase):
    """What comes in at a socket, each read with no more than the time that is left."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._socket, self._deadline = sock, deadline
        # It keeps the socket open for as long as it is open itself.
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._socket.settimeout(self._deadline.left())
        return self._raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()

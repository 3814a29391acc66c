"""Deadlines of whole exchanges, as Python's sockets limit only single steps."""

from __future__ import annotations

import io
import socket
import time
from typing import Any

#: The longest deadline, a day in seconds; chosen below the largest timeout that the C type of sockets holds.
_LONGEST = 86_400.0


class Deadline:
    """The latest end of an exchange, given as remaining seconds."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + min(seconds, _LONGEST)

    def left(self) -> float:
        """Return the remaining seconds, more than 0.

        Raises:
            TimeoutError: the deadline has passed.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class HurriedSocket:
    """A connected socket with a deadline for all its sends and reads.

    It has the methods called by `http.client.HTTPConnection`, which raise `TimeoutError` after the deadline.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._socket, self._deadline = sock, deadline

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._socket.settimeout(self._deadline.left())
            rest = rest[self._socket.send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return a reader; HTTP connections use only mode `rb`."""
        assert mode == "rb"
        return io.BufferedReader(_Incoming(self._socket, self._deadline))

    def settimeout(self, seconds: float | None) -> None:
        """Do nothing: the deadline determines timeouts."""

    def shutdown(self, how: int) -> None:
        self._socket.shutdown(how)

    def close(self) -> None:
        self._socket.close()


class _Incoming(io.RawIOBase):
    """Incoming bytes of a socket, with deadline."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._socket, self._deadline = sock, deadline
        # A file of a socket keeps it open until the file is closed itself.
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

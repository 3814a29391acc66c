"""Deadlines: time limits of a whole exchange, where sockets of Python limit only each single step."""

from __future__ import annotations

import io
import socket
import time
from typing import Any

#: The longest deadline, a day in seconds; chosen below the largest timeout that the C type of sockets holds.
_LONGEST = 86_400.0


class Deadline:
    """The moment at which an exchange is given up, so many seconds from now."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + min(seconds, _LONGEST)

    def left(self) -> float:
        """The seconds until the deadline, more than 0.

        Raises:
            TimeoutError: the deadline is over.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class HurriedSocket:
    """A connected socket whose sends and reads all end at a deadline, however many of them there are.

    It has those methods of a socket that `http.client.HTTPConnection` calls.

    Raises:
        TimeoutError: while it sends or reads, the deadline is over.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._socket, self._deadline = sock, deadline

    def sendall(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._socket.settimeout(self._deadline.left())
            rest = rest[self._socket.send(rest) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        """A reader of what the other side sends; an HTTP connection asks for no other mode than `rb`."""
        assert mode == "rb"
        return io.BufferedReader(_Incoming(self._socket, self._deadline))

    def settimeout(self, seconds: float | None) -> None:
        """Do nothing: the deadline sets the timeout of each step."""

    def shutdown(self, how: int) -> None:
        self._socket.shutdown(how)

    def close(self) -> None:
        self._socket.close()


class _Incoming(io.RawIOBase):
    """The bytes that a socket receives; each read ends at the deadline."""

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

"""A connection to a peer for a thread, which waits for what comes of the request that it forwards."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing, suppress
from http.client import HTTPException, HTTPResponse
from io import BufferedReader, RawIOBase
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mockserver.web.server.peers.handing_on import CONNECT_S, LOOK_S
from mockserver.web.server.peers.trust import Trust

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

#: How many seconds a peer may take to read a request. Chosen: far above what it does take, whatever the body.
_SEND_S = 30.0
#: For how many seconds a peer is waited for that does not say that it is alive. Chosen: servers that have each thread
#: wait for the other get free in the end, and one that is only busy is let be.
_SILENCE_S = 20.0


def connected(address: str, trust: Trust) -> socket.socket:
    """A connection to the server at a root address.

    Raises:
        OSError: it cannot be reached.
    """
    parts = urlsplit(address)
    is_secure, host = parts.scheme == "https", parts.hostname or ""
    plain = socket.create_connection((host, parts.port or (443 if is_secure else 80)), CONNECT_S)
    if not is_secure:
        return plain
    try:
        return trust.context.wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise


class BlockingDeparture:
    """A connection to a peer, over which one request is forwarded."""

    def __init__(self, address: str, trust: Trust, is_lost: Callable[[], bool]) -> None:
        """Connect to the server at a root address.

        While nothing comes, `is_lost` tells from time to time whether nothing will.

        Raises:
            OSError: it cannot be reached.
        """
        self._socket = connected(address, trust)
        self._is_lost = is_lost

    def ask(self, request: bytes, method: str) -> HTTPResponse:
        """Send a request; the answer to it, of which the head has come.

        Raises:
            HTTPException, OSError: there is none.
        """
        self._socket.settimeout(_SEND_S)
        self._socket.sendall(request)
        self._socket.settimeout(LOOK_S)
        found = HTTPResponse(self, method=method)  # type: ignore[arg-type]  # of a socket it only calls `makefile`
        found.begin()
        return found

    def makefile(self, mode: str) -> BufferedReader:
        """What comes in, as `HTTPResponse` reads it."""
        return BufferedReader(_Incoming(self._socket, self._is_lost))

    def close(self) -> None:
        """End the connection, by which the peer sees that nobody waits for the answer any more."""
        self._socket.close()


class _Incoming(RawIOBase):
    """What comes in over a connection; waiting for it ends when it is lost."""

    def __init__(self, connection: socket.socket, is_lost: Callable[[], bool]) -> None:
        self._connection, self._is_lost = connection, is_lost

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        while True:
            try:
                return self._connection.recv_into(buffer)
            except TimeoutError:
                if self._is_lost():
                    raise ConnectionResetError("the peer has lost the workspace") from None


class Silence:
    """The time in which a peer that was asked for something has said nothing."""

    def __init__(self, address: str, trust: Trust, is_held: Callable[[], bool]) -> None:
        """Of the peer at an address; `is_held` says whether it still holds what it was asked for."""
        self._address, self._trust, self._is_held = address, trust, is_held
        #: When it was first found that it does not say that it is alive, on the monotonic clock.
        self._since: float | None = None

    def is_final(self) -> bool:
        """Whether nothing will come: the peer is dead, or its threads are all waiting, perhaps for this one."""
        if is_alive(self._address, self._trust):
            self._since = None
            return False
        self._since = monotonic() if self._since is None else self._since
        return monotonic() - self._since >= _SILENCE_S or not self._is_held()


def is_alive(address: str, trust: Trust) -> bool:
    """Whether the server at a root address answers."""
    request = f"HEAD /_mock/livez HTTP/1.1\r\nhost: {urlsplit(address).netloc}\r\nconnection: close\r\n\r\n"
    with suppress(OSError, HTTPException), closing(BlockingDeparture(address, trust, lambda: True)) as departure:
        departure.ask(request.encode("latin-1"), "HEAD")
        return True
    return False

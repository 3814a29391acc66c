"""TLS connections until the end of their handshake."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Collection
from time import monotonic
from typing import Any, NamedTuple, Protocol, cast

from uvicorn.server import ServerState

from mockserver.core.state.faults import Fault
from mockserver.web.server.connection import LINGER_S, Connection
from mockserver.web.server.limits import Admission
from mockserver.web.server.wire import reset

#: The protocol that the handles and the commands of the mock offer beside HTTP/1.1, behind its length (RFC 7301, 3.1).
#: No fault of handshakes hits them, so that such a rule can be removed.
OF_THE_MOCK = b"\x12mockserver-control"
#: A record with a fatal alert, but for the alert's number (RFC 8446, 5.1 and 6); TLS 1.2 stands for all versions there.
_ALERT = bytes((21, 3, 3, 0, 2, 2))
#: What a client is told that speaks plain HTTP here.
_PLAIN = "This port speaks TLS: call it with https:// in the place of http://"
#: How many bytes are awaited for its first line, in the words of whose address it is told. Chosen: as most servers.
_LONGEST_LINE = 8 * 1024
#: The seconds between two warnings in the log. Chosen: a flood of connections fills no log, and a reader sees it soon.
_WARN_EVERY_S = 10.0

_LOG = logging.getLogger(__name__)


class Certificates(Protocol):
    def context(self, name: str | None, address: str, *, expired: bool = False) -> ssl.SSLContext:
        """Return the TLS context for a server name, or for the address."""
        ...


class Tls(NamedTuple):
    certificates: Certificates
    #: Looks up the fault that hits a handshake of a client that calls the server by a name, or None.
    fault: Callable[[str | None], Awaitable[Fault | None]]
    #: The ports that speak TLS; all others speak plain HTTP.
    ports: Collection[int]


class FailedHandshakes:
    """Logs failed handshakes without faults: mostly, clients distrust the certificate."""

    def __init__(self) -> None:
        self._number = 0
        self._warned_at = -_WARN_EVERY_S

    def add(self, error: ssl.SSLError) -> None:
        self._number += 1
        now = monotonic()
        if now - self._warned_at >= _WARN_EVERY_S:
            _LOG.warning("%d TLS handshakes have failed, the last one: %s", self._number, error.reason or "no TLS")
            self._number, self._warned_at = 0, now


class Front(asyncio.Protocol):
    """A connection before its protocol is known, with the time limit of a request's head."""

    is_idle = False
    is_waiting = True
    #: It has sent nothing that could be unread.
    unread = 0
    unread_since = 0.0
    #: It is not secured.
    carrier = None

    def __init__(  # uvicorn gives some of it, and the server the rest
        self,
        connection: Callable[..., Connection],
        tls: Tls,
        admission: Admission,
        failed: FailedHandshakes,
        limit_s: float,
        *,
        server_state: ServerState,
        **options: Any,
    ) -> None:
        """Prepare a connection; `connection` makes its HTTP successor from uvicorn's options."""
        self._connection: Callable[[], Connection] = lambda: connection(server_state=server_state, **options)
        self._tls = tls
        self._admission = admission
        self._failed = failed
        self._limit_s = limit_s
        #: Those that the server looks after, which are `Front` or `Connection`.
        self._connections = cast("set[Any]", server_state.connections)
        self._tasks = server_state.tasks
        self.idle_since = monotonic()
        self._hello: ClientHello
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        #: The address at which the client has reached the server.
        self._address, port = transport.get_extra_info("sockname")[:2]
        if port not in self._tls.ports:
            self._speak_plainly()
            return
        self._hello = ClientHello(self._tls.certificates.context(None, self._address))
        self._connections.add(self)
        if self._admission.refusal(self, self._connections) is not None:
            self.transport.abort()

    # ------------------------------------------------------------------ plain HTTP

    def _speak_plainly(self) -> Connection:
        self._connections.discard(self)
        plain = self._connection()
        self.transport.set_protocol(plain)
        plain.connection_made(self.transport)
        return plain

    def _refuse_plain_http(self) -> None:
        target = bytes(self._hello.received).partition(b"\n")[0].split()
        plain = self._speak_plainly()
        plain.url = target[1] if len(target) > 1 else b""
        plain.refuse(400, _PLAIN)

    # ------------------------------------------------------------------ the handshake

    def data_received(self, data: bytes) -> None:
        is_over = self._hello.add(data)
        received = self._hello.received
        if received[:1].isalpha():
            if b"\n" in received or len(received) > _LONGEST_LINE:
                self._refuse_plain_http()
        elif self._hello.error is not None:
            self._failed.add(self._hello.error)
            self.transport.write(self._hello.alert)
            self.transport.close()
        elif is_over:
            self.transport.pause_reading()
            task = asyncio.get_running_loop().create_task(self._greet())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _greet(self) -> None:
        name = self._hello.name
        fault = None if OF_THE_MOCK in self._hello.received else await self._tls.fault(name)
        if self.transport.is_closing():
            return
        if fault is not None and fault.kind == "tls_handshake":
            self._refuse(fault.alert)
            return
        try:
            await self._shake_hands(self._tls.certificates.context(name, self._address, expired=fault is not None))
        except ssl.SSLError as error:
            if fault is None:
                self._failed.add(error)
        except OSError:  # the client has left
            pass
        finally:
            self._connections.discard(self)

    def _refuse(self, alert: int | None) -> None:
        if alert is None:
            reset(self.transport)
        else:
            self.transport.write(_ALERT + bytes((alert,)))
            self.transport.close()

    async def _shake_hands(self, context: ssl.SSLContext) -> None:
        """Secure the connection, and pass it to `Connection`."""
        loop, connection = asyncio.get_running_loop(), self._connection()
        # Two turns of the loop later: in the first one, `start_tls` begins the handshake.
        loop.call_soon(loop.call_soon, self._replay)
        secured = await loop.start_tls(
            self.transport,
            connection,
            context,
            server_side=True,
            ssl_handshake_timeout=self._limit_s,
            ssl_shutdown_timeout=LINGER_S,
        )
        self._connections.discard(self)
        if secured is not None and not secured.is_closing():  # else the connection was lost
            connection.carrier = self.transport
            connection.connection_made(secured)

    def _replay(self) -> None:
        """Give received bytes to the protocol set by `start_tls`."""
        protocol, rest = cast("asyncio.BufferedProtocol", self.transport.get_protocol()), self._hello.received
        while rest and not self.transport.is_closing():
            piece = memoryview(protocol.get_buffer(len(rest)))[: len(rest)]
            piece[:] = rest[: len(piece)]
            protocol.buffer_updated(len(piece))
            rest = rest[len(piece) :]

    # ------------------------------------------------------------------ what the server asks of its connections

    def check(self, now: float, _idle_s: float) -> None:
        """Abort a handshake after its time limit; called several times a second."""
        if now - self.idle_since > self._limit_s:
            self.transport.abort()

    def shutdown(self) -> None:
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)


#: The content type of a record of handshake messages, and the sizes of its header (RFC 8446, 5.1).
_HANDSHAKE, _RECORD = b"\x16", 5
#: What precedes the session id: the header of the message, the version and the random number, in bytes.
_FIXED = 4 + 2 + 32
#: The extension that names the server (RFC 6066, 3). A name follows the extension's type and size (4 bytes), the size
#: of the list (2), the type of the name (1) and its size (2).
_SERVER_NAME, _NAME = 0, 9


class ClientHello:
    """A ClientHello in pieces, checked by OpenSSL in a trial handshake."""

    def __init__(self, context: ssl.SSLContext) -> None:
        """Begin a trial handshake with any certificate."""
        #: All bytes that have come.
        self.received = bytearray()
        #: Why OpenSSL refuses the message, or None; `alert` is the record that tells the client, if there is one.
        self.error: ssl.SSLError | None = None
        self.alert = b""
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._trial = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    def add(self, data: bytes) -> bool:
        """Add bytes that have come. Return whether the message is complete or refused."""
        self.received += data
        self._incoming.write(data)
        try:
            self._trial.do_handshake()
        except ssl.SSLWantReadError:
            return self._outgoing.pending > 0
        except ssl.SSLError as error:
            self.error, self.alert = error, self._outgoing.read()
        return True

    @property
    def name(self) -> str | None:
        """The server name in lower case, or None; only for a complete message, checked by OpenSSL."""
        rest = memoryview(self._message())[_FIXED:]
        for size in (1, 2, 1):  # the session id, the ciphers, the compressions
            rest = rest[size + int.from_bytes(rest[:size]) :]
        rest = rest[2:]  # the size of all extensions
        while rest:
            end = 4 + int.from_bytes(rest[2:4])
            if int.from_bytes(rest[:2]) == _SERVER_NAME:
                text = bytes(rest[_NAME:end]).decode("ascii", "replace")
                return text.lower().removesuffix(".") if text.isascii() and text.isprintable() else None
            rest = rest[end:]
        return None

    def _message(self) -> bytes:
        parts, rest = [], memoryview(self.received)
        while rest[:1] == _HANDSHAKE:
            end = _RECORD + int.from_bytes(rest[3:_RECORD])
            parts.append(rest[_RECORD:end])
            rest = rest[end:]
        return b"".join(parts)

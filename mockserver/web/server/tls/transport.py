"""The transport of a secured connection: what is written to it leaves encrypted over that of the plain connection.

asyncio has one of its own, which sends no alert where a handshake fails, and cannot be given bytes that have been read.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any

#: How many bytes are decrypted in one go: a record has no more.
_RECORD = 16 * 1024
#: How many bytes are encrypted in one go. Chosen: a large answer is not kept twice.
_PIECE = 256 * 1024


class TlsTransport(asyncio.Transport):
    """A server's side of a secured connection, over the transport of a plain one."""

    def __init__(self, plain: asyncio.Transport, context: ssl.SSLContext, opened: Callable[[], asyncio.Protocol]):
        """Secure a connection; `opened` is called when the handshake is over, and gives who is told what comes then."""
        super().__init__({"sslcontext": context})
        self._plain = plain
        self._opened = opened
        self._protocol: asyncio.BaseProtocol | None = None
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._is_closing = self._is_paused = self._has_ended = False

    # ------------------------------------------------------------------ what comes in

    def feed(self, data: bytes) -> None:
        """Take bytes of the plain connection.

        Raises:
            ssl.SSLError: the handshake has failed; the alert is sent, and the connection is closed.
        """
        if self._is_closing:
            return
        self._incoming.write(data)
        if self._protocol is not None or self._shake_hands():
            self._read()

    def _shake_hands(self) -> bool:
        """Go on with the handshake as far as bytes have come; whether it is over."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._send()
            return False
        except ssl.SSLError:
            self._end()
            raise
        self._send()
        self._protocol = self._opened()
        return True

    def _read(self) -> None:
        """Hand over what has come, as long as it is wanted."""
        while self._protocol is not None and not self._is_paused and not self._is_closing:
            try:
                data = self._tls.read(_RECORD)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLError:  # what has come is no TLS
                self._end()
                return
            if not data:  # the client closes the connection; answers leave at the end of the loop's turn, and before
                asyncio.get_running_loop().call_soon(self.close)
                return
            self._protocol.data_received(data)  # type: ignore[attr-defined]  # it is one of streams
        self._send()

    def _end(self) -> None:
        """Send the alert, if there is one, and close the plain connection."""
        self._is_closing = True
        self._send()
        self._plain.close()

    # ------------------------------------------------------------------ what goes out

    def write(self, data: bytes | bytearray | memoryview) -> None:
        rest = memoryview(data)
        try:
            while rest and not self._is_closing and not self._has_ended:
                rest = rest[self._tls.write(rest[:_PIECE]) :]
                self._send()
        except ssl.SSLError:
            self.abort()

    def _send(self) -> None:
        if self._outgoing.pending and not self._plain.is_closing():
            self._plain.write(self._outgoing.read())

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self._tell_end()
        if not self._plain.is_closing():
            self._plain.write_eof()

    def _tell_end(self) -> None:
        """Say that nothing more comes from this side, and do not wait for the other to say so."""
        if not self._has_ended and self._protocol is not None:
            self._has_ended = True
            with suppress(ssl.SSLError):
                self._tls.unwrap()
            self._send()

    # ------------------------------------------------------------------ the end

    def is_closing(self) -> bool:
        return self._is_closing or self._plain.is_closing()

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            self._tell_end()
            self._plain.close()

    def abort(self) -> None:
        self._is_closing = True
        self._plain.abort()

    # ------------------------------------------------------------------ what the plain connection does as well

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        own = super().get_extra_info(name)
        return self._plain.get_extra_info(name, default) if own is None else own

    def pause_reading(self) -> None:
        self._is_paused = True
        self._plain.pause_reading()

    def resume_reading(self) -> None:
        self._is_paused = False
        self._plain.resume_reading()
        # Later, as this may be called by what is being told of what has come.
        asyncio.get_running_loop().call_soon(self._read)

    def get_write_buffer_size(self) -> int:
        return self._plain.get_write_buffer_size()

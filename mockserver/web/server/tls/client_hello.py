"""The first message of a TLS client, which is read before the handshake begins (RFC 8446, 4.1.2).

The rules of a workspace decide what becomes of the handshake, and looking them up may wait for a lock. A callback of
OpenSSL such as `sni_callback` cannot wait, so the message is read by a handshake on trial first.
"""

from __future__ import annotations

import ssl

#: The content type of a record of handshake messages, and the sizes of its header (RFC 8446, 5.1).
_HANDSHAKE, _RECORD = b"\x16", 5
#: What precedes the session id: the header of the message, the version and the random number, in bytes.
_FIXED = 4 + 2 + 32
#: The extension that names the server (RFC 6066, 3). A name follows the extension's type and size (4 bytes), the size
#: of the list (2), the type of the name (1) and its size (2).
_SERVER_NAME, _NAME = 0, 9


class ClientHello:
    """A message that comes in pieces. OpenSSL checks it by a handshake whose answer is not sent."""

    def __init__(self, context: ssl.SSLContext) -> None:
        """Begin a handshake on trial with any certificate of the server."""
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
        """The name by which the client calls the server, in lower case, or None if it calls an address.

        Only for a complete message: OpenSSL has checked its structure.
        """
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
        """Return the message without the headers of the records that carry it."""
        parts, rest = [], memoryview(self.received)
        while rest[:1] == _HANDSHAKE:
            end = _RECORD + int.from_bytes(rest[3:_RECORD])
            parts.append(rest[_RECORD:end])
            rest = rest[end:]
        return b"".join(parts)

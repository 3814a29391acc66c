"""The first message of a TLS client, as far as it is read before the handshake begins (RFC 8446, 4.1.2 and 5.1).

OpenSSL reads it as well, and says what is wrong with it. Here it is read because the rules of a workspace say what
becomes of the handshake, and to ask them may have to wait for a lock, which a callback of OpenSSL cannot do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

#: The content type of a record of handshake messages, with which each TLS connection begins.
HANDSHAKE = 22
_CLIENT_HELLO = 1
#: The sizes of a record's header, and of a message's, in bytes.
_RECORD, _MESSAGE = 5, 4
#: Where a record's header has the length of the record.
_LENGTH = slice(3, 5)
#: Behind a message's header: the version and the random number, in bytes.
_FIXED = 2 + 32
#: Extensions (RFC 6066, 3, and RFC 7301, 3.1) and the only type of a name.
_SERVER_NAME, _ALPN, _HOST_NAME = 0, 16, 0
#: The most bytes that are kept of a message. Chosen: OpenSSL takes 16 KB, in records of at least a byte, if seldom so.
_LONGEST = 64 * 1024


class Wishes(NamedTuple):
    """What a client says before the handshake begins."""

    #: The name of the server that it wants, in lower case; None if it names none, as where it calls an address.
    name: str | None = None
    #: The protocols that it offers to speak.
    protocols: tuple[bytes, ...] = ()


class ClientHello:
    """A message that comes in pieces, each of which is looked at once."""

    def __init__(self) -> None:
        #: All bytes that have come.
        self.received = bytearray()
        #: Where the next record begins.
        self._next = 0
        self._message = bytearray()
        #: Whether nothing more has to come: the message is whole, or is none.
        self.is_over = False

    def add(self, data: bytes) -> None:
        """Add bytes that have come."""
        self.received += data
        while not self.is_over and len(self.received) >= self._next + _RECORD:
            header = self.received[self._next : self._next + _RECORD]
            end = self._next + _RECORD + int.from_bytes(header[_LENGTH])
            if header[0] != HANDSHAKE:
                self.is_over = True
            elif len(self.received) < end:
                break
            else:
                self._message += self.received[self._next + _RECORD : end]
                self._next = end
                self.is_over = self._is_whole()
        self.is_over = self.is_over or len(self.received) > _LONGEST

    def _is_whole(self) -> bool:
        message = self._message
        if not message or message[0] == _CLIENT_HELLO:
            return len(message) >= _MESSAGE and len(message) >= _MESSAGE + int.from_bytes(message[1:_MESSAGE])
        return True

    def wishes(self) -> Wishes:
        """What the client says; nothing if the message is malformed, which the handshake will tell."""
        try:
            return _wishes(memoryview(self._message))
        except (IndexError, ValueError):
            return Wishes()


def _wishes(message: memoryview) -> Wishes:
    if not message or message[0] != _CLIENT_HELLO:
        return Wishes()
    rest = message[_MESSAGE + _FIXED :]
    for size in (1, 2, 1):  # the session, the ciphers, the compressions
        rest = rest[size + int.from_bytes(rest[:size]) :]
    name: str | None = None
    protocols: tuple[bytes, ...] = ()
    for kind, content in _extensions(_taken(rest, 2)):
        if kind == _SERVER_NAME:
            name = _name(_taken(content, 2))
        elif kind == _ALPN:
            protocols = tuple(_protocols(_taken(content, 2)))
    return Wishes(name, protocols)


def _taken(data: memoryview, size: int) -> memoryview:
    """What stands behind its length, which has so many bytes.

    Raises:
        ValueError: it is cut off.
    """
    end = size + int.from_bytes(data[:size])
    if len(data) < max(size, end):
        raise ValueError
    return data[size:end]


def _extensions(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    while data:
        content = _taken(data[2:], 2)
        yield int.from_bytes(data[:2]), content
        data = data[4 + len(content) :]


def _name(names: memoryview) -> str | None:
    """The name of a host in a list of names; None if it has none, or one that is no text of ASCII."""
    if not names or names[0] != _HOST_NAME:
        return None
    found = bytes(_taken(names[1:], 2))
    text = found.decode("ascii", "replace")
    return text.lower().removesuffix(".") if found.isascii() and text.isprintable() else None


def _protocols(data: memoryview) -> Iterator[bytes]:
    while data:
        found = _taken(data, 1)
        yield bytes(found)
        data = data[1 + len(found) :]

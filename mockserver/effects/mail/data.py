"""The bytes of a mail that comes in by SMTP, and how many of them are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

#: The largest mail that is taken, in bytes.
LARGEST = 10 * 1024 * 1024
#: How many bytes all mails may take together that are coming in, or wait to be read.
MOST_TOGETHER = 64 * 1024 * 1024
#: How many times the largest mail may be sent before the connection is given up.
_TIMES = 20
#: How many bytes are looked at in one go: the time for more would be felt by other threads.
_PIECE = 256 * 1024
#: A line, then one with a dot alone; and the dot that is put before another dot (RFC 5321, 4.5.2).
_LINE, _DOT = b"\r\n", b"."
_END = _LINE + _DOT + _LINE


@dataclass(slots=True)
class Room:
    """What all mails take together."""

    taken: int = 0


class Incoming:
    """A mail that comes in by blocks, whatever lines they have; where it is refused, none of it is kept."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._told = 0
        self._size = 0
        #: The line of the command stands above the first one, which may be the last.
        self._kept = bytearray(_LINE)
        #: Why it is not taken, as it is answered.
        self.refusal = ""

    @property
    def is_endless(self) -> bool:
        """Whether nobody would wait for its end any more."""
        return self._size > _TIMES * LARGEST

    def feed(self, block: bytes) -> bytes | None:
        """Take what has come; what follows the end, if that is in it."""
        begin = max(0, len(self._kept) - len(_END) + 1)
        self._size += len(block)
        self._kept += block
        end = self._kept.find(_END, begin)
        rest = None if end < 0 else bytes(self._kept[end + len(_END) :])
        if rest is not None:
            self._size -= len(self._kept) - end - len(_LINE)
            del self._kept[end + len(_LINE) :]
        self._settle()
        return rest

    def content(self) -> bytes:
        """The mail, as it was before its dots were doubled; it is given away, but counts until `forget`."""
        content = b"".join(self._pieces())
        self._kept = bytearray()
        return content[len(_LINE) :]

    def forget(self) -> None:
        """Give back what it took."""
        self._kept.clear()
        self._count()

    def _pieces(self) -> Iterator[bytearray]:
        """The mail without such dots, cut where lines end: one replacement of all would hold up other threads."""
        start = 0
        while start < len(self._kept):
            end = self._kept.find(_LINE, start + _PIECE)
            end = len(self._kept) if end < 0 else end
            yield self._kept[start:end].replace(_LINE + _DOT, _LINE)
            start = end

    def _settle(self) -> None:
        self._count()
        if self._size > LARGEST:
            self.refusal = f"552 5.3.4 a mail may have {LARGEST} bytes"
        elif self._room.taken > MOST_TOGETHER:
            self.refusal = "452 4.3.1 too many mails are coming in"
        if self.refusal:
            del self._kept[: -len(_END)]
            self._count()

    def _count(self) -> None:
        self._room.taken += len(self._kept) - self._told
        self._told = len(self._kept)

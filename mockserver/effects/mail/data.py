"""The data of a mail that is being received by SMTP, and the limits of what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

#: The largest mail that is taken, in bytes; chosen above what tests send.
LARGEST = 10 * 1024 * 1024
#: How many bytes all mails may take together that are received or wait to be read; chosen for six of the largest.
MOST_TOGETHER = 64 * 1024 * 1024
#: After how many times the size of the largest mail a mail without an end is given up; chosen far above what honest
#: clients send.
_TIMES = 20
#: How many bytes are replaced at once: for more of them, the GIL would be held so long that other threads notice.
_PIECE = 256 * 1024
#: The end of a line, the dot that is put before one at the beginning of a line, and the end of a mail: a line with a
#: dot alone (RFC 5321, 4.5.2 and 4.1.1.4).
_LINE, _DOT = b"\r\n", b"."
_END = _LINE + _DOT + _LINE


@dataclass(slots=True)
class TotalSize:
    """How many bytes all mails take together that are being received or wait to be read."""

    taken: int = 0


class Incoming:
    """A mail that is received in blocks of any size; once it is refused, nothing of it is kept."""

    def __init__(self, total: TotalSize) -> None:
        self._total = total
        #: How many bytes of this mail are counted in the total.
        self._counted = 0
        self._size = 0
        #: It begins with the end of the line of the DATA command, as the first line may be the last.
        self._kept = bytearray(_LINE)
        #: The reply that refuses the mail; empty if it is not refused.
        self.refusal = ""

    @property
    def is_endless(self) -> bool:
        """Whether so much has come without an end that the connection is given up."""
        return self._size > _TIMES * LARGEST

    def feed(self, block: bytes) -> bytes | None:
        """Take a block; the bytes that follow the end of the mail, or None if the end has not come yet."""
        begin = max(0, len(self._kept) - len(_END) + 1)
        self._size += len(block)
        self._kept += block
        end = self._kept.find(_END, begin)
        rest = None if end < 0 else bytes(self._kept[end + len(_END) :])
        if rest is not None:
            self._size -= len(self._kept) - end - len(_LINE)
            del self._kept[end + len(_LINE) :]
        self._apply_limits()
        return rest

    def content(self) -> bytes:
        """The mail, without the doubling of its dots; it can be asked for once, and counts until `forget`."""
        content = b"".join(self._pieces())
        self._kept = bytearray()
        return content[len(_LINE) :]

    def forget(self) -> None:
        """Let go of the mail, and count it no more."""
        self._kept.clear()
        self._count()

    def _pieces(self) -> Iterator[bytearray]:
        """The mail without doubled dots, in pieces that end where lines end."""
        start = 0
        while start < len(self._kept):
            end = self._kept.find(_LINE, start + _PIECE)
            end = len(self._kept) if end < 0 else end
            yield self._kept[start:end].replace(_LINE + _DOT, _LINE)
            start = end

    def _apply_limits(self) -> None:
        self._count()
        if self._size > LARGEST:
            self.refusal = f"552 5.3.4 the mail is larger than {LARGEST} bytes"
        elif self._total.taken > MOST_TOGETHER:
            self.refusal = "452 4.3.1 too many mails are coming in"
        if self.refusal:
            del self._kept[: -len(_END)]
            self._count()

    def _count(self) -> None:
        self._total.taken += len(self._kept) - self._counted
        self._counted = len(self._kept)

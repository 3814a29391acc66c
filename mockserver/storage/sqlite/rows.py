"""The contents of rows, with checksums that find what was not written so."""

from __future__ import annotations

from zlib import crc32


class RowError(Exception):
    """What is kept at a place is not what was written there; the message names the place."""


def checksum(content: bytes, place: str) -> int:
    """The checksum of what is kept at a place, as `NAME/journal/17`: what has strayed to another one is found too."""
    return crc32(content, crc32(place.encode()))


def check(content: object, expected: object, place: str) -> bytes:
    """A content that was read, if it is what was written.

    Raises:
        RowError: it is not.
    """
    if not isinstance(content, bytes) or checksum(content, place) != expected:
        raise RowError(f"{place} is not what was written")
    return content

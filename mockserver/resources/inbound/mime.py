"""The parts of a mail, found in linear time whatever its bytes are: no byte is read twice or copied to be split.

Python's `email` package looks for the end of every open part at each line, and decodes by any codec that a mail names.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from email.quoprimime import header_decode
from itertools import islice
from typing import Any

#: How deep parts may be nested, and how many are looked at; chosen: far above honest mails, and few enough that a
#: hostile one keeps no thread busy.
DEEPEST, MOST_PARTS = 20, 1_000
#: How many headers of a part are looked at, how many bytes of them, and how many characters of one with parameters;
#: chosen: far above honest mails.
_MOST_HEADERS, _MOST_HEAD, _LONGEST = 1_000, 256 * 1024, 2_000
#: The headers that say what a part is.
_STRUCTURED = frozenset({"content-type", "content-disposition", "content-transfer-encoding"})
#: The names of the transfer encoding uuencode, and how many lines of it are decoded; chosen: a file of 11 MB has so
#: many, of 45 bytes each, and a hostile mail can have far more that are short.
_UUENCODED, _MOST_LINES = frozenset({"uuencode", "x-uuencode", "uue", "x-uue"}), 250_000
#: The charsets in use for mails. Python has other codecs, such as those that decompress, which no mail may ask for.
_CHARSETS = frozenset(
    [
        "ascii",
        "us-ascii",
        "utf-8",
        "utf8",
        "utf-16",
        "utf-16le",
        "utf-16be",
        "utf-32",
        "utf-7",
        "latin1",
        "latin-1",
        "macintosh",
        "cp437",
        "cp850",
        "koi8-r",
        "koi8-u",
        "big5",
        "gb2312",
        "gb18030",
        "gbk",
        "hz-gb-2312",
        "euc-jp",
        "iso-2022-jp",
        "shift_jis",
        "shift-jis",
        "euc-kr",
        "iso-2022-kr",
        "ks_c_5601-1987",
        "tis-620",
        "windows-874",
    ]
).union(
    (f"iso-8859-{number}" for number in range(1, 17)),
    (f"{name}{number}" for name in ("windows-", "cp") for number in range(1250, 1259)),
)
#: An encoded word of RFC 2047.
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\s]*+)\?=")


@dataclass(slots=True)
class Part:
    """A mail, or a part of one: its headers, and where its content is in the bytes of the whole mail."""

    headers: list[tuple[str, Any]]
    #: The whole mail.
    raw: bytes
    start: int
    end: int
    #: The headers that say what the part is, for the library to read their parameters.
    message: Message[Any, Any]

    def parameter(self, name: str, header: str = "content-type") -> str:
        """The decoded value of a parameter of a header (RFC 2231), or an empty text if it is missing."""
        found: Any = self.message.get_param(name, "", header)
        if isinstance(found, tuple):
            charset, _, text = found
            return decoded(text.encode("latin-1", "replace"), charset)
        return str(found)

    def content(self) -> bytes:
        """The content of the part, decoded from its transfer encoding."""
        raw = self.raw[self.start : self.end]
        encoding = str(self.message.get("content-transfer-encoding", "")).lower()
        if encoding == "base64":
            raw = raw.replace(b"\r", b"").replace(b"\n", b"")  # else the library splits it into lines and joins them
        elif encoding in _UUENCODED and raw.count(b"\n") > _MOST_LINES:
            return raw
        self.message.set_payload(raw.decode("ascii", "surrogateescape"))
        found = self.message.get_payload(decode=True)
        self.message.set_payload("")
        return found if isinstance(found, bytes) else b""


def read(raw: bytes) -> Part:
    """The mail that these bytes are: its headers, up to the first line that is none, and its content."""
    return _part(raw, 0, len(raw))


def leaves(part: Part, depth: int = 0) -> Iterator[Part]:
    """The parts with content of their own, `MOST_PARTS` at most.

    A mail attached to the mail is one part, and so are all parts that are nested deeper than `DEEPEST`.
    """
    return islice(_leaves(part, depth), MOST_PARTS)


def _leaves(part: Part, depth: int) -> Iterator[Part]:
    boundary = part.parameter("boundary").rstrip()
    is_split = False
    if part.message.get_content_maintype() == "multipart" and boundary and depth < DEEPEST:
        for start, end in _pieces(part, b"--" + boundary.encode("utf-8", "surrogateescape")):
            is_split = True
            yield from _leaves(_part(part.raw, start, end), depth + 1)
    if not is_split:
        yield part


def _pieces(part: Part, delimiter: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of the pieces between delimiters, each of which is on a line of its own (RFC 2046, 5.1.1)."""
    begun, offset = None, part.start
    while (found := part.raw.find(delimiter, offset, part.end)) >= 0:
        offset = found + len(delimiter)
        line_end = part.raw.find(b"\n", offset, min(part.end, offset + _LONGEST))
        rest = part.raw[offset : line_end if line_end >= 0 else min(part.end, offset + _LONGEST)].strip()
        if (found > part.start and part.raw[found - 1 : found] != b"\n") or rest not in (b"", b"--"):
            continue
        if begun is not None:
            yield begun, _without_newline(part.raw, begun, found)
        if rest:
            return
        begun = offset = part.end if line_end < 0 else line_end + 1
    if begun is not None:
        yield begun, part.end


def _without_newline(raw: bytes, start: int, end: int) -> int:
    """The end of a piece without its last newline, which belongs to the delimiter (RFC 2046, 5.1.1)."""
    for newline in (b"\r\n", b"\n"):
        if end - len(newline) >= start and raw[end - len(newline) : end] == newline:
            return end - len(newline)
    return end


def _part(raw: bytes, start: int, end: int) -> Part:
    head_end, content = _head(raw, start, end)
    parsed = BytesHeaderParser(policy=compat32).parsebytes(raw[start : min(head_end, start + _MOST_HEAD)])
    headers = list(islice(parsed.raw_items(), _MOST_HEADERS))
    beyond: Any = parsed.get_payload()
    if beyond:  # a line that is no header ends the headers, and begins the content
        content = max(start, head_end - len(beyond.encode("ascii", "surrogateescape")))
    message: Message[Any, Any] = Message(policy=compat32)
    for name, value in headers:
        if name.lower() in _STRUCTURED and name not in message:
            message[name] = str(value)[:_LONGEST].replace("\r", "").replace("\n", "")
    return Part(headers, raw, content, end, message)


def _head(raw: bytes, start: int, end: int) -> tuple[int, int]:
    """Where the headers end, and where the content begins after a blank line."""
    for newline in (b"\r\n", b"\n"):
        if raw.startswith(newline, start, end):
            return start, start + len(newline)
    found = [(raw.find(blank, start, end), len(blank)) for blank in (b"\n\r\n", b"\n\n")]
    offset, length = min(((offset, length) for offset, length in found if offset >= 0), default=(end, 0))
    return (offset + 1, offset + length) if length else (end, end)


# ---------------------------------------------------------------------- texts


def decoded(content: bytes, charset: str | None) -> str:
    """The text of some bytes: in their charset if it is one of mails, else in UTF-8; if they are not in it, Latin-1."""
    named = (charset or "").lower()
    for name in (named if named in _CHARSETS else "utf-8", "utf-8"):
        try:
            return whole(content.decode(name))
        except (LookupError, ValueError):
            continue
    return content.decode("latin-1")


def whole(text: str) -> str:
    """A text with lone surrogates replaced, which UTF-8, and so JSON, cannot hold."""
    return text.encode("utf-8", "replace").decode()


def words(text: str) -> str:
    """A header with its encoded words decoded (RFC 2047), and all other text unchanged."""
    if "=?" not in text or not text.isascii():
        return text
    found: list[tuple[bytes | str, str]] = []
    offset = 0
    for word in _WORD.finditer(text):
        content = _unwrapped(word[2], word[3])
        if content is None:
            continue
        between = text[offset : word.start()]
        if between and (between.strip() or not found):
            found.append((between, ""))
        found.append((content, word[1].partition("*")[0].lower()))
        offset = word.end()
    return "".join(_joined([*found, (text[offset:], "")]))


def _unwrapped(kind: str, text: str) -> bytes | None:
    """The bytes of an encoded word, or None if it is not well-formed."""
    try:
        return b64decode(text + "=" * (-len(text) % 4)) if kind in "bB" else header_decode(text).encode("latin-1")
    except (binascii.Error, ValueError):
        return None


def _joined(pieces: list[tuple[bytes | str, str]]) -> Iterator[str]:
    """The texts of encoded words; adjacent ones of one charset are decoded together, as they may share a character."""
    run: list[bytes] = []
    last = ""
    for content, charset in pieces:
        if run and (isinstance(content, str) or charset != last):
            yield decoded(b"".join(run), last)
            run.clear()
        if isinstance(content, str):
            yield content
        else:
            run.append(content)
            last = charset

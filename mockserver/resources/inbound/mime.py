"""The parts of a mail, found in linear time whatever its bytes are: none is read twice, and none is copied to be split.

The library's own reader looks for the end of every part around each line, and decodes by whatever codec a mail names.
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

#: How deep parts may lie in each other, and how many are looked at: what lies beyond keeps the reader busy, no more.
DEEPEST, MOST_PARTS = 20, 1_000
#: How many headers of a part are looked at, how many bytes of them, and how many characters of one that has parameters.
_MOST_HEADERS, _MOST_HEAD, _LONGEST = 1_000, 256 * 1024, 2_000
#: The headers that say what a part is.
_STRUCTURED = frozenset({"content-type", "content-disposition", "content-transfer-encoding"})
#: How content is called that is uuencoded, and how many lines of it are read; those of a file are long.
_UUENCODED, _MOST_LINES = frozenset({"uuencode", "x-uuencode", "uue", "x-uue"}), 250_000
#: The charsets that mails are written in; no other codec is used by the name that a mail gives it.
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
#: A word of RFC 2047.
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\s]*+)\?=")


@dataclass(slots=True)
class Part:
    """A mail, or a part of one: its headers, and where its content lies in the bytes."""

    headers: list[tuple[str, Any]]
    raw: bytes
    start: int
    end: int
    #: What the part is, for the library's reader of parameters.
    message: Message[Any, Any]

    def parameter(self, name: str, header: str = "content-type") -> str:
        """The value of a header's parameter, RFC 2231; empty if there is none."""
        found: Any = self.message.get_param(name, "", header)
        if isinstance(found, tuple):
            charset, _, text = found
            return decoded(text.encode("latin-1", "replace"), charset)
        return str(found)

    def content(self) -> bytes:
        """What it holds, without its transfer encoding."""
        raw = self.raw[self.start : self.end]
        encoding = str(self.message.get("content-transfer-encoding", "")).lower()
        if encoding == "base64":
            raw = raw.replace(b"\r", b"").replace(b"\n", b"")  # the library would split and join its lines
        elif encoding in _UUENCODED and raw.count(b"\n") > _MOST_LINES:
            return raw
        self.message.set_payload(raw.decode("ascii", "surrogateescape"))
        found = self.message.get_payload(decode=True)
        self.message.set_payload("")
        return found if isinstance(found, bytes) else b""


def read(raw: bytes) -> Part:
    """A mail with its headers; bytes that are none are its content."""
    return _part(raw, 0, len(raw))


def leaves(part: Part, depth: int = 0) -> Iterator[Part]:
    """The parts that hold something, at most so many; a mail within the mail is one, and so is what lies too deep."""
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
    """Where the pieces between the delimiters lie, each on a line of its own (RFC 2046, 5.1.1)."""
    begun, place = None, part.start
    while (found := part.raw.find(delimiter, place, part.end)) >= 0:
        place = found + len(delimiter)
        line_end = part.raw.find(b"\n", place, min(part.end, place + _LONGEST))
        rest = part.raw[place : line_end if line_end >= 0 else min(part.end, place + _LONGEST)].strip()
        if (found > part.start and part.raw[found - 1 : found] != b"\n") or rest not in (b"", b"--"):
            continue
        if begun is not None:
            yield begun, _without_newline(part.raw, begun, found)
        if rest:
            return
        begun = place = part.end if line_end < 0 else line_end + 1
    if begun is not None:
        yield begun, part.end


def _without_newline(raw: bytes, start: int, end: int) -> int:
    """The end of a piece: the newline before a delimiter belongs to that."""
    for newline in (b"\r\n", b"\n"):
        if end - len(newline) >= start and raw[end - len(newline) : end] == newline:
            return end - len(newline)
    return end


def _part(raw: bytes, start: int, end: int) -> Part:
    head_end, content = _head(raw, start, end)
    parsed = BytesHeaderParser(policy=compat32).parsebytes(raw[start : min(head_end, start + _MOST_HEAD)])
    headers = list(islice(parsed.raw_items(), _MOST_HEADERS))
    beyond: Any = parsed.get_payload()
    if beyond:  # a line that is no header ends them
        content = max(start, head_end - len(beyond.encode("ascii", "surrogateescape")))
    message: Message[Any, Any] = Message(policy=compat32)
    for name, value in headers:
        if name.lower() in _STRUCTURED and name not in message:
            message[name] = str(value)[:_LONGEST].replace("\r", "").replace("\n", "")
    return Part(headers, raw, content, end, message)


def _head(raw: bytes, start: int, end: int) -> tuple[int, int]:
    """Where the headers end, and where the content begins."""
    for newline in (b"\r\n", b"\n"):
        if raw.startswith(newline, start, end):
            return start, start + len(newline)
    found = [(raw.find(blank, start, end), len(blank)) for blank in (b"\n\r\n", b"\n\n")]
    place, length = min(((place, length) for place, length in found if place >= 0), default=(end, 0))
    return (place + 1, place + length) if length else (end, end)


# ---------------------------------------------------------------------- texts


def decoded(content: bytes, charset: str | None) -> str:
    """Bytes in the charset that they name; where that is nonsense, in UTF-8; where they are not, in Latin-1."""
    named = (charset or "").lower()
    for name in (named if named in _CHARSETS else "utf-8", "utf-8"):
        try:
            return whole(content.decode(name))
        except (LookupError, ValueError):
            continue
    return content.decode("latin-1")


def whole(text: str) -> str:
    """A text without halves of characters, which no JSON can hold."""
    return text.encode("utf-8", "replace").decode()


def words(text: str) -> str:
    """A header with the words that RFC 2047 wraps into ASCII; as it stands, where they are none."""
    if "=?" not in text or not text.isascii():
        return text
    found: list[tuple[bytes | str, str]] = []
    place = 0
    for word in _WORD.finditer(text):
        content = _unwrapped(word[2], word[3])
        if content is None:
            continue
        between = text[place : word.start()]
        if between and (between.strip() or not found):
            found.append((between, ""))
        found.append((content, word[1].partition("*")[0].lower()))
        place = word.end()
    return "".join(_joined([*found, (text[place:], "")]))


def _unwrapped(kind: str, text: str) -> bytes | None:
    """The bytes of a word; None, if it is none."""
    try:
        return b64decode(text + "=" * (-len(text) % 4)) if kind in "bB" else header_decode(text).encode("latin-1")
    except (binascii.Error, ValueError):
        return None


def _joined(pieces: list[tuple[bytes | str, str]]) -> Iterator[str]:
    """The texts of words: those of one charset that follow each other are one, as a character may be cut in two."""
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

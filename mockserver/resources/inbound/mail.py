"""Received e-mails as inbound webhooks show them, read in linear time whatever the bytes (contract/events#inbound).

No byte is read twice or copied for splitting. Python's `email` package searches each line for the end of every open
part, and decodes by any codec that a mail names.
"""

from __future__ import annotations

import binascii
import math
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from email.errors import MessageError
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from email.quoprimime import header_decode
from email.utils import format_datetime, getaddresses, parsedate_to_datetime
from itertools import islice
from typing import Any

from mockserver.core.text import email_text
from mockserver.core.text.addresses import domain_of
from mockserver.core.traffic.mail import MEDIA_TYPE, InboundFile
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.inbound import reply

#: Maximum characters of a header with addresses, and of a header with a date or a number; chosen: far above honest
#: mails, and fast for parsers that take more than linear time.
_LONGEST_ADDRESSES, _LONGEST_DATE = 20_000, 200
#: Errors of Python's `email` package for bytes that are not a mail.
_PARSER_ERRORS = (AttributeError, LookupError, MessageError, OverflowError, RecursionError, TypeError, ValueError)
#: Maximum depth and number of parts; chosen: far above honest mails, and fast for hostile mails.
_DEEPEST, _MOST_PARTS = 20, 1_000
#: Maximum headers per part, their bytes, and characters of a header with parameters; chosen: far above honest mails.
_MOST_HEADERS, _MOST_HEAD, _LONGEST = 1_000, 256 * 1024, 2_000
#: The headers that describe a part.
_STRUCTURED = frozenset({"content-type", "content-disposition", "content-transfer-encoding"})
#: Names of the transfer encoding uuencode, and the maximum number of decoded lines; chosen: a file of 11 MB, as a
#: hostile mail can have many short lines.
_UUENCODED, _MOST_LINES = frozenset({"uuencode", "x-uuencode", "uue", "x-uue"}), 250_000
#: The charsets of mails. Python has other codecs, for example for decompression, that no mail may use.
_CHARSETS = frozenset(
    {
        "ascii", "us-ascii", "utf-8", "utf8", "utf-16", "utf-16le", "utf-16be", "utf-32", "utf-7", "latin1", "latin-1",
        "macintosh", "cp437", "cp850", "koi8-r", "koi8-u", "big5", "gb2312", "gb18030", "gbk", "hz-gb-2312", "euc-jp",
        "iso-2022-jp", "shift_jis", "shift-jis", "euc-kr", "iso-2022-kr", "ks_c_5601-1987", "tis-620", "windows-874",
        *(f"iso-8859-{number}" for number in range(1, 17)),
        *(f"{name}{number}" for name in ("windows-", "cp") for number in range(1250, 1259)),
    }
)  # fmt: skip
#: An encoded word of RFC 2047.
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\s]*+)\?=")


@dataclass(slots=True)
class Part:
    """A mail or a part of a mail: headers, and position of the content in the bytes of the mail."""

    headers: list[tuple[str, Any]]
    #: The bytes of the mail.
    raw: bytes
    start: int
    end: int
    #: The headers that describe the part, for parsing parameters.
    message: Message[Any, Any]

    def parameter(self, name: str, header: str = "content-type") -> str:
        """Return a decoded parameter of a header (RFC 2231), by default an empty text."""
        found: Any = self.message.get_param(name, "", header)
        if isinstance(found, tuple):
            charset, _, text = found
            return _decoded(text.encode("latin-1", "replace"), charset)
        return str(found)

    def content(self) -> bytes:
        raw = self.raw[self.start : self.end]
        encoding = str(self.message.get("content-transfer-encoding", "")).lower()
        if encoding == "base64":
            raw = raw.replace(b"\r", b"").replace(b"\n", b"")  # the library would split and join lines
        elif encoding in _UUENCODED and raw.count(b"\n") > _MOST_LINES:
            return raw
        self.message.set_payload(raw.decode("ascii", "surrogateescape"))
        found = self.message.get_payload(decode=True)
        self.message.set_payload("")
        return found if isinstance(found, bytes) else b""


@dataclass(slots=True)
class ReceivedMail:
    """An e-mail for the payload of an inbound webhook: members, descriptions of the attachments, and these."""

    members: dict[str, Any]
    attachments: list[dict[str, Any]] = field(default_factory=list)
    files: list[InboundFile] = field(default_factory=list)


def parse(raw: bytes) -> ReceivedMail:
    try:
        return _read(_part(raw, 0, len(raw)))
    except _PARSER_ERRORS:
        return _read(_part(b"\n" + raw, 0, len(raw) + 1))


def compose(workspace: Workspace, sender: str, recipient: str, subject: str, text: str) -> ReceivedMail:
    """Return a plain-text e-mail, sent now, with a message id of the sender's domain."""
    number = workspace.state.random.uuid("inbound message")
    message = email_text.compose(
        sender=sender,
        to=recipient,
        subject=subject,
        at=workspace.state.clock.now(),
        message_id=f"<{number}@{domain_of(sender) or 'localhost'}>",
        text=text,
    )
    return parse(message.as_bytes())


def item(workspace: Workspace, received: ReceivedMail, uuid: str) -> dict[str, Any]:
    """Return an element of `items` in the payload of an inbound webhook; draw a download token per attachment.

    The default date is the present moment.
    """
    members = received.members
    return {
        "Uuid": [uuid],
        **members,
        "SentAtDate": members["SentAtDate"] or format_datetime(workspace.state.clock.now()),
        "Attachments": [
            {**attachment, "DownloadToken": workspace.state.random.secret("attachment", 40)}
            for attachment in received.attachments
        ],
    }


def _read(message: Part) -> ReceivedMail:
    fields = [(_unescaped(name), _unfolded(value)) for name, value in message.headers]
    headers = _headers(fields)
    parts = list(islice(_leaves(message), _MOST_PARTS))
    text = next((part for part in parts if _is_body(part, "text/plain")), None)
    html = next((part for part in parts if _is_body(part, "text/html")), None)
    raw_text = "" if text is None else _content(text)
    raw_html = "" if html is None else _content(html)
    written, signature = reply.extract(raw_text) if raw_text else reply.extract_html(raw_html)
    members = {
        **_head(fields, headers),
        "RawHtmlBody": raw_html,
        "RawTextBody": raw_text,
        "ExtractedMarkdownMessage": written,
        "ExtractedMarkdownSignature": signature,
        "SpamScore": _number(_first(headers, "X-Spam-Score")),
        "Attachments": [],
        "Headers": {name: values if len(values) > 1 else values[0] for name, values in headers.items()},
    }
    files = [_file(part) for part in parts if part is not text and part is not html]
    return ReceivedMail(members, [attachment for attachment, _ in files], [file for _, file in files])


def _head(fields: Sequence[tuple[str, str]], headers: dict[str, list[str]]) -> dict[str, Any]:
    """Return the payload's members from headers: ids, addresses, date and subject."""
    senders, answered = _people(fields, "From"), _people(fields, "Reply-To")
    return {
        "MessageId": _first(headers, "Message-ID") or "",
        "InReplyTo": _first(headers, "In-Reply-To") or None,
        "From": next(iter(senders), {"Name": None, "Address": ""}),
        "To": _people(fields, "To"),
        "Cc": _people(fields, "Cc"),
        "ReplyTo": next(iter(answered), None),
        "SentAtDate": _date(_first(headers, "Date")),
        "Subject": _first(headers, "Subject") or "",
    }


# ---------------------------------------------------------------------- headers


def _headers(fields: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the decoded values of each header by the first spelling of its case-insensitive name."""
    spelled: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for name, value in fields:
        found.setdefault(spelled.setdefault(name.lower(), name), []).append(_words(value))
    return found


def _first(headers: dict[str, list[str]], name: str) -> str | None:
    return next((values[0].strip() for given, values in headers.items() if given.lower() == name.lower()), None)


def _people(fields: Iterable[tuple[str, str]], name: str) -> list[dict[str, Any]]:
    """Return the people in all headers of a name; decode names last, as a decoded comma must not separate people."""
    values = [value[:_LONGEST_ADDRESSES] for given, value in fields if given.lower() == name.lower()]
    found = getaddresses(values)
    return [{"Name": _words(person) or None, "Address": address} for person, address in found if address]


def _date(text: str | None) -> str | None:
    """Return the text if it is a date (RFC 2822), or None."""
    try:
        return text if text and len(text) <= _LONGEST_DATE and parsedate_to_datetime(text) else None
    except _PARSER_ERRORS:
        return None


def _number(text: str | None) -> float:
    try:
        found = float((text or "0")[:_LONGEST_DATE])
    except ValueError:
        return 0.0
    return found if math.isfinite(found) else 0.0


def _unfolded(value: Any) -> str:
    return " ".join(line.strip("\r\n") if number == 0 else line.strip() for number, line in enumerate(_lines(value)))


def _lines(value: Any) -> list[str]:
    return _unescaped(str(value)).replace("\r\n", "\n").replace("\r", "\n").split("\n")


# ---------------------------------------------------------------------- parts


def _is_body(part: Part, content_type: str) -> bool:
    if part.message.get_content_type() != content_type or part.message.get_content_disposition() == "attachment":
        return False
    return not _name(part)


def _name(part: Part) -> str:
    name = part.parameter("filename", "content-disposition") or part.parameter("name")
    return _words(_unfolded(name)).strip()


def _content(part: Part) -> str:
    return _decoded(part.content(), part.parameter("charset"))


def _file(part: Part) -> tuple[dict[str, Any], InboundFile]:
    """Return the description of an attachment in the payload, and the attachment."""
    identifier = next((value for name, value in part.headers if name.lower() == "content-id"), None)
    name, content, media = _name(part), part.content(), _unescaped(part.message.get_content_type())
    content_id = _unfolded(identifier).strip().strip("<>") if identifier else None
    charset = part.parameter("charset")
    whole = f"{media}; charset={charset}" if charset else media
    kept = next((found for found in (whole, media) if MEDIA_TYPE.fullmatch(found)), "application/octet-stream")
    described = {"Name": name, "ContentType": media, "ContentLength": len(content), "ContentID": content_id}
    return described, InboundFile(name, kept, content_id, len(content), content)


def _unescaped(text: str) -> str:
    """Decode the non-ASCII bytes of a header, which the parser keeps as lone surrogates."""
    try:
        return _decoded(text.encode("ascii", "surrogateescape"), None)
    except UnicodeError:
        return _whole(text)


# ---------------------------------------------------------------------- splitting


def _leaves(part: Part, depth: int = 0) -> Iterator[Part]:
    boundary = part.parameter("boundary").rstrip()
    is_split = False
    if part.message.get_content_maintype() == "multipart" and boundary and depth < _DEEPEST:
        for start, end in _pieces(part, b"--" + boundary.encode("utf-8", "surrogateescape")):
            is_split = True
            yield from _leaves(_part(part.raw, start, end), depth + 1)
    if not is_split:
        yield part


def _pieces(part: Part, delimiter: bytes) -> Iterator[tuple[int, int]]:
    """Yield start and end of the pieces between delimiter lines (RFC 2046, 5.1.1)."""
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
    """Return the end of a piece without the last newline, which belongs to the delimiter (RFC 2046, 5.1.1)."""
    for newline in (b"\r\n", b"\n"):
        if end - len(newline) >= start and raw[end - len(newline) : end] == newline:
            return end - len(newline)
    return end


def _part(raw: bytes, start: int, end: int) -> Part:
    head_end, content = _content_start(raw, start, end)
    parsed = BytesHeaderParser(policy=compat32).parsebytes(raw[start : min(head_end, start + _MOST_HEAD)])
    headers = list(islice(parsed.raw_items(), _MOST_HEADERS))
    beyond: Any = parsed.get_payload()
    if beyond:  # the first line that is not a header begins the content
        content = max(start, head_end - len(beyond.encode("ascii", "surrogateescape")))
    message: Message[Any, Any] = Message(policy=compat32)
    for name, value in headers:
        if name.lower() in _STRUCTURED and name not in message:
            message[name] = str(value)[:_LONGEST].replace("\r", "").replace("\n", "")
    return Part(headers, raw, content, end, message)


def _content_start(raw: bytes, start: int, end: int) -> tuple[int, int]:
    """Return the end of the headers, and the start of the content after a blank line."""
    for newline in (b"\r\n", b"\n"):
        if raw.startswith(newline, start, end):
            return start, start + len(newline)
    found = [(raw.find(blank, start, end), len(blank)) for blank in (b"\n\r\n", b"\n\n")]
    offset, length = min(((offset, length) for offset, length in found if offset >= 0), default=(end, 0))
    return (offset + 1, offset + length) if length else (end, end)


# ---------------------------------------------------------------------- texts


def _decoded(content: bytes, charset: str | None) -> str:
    """Decode bytes by a charset of mails, by default UTF-8; decode malformed bytes as UTF-8 or Latin-1."""
    named = (charset or "").lower()
    for name in (named if named in _CHARSETS else "utf-8", "utf-8"):
        try:
            return _whole(content.decode(name))
        except (LookupError, ValueError):
            continue
    return content.decode("latin-1")


def _whole(text: str) -> str:
    """Replace lone surrogates, which UTF-8 and JSON cannot encode."""
    return text.encode("utf-8", "replace").decode()


def _words(text: str) -> str:
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
    """Return the bytes of an encoded word, or None if malformed."""
    try:
        return b64decode(text + "=" * (-len(text) % 4)) if kind in "bB" else header_decode(text).encode("latin-1")
    except (binascii.Error, ValueError):
        return None


def _joined(pieces: list[tuple[bytes | str, str]]) -> Iterator[str]:
    """Yield decoded texts; adjacent encoded words of the same charset may share a character."""
    run: list[bytes] = []
    last = ""
    for content, charset in pieces:
        if run and (isinstance(content, str) or charset != last):
            yield _decoded(b"".join(run), last)
            run.clear()
        if isinstance(content, str):
            yield content
        else:
            run.append(content)
            last = charset

"""A received mail as the call of an inbound webhook shows it (ledger 3.6), whatever its bytes are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import format_datetime, getaddresses, parsedate_to_datetime
from itertools import islice
from typing import Any

from mockserver.core import letter
from mockserver.core.domain_name import domain_of
from mockserver.core.workspace import Workspace
from mockserver.resources.inbound import reply

#: How many headers and how many parts of a mail are looked at, and up to which length, in characters, a header is
#: decoded or searched for addresses: what lies beyond is nothing but an attempt to keep the reader busy.
_MOST_HEADERS, _MOST_PARTS, _LONGEST = 1_000, 1_000, 20_000
#: What Python's reader of mails raises over some that are none.
_STUMBLES = (AttributeError, LookupError, MessageError, OverflowError, RecursionError, TypeError, ValueError)


@dataclass(slots=True)
class Received:
    """What stands in a mail: the members of the payload that it gives, and what each attachment is."""

    members: dict[str, Any]
    attachments: list[dict[str, Any]] = field(default_factory=list)


def parse(raw: bytes) -> Received:
    """What stands in these bytes; where they are no mail, they are its text."""
    try:
        return _read(message_from_bytes(raw, policy=policy.compat32))
    except _STUMBLES:
        message: Message[Any, Any] = Message()
        message.set_payload(raw.decode("ascii", "surrogateescape"))
        return _read(message)


def compose(workspace: Workspace, sender: str, recipient: str, subject: str, text: str) -> Received:
    """A mail of text, as a mail program would send it."""
    number = workspace.random.uuid("inbound message")
    message = letter.compose(
        sender=sender,
        to=recipient,
        subject=subject,
        at=workspace.clock.now(),
        message_id=f"<{number}@{domain_of(sender) or 'localhost'}>",
        text=text,
    )
    return parse(message.as_bytes())


def item(workspace: Workspace, received: Received, uuid: str) -> dict[str, Any]:
    """One element of the payload's `items`."""
    members = received.members
    return {
        "Uuid": [uuid],
        **members,
        "SentAtDate": members["SentAtDate"] or format_datetime(workspace.clock.now()),
        "Attachments": [
            {**attachment, "DownloadToken": workspace.random.secret("attachment", 40)}
            for attachment in received.attachments
        ],
    }


def _read(message: Message[Any, Any]) -> Received:
    fields = [(_unescaped(name), _unfolded(value)) for name, value in islice(message.raw_items(), _MOST_HEADERS)]
    headers = _headers(fields)
    parts = list(islice(_leaves(message), _MOST_PARTS))
    text = next((part for part in parts if _is_body(part, "text/plain")), None)
    html = next((part for part in parts if _is_body(part, "text/html")), None)
    raw_text = "" if text is None else _content(text)
    raw_html = "" if html is None else _content(html)
    written, signature = reply.extract(raw_text) if raw_text else reply.extract_html(raw_html)
    people = {name: _people(fields, name) for name in ("From", "To", "Cc", "Reply-To")}
    return Received(
        {
            "MessageId": _first(headers, "Message-ID") or "",
            "InReplyTo": _first(headers, "In-Reply-To") or None,
            "From": next(iter(people["From"]), {"Name": None, "Address": ""}),
            "To": people["To"],
            "Cc": people["Cc"],
            "ReplyTo": next(iter(people["Reply-To"]), None),
            "SentAtDate": _date(_first(headers, "Date")),
            "Subject": _first(headers, "Subject") or "",
            "RawHtmlBody": raw_html,
            "RawTextBody": raw_text,
            "ExtractedMarkdownMessage": written,
            "ExtractedMarkdownSignature": signature,
            "SpamScore": _number(_first(headers, "X-Spam-Score")),
            "Attachments": [],
            "Headers": {name: values if len(values) > 1 else values[0] for name, values in headers.items()},
        },
        [_attachment(part) for part in parts if part is not text and part is not html],
    )


# ---------------------------------------------------------------------- headers


def _headers(fields: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Name to values; names that differ in case only are one, written as it first was."""
    spelled: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for name, value in fields:
        found.setdefault(spelled.setdefault(name.lower(), name), []).append(_decoded(value))
    return found


def _first(headers: dict[str, list[str]], name: str) -> str | None:
    return next((values[0].strip() for given, values in headers.items() if given.lower() == name.lower()), None)


def _people(fields: Iterable[tuple[str, str]], name: str) -> list[dict[str, Any]]:
    """Names are decoded after addresses have been found: a comma in one separates nothing."""
    values = [value[:_LONGEST] for given, value in fields if given.lower() == name.lower()]
    found = getaddresses(values)
    return [{"Name": _decoded(person) or None, "Address": address} for person, address in found if address]


def _date(text: str | None) -> str | None:
    """A date of RFC 2822, or None."""
    try:
        return text if text and parsedate_to_datetime(text) else None
    except _STUMBLES:
        return None


def _number(text: str | None) -> float:
    try:
        found = float(text or 0)
    except ValueError:
        return 0.0
    return found if math.isfinite(found) else 0.0


def _unfolded(value: Any) -> str:
    return " ".join(line.strip("\r\n") if number == 0 else line.strip() for number, line in enumerate(_lines(value)))


def _lines(value: Any) -> list[str]:
    return _unescaped(str(value)).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _decoded(text: str) -> str:
    """A header with the words that RFC 2047 wraps into ASCII; as it stands, where they are none."""
    if "=?" not in text or not text.isascii() or len(text) > _LONGEST:
        return text
    try:
        found = decode_header(text)
    except _STUMBLES:
        return text
    return "".join(part if isinstance(part, str) else _text(part, charset) for part, charset in found)


# ---------------------------------------------------------------------- parts


def _leaves(message: Message[Any, Any]) -> Iterator[Message[Any, Any]]:
    """The parts that hold something; a mail within the mail is one."""
    if message.get_content_maintype() == "multipart" and message.is_multipart():
        for part in _inner(message):
            yield from _leaves(part)
    else:
        yield message


def _inner(message: Message[Any, Any]) -> list[Message[Any, Any]]:
    found: Any = message.get_payload()
    return list(found)


def _is_body(part: Message[Any, Any], kind: str) -> bool:
    return part.get_content_type() == kind and part.get_content_disposition() != "attachment" and not _name(part)


def _name(part: Message[Any, Any]) -> str:
    try:
        return _decoded(_unfolded(part.get_filename() or ""))
    except _STUMBLES:
        return ""


def _content(part: Message[Any, Any]) -> str:
    try:
        charset = part.get_content_charset()
    except _STUMBLES:
        charset = None
    return _text(_bytes(part), charset)


def _bytes(part: Message[Any, Any]) -> bytes:
    if part.is_multipart():
        return b"".join(message.as_bytes() for message in _inner(part))
    found = part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def _attachment(part: Message[Any, Any]) -> dict[str, Any]:
    identifier = part.get("Content-ID")
    return {
        "Name": _name(part),
        "ContentType": _unescaped(part.get_content_type()),
        "ContentLength": len(_bytes(part)),
        "ContentID": _unfolded(identifier).strip().strip("<>") if identifier else None,
    }


# ---------------------------------------------------------------------- bytes


def _text(content: bytes, charset: str | None) -> str:
    """Bytes in the charset that they name; where that is nonsense, in UTF-8; where they are not, in Latin-1."""
    for name in (charset, "utf-8"):
        try:
            return _whole(content.decode(name or "utf-8"))
        except (LookupError, ValueError):
            continue
    return content.decode("latin-1")


def _unescaped(text: str) -> str:
    """A text of a header, whose bytes beyond ASCII the reader has kept as halves of characters."""
    try:
        return _text(text.encode("ascii", "surrogateescape"), None)
    except UnicodeError:
        return _whole(text)


def _whole(text: str) -> str:
    """A text without halves of characters, which no JSON can hold."""
    return text.encode("utf-8", "replace").decode()

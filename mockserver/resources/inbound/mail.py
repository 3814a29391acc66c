"""A received mail as the call of an inbound webhook shows it (contract/events#inbound), whatever its bytes are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from email.errors import MessageError
from email.utils import format_datetime, getaddresses, parsedate_to_datetime
from typing import Any

from mockserver.core.text import email_text
from mockserver.core.text.domain_name import domain_of
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.inbound import mime, reply
from mockserver.resources.inbound.mime import Part

#: Up to which length, in characters, a header is searched for addresses, and for a date.
_LONGEST, _LONGEST_DATE = 20_000, 200
#: What Python's reader of mails raises over some that are none.
_STUMBLES = (AttributeError, LookupError, MessageError, OverflowError, RecursionError, TypeError, ValueError)


@dataclass(slots=True)
class ReceivedMail:
    """What stands in a mail: the members of the payload that it gives, and what each attachment is."""

    members: dict[str, Any]
    attachments: list[dict[str, Any]] = field(default_factory=list)


def parse(raw: bytes) -> ReceivedMail:
    """What stands in these bytes; where they are no mail, they are its text."""
    try:
        return _read(mime.read(raw))
    except _STUMBLES:
        return _read(mime.read(b"\n" + raw))


def compose(workspace: Workspace, sender: str, recipient: str, subject: str, text: str) -> ReceivedMail:
    """A mail of text, as a mail program would send it."""
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
    """One element of the payload's `items`."""
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
    parts = list(mime.leaves(message))
    text = next((part for part in parts if _is_body(part, "text/plain")), None)
    html = next((part for part in parts if _is_body(part, "text/html")), None)
    raw_text = "" if text is None else _content(text)
    raw_html = "" if html is None else _content(html)
    members = {
        **_head(fields, headers),
        **_bodies(raw_text, raw_html),
        "SpamScore": _number(_first(headers, "X-Spam-Score")),
        "Attachments": [],
        "Headers": {name: values if len(values) > 1 else values[0] for name, values in headers.items()},
    }
    return ReceivedMail(members, [_attachment(part) for part in parts if part is not text and part is not html])


def _head(fields: Sequence[tuple[str, str]], headers: dict[str, list[str]]) -> dict[str, Any]:
    """Which mail it is, from whom to whom, when, and what it is about."""
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


def _bodies(text: str, html: str) -> dict[str, Any]:
    """What is written in it, in whole and without what it answers."""
    written, signature = reply.extract(text) if text else reply.extract_html(html)
    return {
        "RawHtmlBody": html,
        "RawTextBody": text,
        "ExtractedMarkdownMessage": written,
        "ExtractedMarkdownSignature": signature,
    }


# ---------------------------------------------------------------------- headers


def _headers(fields: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Name to values; names that differ in case only are one, written as it first was."""
    spelled: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for name, value in fields:
        found.setdefault(spelled.setdefault(name.lower(), name), []).append(mime.words(value))
    return found


def _first(headers: dict[str, list[str]], name: str) -> str | None:
    return next((values[0].strip() for given, values in headers.items() if given.lower() == name.lower()), None)


def _people(fields: Iterable[tuple[str, str]], name: str) -> list[dict[str, Any]]:
    """Names are decoded after addresses have been found: a comma in one separates nothing."""
    values = [value[:_LONGEST] for given, value in fields if given.lower() == name.lower()]
    found = getaddresses(values)
    return [{"Name": mime.words(person) or None, "Address": address} for person, address in found if address]


def _date(text: str | None) -> str | None:
    """A date of RFC 2822, or None."""
    try:
        return text if text and len(text) <= _LONGEST_DATE and parsedate_to_datetime(text) else None
    except _STUMBLES:
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


def _is_body(part: Part, kind: str) -> bool:
    message = part.message
    return message.get_content_type() == kind and message.get_content_disposition() != "attachment" and not _name(part)


def _name(part: Part) -> str:
    name = part.parameter("filename", "content-disposition") or part.parameter("name")
    return mime.words(_unfolded(name)).strip()


def _content(part: Part) -> str:
    return mime.decoded(part.content(), part.parameter("charset"))


def _attachment(part: Part) -> dict[str, Any]:
    identifier = next((value for name, value in part.headers if name.lower() == "content-id"), None)
    return {
        "Name": _name(part),
        "ContentType": _unescaped(part.message.get_content_type()),
        "ContentLength": len(part.content()),
        "ContentID": _unfolded(identifier).strip().strip("<>") if identifier else None,
    }


def _unescaped(text: str) -> str:
    """A text of a header, whose bytes beyond ASCII the reader has kept as halves of characters."""
    try:
        return mime.decoded(text.encode("ascii", "surrogateescape"), None)
    except UnicodeError:
        return mime.whole(text)

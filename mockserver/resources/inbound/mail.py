"""A received e-mail as the payload of an inbound webhook shows it, whatever its bytes are (contract/events#inbound)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from email.errors import MessageError
from email.utils import format_datetime, getaddresses, parsedate_to_datetime
from typing import Any

from mockserver.core.text import email_text
from mockserver.core.text.addresses import domain_of
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.inbound import mime, reply
from mockserver.resources.inbound.mime import Part

#: How many characters of a header are searched for addresses, and how many one with a date or a number may have;
#: chosen: far above those of honest mails, and few enough for parsers that take more than linear time.
_LONGEST_ADDRESSES, _LONGEST_DATE = 20_000, 200
#: What the parser of Python's `email` package raises over some bytes that are no mail.
_PARSER_ERRORS = (AttributeError, LookupError, MessageError, OverflowError, RecursionError, TypeError, ValueError)


@dataclass(slots=True)
class ReceivedMail:
    """What an e-mail gives for the payload of an inbound webhook: its members, and a description of each attachment."""

    members: dict[str, Any]
    attachments: list[dict[str, Any]] = field(default_factory=list)


def parse(raw: bytes) -> ReceivedMail:
    """The e-mail that these bytes are; bytes that are none are taken for the text of one without headers."""
    try:
        return _read(mime.read(raw))
    except _PARSER_ERRORS:
        return _read(mime.read(b"\n" + raw))


def compose(workspace: Workspace, sender: str, recipient: str, subject: str, text: str) -> ReceivedMail:
    """A plain-text e-mail, as a mail program would send it now, with a message id of the sender's domain."""
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
    """One element of `items` in the payload of an inbound webhook, with the present moment if the mail has no date.

    Each attachment gets a new download token.
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
    """The members of a payload that headers give: ids, addresses, date and subject."""
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
    """The members of a payload that hold the text: in whole, and without quotations and signature."""
    written, signature = reply.extract(text) if text else reply.extract_html(html)
    return {
        "RawHtmlBody": html,
        "RawTextBody": text,
        "ExtractedMarkdownMessage": written,
        "ExtractedMarkdownSignature": signature,
    }


# ---------------------------------------------------------------------- headers


def _headers(fields: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The decoded values of each header by its name; names that differ only in case count as the first of them."""
    spelled: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for name, value in fields:
        found.setdefault(spelled.setdefault(name.lower(), name), []).append(mime.words(value))
    return found


def _first(headers: dict[str, list[str]], name: str) -> str | None:
    return next((values[0].strip() for given, values in headers.items() if given.lower() == name.lower()), None)


def _people(fields: Iterable[tuple[str, str]], name: str) -> list[dict[str, Any]]:
    """The people in all headers of a name. Their names are decoded last: a comma in a name must separate nobody."""
    values = [value[:_LONGEST_ADDRESSES] for given, value in fields if given.lower() == name.lower()]
    found = getaddresses(values)
    return [{"Name": mime.words(person) or None, "Address": address} for person, address in found if address]


def _date(text: str | None) -> str | None:
    """The text itself if it is a date of RFC 2822, or None."""
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
    """A text of a header with its bytes beyond ASCII decoded, which the parser has kept as lone surrogates."""
    try:
        return mime.decoded(text.encode("ascii", "surrogateescape"), None)
    except UnicodeError:
        return mime.whole(text)

"""E-mails as text, well formed whatever their names, subjects and addresses contain."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime
from mimetypes import MimeTypes
from posixpath import splitext
from typing import Any

from mockserver.core.text.addresses import domain_of


class _Policy(EmailPolicy):
    """A policy writing each address on a separate line.

    In a full line with an encoded name, the library encodes the comma behind it too, and loses what follows.
    """

    def fold(self, name: str, value: Any) -> str:
        addresses = getattr(value, "addresses", ())
        if len(addresses) < 2:
            return str(super().fold(name, value))
        alone = [super(_Policy, self).fold(name, self.header_factory(name, [address])) for address in addresses]
        lines = [line.removeprefix(f"{name}:").strip("\r\n") for line in alone]
        return f"{name}:{f',{self.linesep}'.join(lines)}{self.linesep}"

    def fold_binary(self, name: str, value: Any) -> bytes:
        if len(getattr(value, "addresses", ())) < 2:
            return bytes(super().fold_binary(name, value))
        return self.fold(name, value).encode("utf-8" if self.utf8 else "ascii", "surrogateescape")


#: Bodies are encoded as ASCII, which every server takes; addresses may need UTF-8.
_POLICY = _Policy(cte_type="7bit")
#: Headers that the message writes, or that the library takes apart.
_OWN = frozenset({"from", "sender", "to", "cc", "bcc", "reply-to", "subject", "date", "orig-date", "message-id",
                  "mime-version"})  # fmt: skip
#: The prefixes of such headers.
_OWN_BEGINNINGS = ("content-", "resent-")
#: The types of Python by file extension, and not of the machine: a message is the same everywhere.
_TYPES = MimeTypes().types_map[True]
#: The type of other files.
_ANY_TYPE = "application/octet-stream"

#: An e-mail address and a name, which may be empty.
Party = tuple[str, str]


def compose(
    *, sender: str, to: str, subject: str, at: datetime, message_id: str, text: str, html: str | None = None
) -> EmailMessage:
    """Return a message of a text body and HTML, if given; equal arguments give equal messages.

    `sender` and `to` are addresses, or of the form `Name <address>`.
    """
    parties = {"From": [_party(sender)], "To": [_party(to)]}
    return compose_whole(parties=parties, subject=subject, at=at, message_id=message_id, text=text, html=html)


def compose_whole(
    *,
    parties: Mapping[str, Sequence[Party]],
    subject: str,
    at: datetime,
    message_id: str,
    text: str | None,
    html: str | None,
    headers: Mapping[str, str] | None = None,
    files: Sequence[tuple[str, bytes]] = (),
) -> EmailMessage:
    """Return a message; equal arguments give equal messages.

    Args:
        parties: The addresses by header; headers without addresses are left out.
        subject: The subject.
        at: The date.
        message_id: The message id with its angle brackets.
        text: The text body.
        html: The HTML body.
        headers: Further headers; standard headers are left out.
        files: Names and contents.
    """
    addresses = {name: [_address(party) for party in found] for name, found in parties.items() if found}
    is_ascii = all(address.addr_spec.isascii() for found in addresses.values() for address in found)
    message = EmailMessage(_POLICY if is_ascii else _POLICY.clone(utf8=True))
    for name, found in addresses.items():
        message[name] = found
    message["Subject"] = _line(subject)
    message["Date"] = format_datetime(at)
    message["Message-ID"] = _line(message_id)
    for name, value in (headers or {}).items():
        if name.lower() not in _OWN and not name.lower().startswith(_OWN_BEGINNINGS):
            message[name] = _line(value)
    _write_bodies(message, text, html)
    for name, content in files:
        kind, _, subtype = _type(name).partition("/")
        message.add_attachment(content, maintype=kind, subtype=subtype, filename=_line(name))
    _name_boundaries(message, message_id)
    return message


def _write_bodies(message: EmailMessage, text: str | None, html: str | None) -> None:
    if text is not None or html is None:
        message.set_content(_unicode(text or ""))
        if html is not None:
            message.add_alternative(_unicode(html), subtype="html")
    else:
        message.set_content(_unicode(html), subtype="html")


def _type(name: str) -> str:
    """Return a file's MIME type by name, never a message type."""
    found = _TYPES.get(splitext(name)[1].lower(), _ANY_TYPE)
    return _ANY_TYPE if found.startswith(("message/", "multipart/")) else found


def _name_boundaries(message: EmailMessage, message_id: str) -> None:
    """Set deterministic part boundaries instead of random ones."""
    # RFC 2046, 5.1.1: 70 characters at most.
    name = re.sub("[^0-9A-Za-z]", "", message_id)[:60]
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        part.set_boundary(f"={name}{number or ''}=")


def _party(text: str) -> Party:
    text = _line(text).strip()
    name, _, address = text[:-1].rpartition("<") if text.endswith(">") else ("", "", text)
    return address, name.strip().strip('"')


def _address(party: Party) -> Address:
    address, name = map(_line, party)
    local, _, domain = address.rpartition("@")
    if len(local) > 1 and local[0] == local[-1] == '"':
        local = re.sub(r"\\(.)", r"\1", local[1:-1])
    return Address(name.strip(), local, domain_of(domain))


def _line(text: str) -> str:
    # A line break in a header would begin another header.
    return _unicode(" ".join(text.splitlines())).replace("\0", "")


def _unicode(text: str) -> str:
    # A lone surrogate becomes a question mark.
    return text.encode("utf-8", "replace").decode()

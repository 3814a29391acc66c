"""E-mails as they go over the wire, well formed whatever their names, subjects and addresses hold."""

from __future__ import annotations

import re
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default
from email.utils import format_datetime

from mockserver.core.text.domain_name import domain_of

#: Bodies are encoded as ASCII, which every server takes; addresses may need UTF-8.
_POLICY = default.clone(cte_type="7bit")


def compose(
    *, sender: str, to: str, subject: str, at: datetime, message_id: str, text: str, html: str | None = None
) -> EmailMessage:
    """A message with a text body and, if given, the same as HTML; equal arguments give equal messages."""
    parties = {"From": _party(sender), "To": _party(to)}
    is_ascii = all(party.addr_spec.isascii() for party in parties.values())
    message = EmailMessage(_POLICY if is_ascii else _POLICY.clone(utf8=True))
    for name, party in parties.items():
        message[name] = party
    message["Subject"] = _line(subject)
    message["Date"] = format_datetime(at)
    message["Message-ID"] = _line(message_id)
    message.set_content(_unicode(text))
    if html is not None:
        message.add_alternative(_unicode(html), subtype="html")
        # The library would draw a new boundary each time. RFC 2046, 5.1.1: 70 characters at most.
        message.set_boundary(f"={re.sub('[^0-9A-Za-z]', '', message_id)[:60]}=")
    return message


def _party(text: str) -> Address:
    """The sender or recipient that `Name <address>`, or an address alone, stands for."""
    text = _line(text).strip()
    name, _, address = text[:-1].rpartition("<") if text.endswith(">") else ("", "", text)
    local, _, domain = address.rpartition("@")
    if len(local) > 1 and local[0] == local[-1] == '"':
        local = re.sub(r"\\(.)", r"\1", local[1:-1])
    return Address(name.strip().strip('"'), local, domain_of(domain))


def _line(text: str) -> str:
    """A text on one line: a line break in a header would begin another header."""
    return _unicode(" ".join(text.splitlines())).replace("\0", "")


def _unicode(text: str) -> str:
    """A text that can be encoded: a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode()

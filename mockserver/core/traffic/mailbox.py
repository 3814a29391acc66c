"""The e-mails that the service "sent", kept where a test can read them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from mockserver.core.traffic.ring import Ring

if TYPE_CHECKING:
    from email.message import EmailMessage


#: The style of the HTML: without one, e-mail programs show it in a serif font.
_STYLE = "font-family: system-ui, sans-serif; line-height: 1.5; color: #222"


#: What an e-mail takes beside its texts (measured, and rounded up), and the most that a character takes, in bytes.
_OVERHEAD, _PER_CHARACTER = 1_000, 4


class Mail(NamedTuple):
    """An e-mail that the service "sent"."""

    id: str
    at: datetime
    to: str
    sender: str
    subject: str
    text: str
    otp: int | None = None
    #: The name of the account, and the state machine and key of the instance, that the e-mail is about.
    account: str | None = None
    machine: str | None = None
    key: int | str | None = None
    #: The id of the request that has caused it, or None if no request of the API has.
    request: str | None = None

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the text, which empty lines separate."""
        return [paragraph.strip() for paragraph in self.text.split("\n\n")]

    @property
    def size(self) -> int:
        """The most that the e-mail takes in memory, in bytes."""
        return _OVERHEAD + _PER_CHARACTER * (len(self.text) + len(self.subject) + len(self.to) + len(self.sender))

    @property
    def html(self) -> str:
        """The text as an HTML page."""
        paragraphs = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in self.paragraphs)
        return f'<!doctype html><title>{escape(self.subject)}</title><body style="{_STYLE}">{paragraphs}'

    def message(self) -> EmailMessage:
        """The e-mail as it goes over the wire, equal each time."""
        from mockserver.core.text.email_text import compose  # noqa: PLC0415  # not needed to start

        return compose(
            sender=self.sender,
            to=self.to,
            subject=self.subject,
            at=self.at,
            message_id=f"<{self.id}@smtp-relay.mailin.fr>",
            text=self.text,
            html=self.html,
        )


class Sending(NamedTuple):
    """How far the delivery of an e-mail to a real SMTP server has come."""

    #: `WAITING` for the first or the next attempt, `SENT`, or `FAILED` for good.
    state: str
    #: How many attempts were made.
    tries: int = 0
    #: What went wrong at the last attempt, or None.
    error: str | None = None


WAITING, SENT, FAILED = "waiting", "sent", "failed"


class Mailbox:
    """The last e-mails of a workspace, newest first; the oldest are evicted when number or bytes exceed the limit."""

    def __init__(self, limit: int = 1_000, bytes_limit: int = 16 * 1024 * 1024) -> None:
        self._mails = Ring[Mail](limit, bytes_limit)
        #: By the e-mail's id; empty if no real server is set.
        self._sendings: dict[str, Sending] = {}

    def __iter__(self) -> Iterator[Mail]:
        return iter(self._mails)

    def __len__(self) -> int:
        return len(self._mails)

    @property
    def evicted(self) -> int:
        """How many e-mails were evicted."""
        return self._mails.evicted

    @property
    def bytes(self) -> int:
        """How many bytes the e-mails take."""
        return self._mails.bytes

    def add(self, mail: Mail) -> int:
        """Add an e-mail; returns its size in bytes."""
        size = mail.size
        for gone in self._mails.add(mail, size):
            self._sendings.pop(gone.id, None)
        return size

    def find(self, identifier: str) -> Mail | None:
        return next((mail for mail in self if mail.id == identifier), None)

    def note_sending(self, mail: Mail, sending: Sending) -> None:
        """Keep how far an e-mail has come, unless it is no longer in the mailbox."""
        if self.find(mail.id) is mail:
            self._sendings[mail.id] = sending

    def sending(self, mail: Mail) -> Sending | None:
        """How far an e-mail has come, or None if it goes to no real server."""
        return self._sendings.get(mail.id)

    def copy(self) -> Mailbox:
        """Another mailbox with the same e-mails."""
        found = copy(self)
        vars(found).update(_mails=self._mails.copy(), _sendings=dict(self._sendings))
        return found

    def clear(self) -> None:
        self._mails.clear()
        self._sendings.clear()

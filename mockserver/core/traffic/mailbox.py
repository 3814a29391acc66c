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


#: What programs show HTML in that asks for nothing is black Times.
_STYLE = "font-family: system-ui, sans-serif; line-height: 1.5; color: #222"


#: What an e-mail takes beside its texts, in bytes, and the most that a character of these does.
_OVERHEAD, _PER_CHARACTER = 1_000, 4


class Mail(NamedTuple):
    """One e-mail."""

    id: str
    at: datetime
    to: str
    sender: str
    subject: str
    text: str
    otp: int | None = None
    #: The name of the account whose affair it is, and the instance of a state machine that it is about.
    account: str | None = None
    machine: str | None = None
    key: int | str | None = None
    #: The id of the request that has caused it; None: no request of the API has.
    request: str | None = None

    @property
    def paragraphs(self) -> list[str]:
        """The parts of the text between empty lines."""
        return [part.strip() for part in self.text.split("\n\n")]

    @property
    def size(self) -> int:
        """What it takes in memory, in bytes, at most."""
        return _OVERHEAD + _PER_CHARACTER * (len(self.text) + len(self.subject) + len(self.to) + len(self.sender))

    @property
    def html(self) -> str:
        """The text as HTML, a paragraph each."""
        paragraphs = "".join(f"<p>{escape(part)}</p>" for part in self.paragraphs)
        return f'<!doctype html><title>{escape(self.subject)}</title><body style="{_STYLE}">{paragraphs}'

    def message(self) -> EmailMessage:
        """The e-mail as it goes over the wire; it is the same whenever it is asked for."""
        from mockserver.core.text.email_text import compose  # noqa: PLC0415  # for those who look at it, not for the start

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
    """How far an e-mail has come on its way to a real server."""

    #: `waiting`, if need be for the next try; `sent`; `failed`, for good.
    state: str
    #: How often it was tried.
    tries: int = 0
    #: What went wrong the last time.
    error: str | None = None


WAITING, SENT, FAILED = "waiting", "sent", "failed"


class Mailbox:
    """The last e-mails of a workspace, newest first; the oldest go when they are too many, or too large."""

    def __init__(self, limit: int = 1_000, bytes_limit: int = 16 * 1024 * 1024) -> None:
        self._mails = Ring[Mail](limit, bytes_limit)
        #: By the e-mail's id, where a real server is set.
        self._sendings: dict[str, Sending] = {}

    def __iter__(self) -> Iterator[Mail]:
        return iter(self._mails)

    def __len__(self) -> int:
        return len(self._mails)

    @property
    def evicted(self) -> int:
        """How many have fallen out of the mailbox."""
        return self._mails.evicted

    @property
    def bytes(self) -> int:
        """How many bytes its e-mails take."""
        return self._mails.bytes

    def add(self, mail: Mail) -> None:
        for gone in self._mails.add(mail, mail.size):
            self._sendings.pop(gone.id, None)

    def find(self, identifier: str) -> Mail | None:
        return next((mail for mail in self if mail.id == identifier), None)

    def note_sending(self, mail: Mail, sending: Sending) -> None:
        """Note how far an e-mail has come, unless it is gone."""
        if self.find(mail.id) is mail:
            self._sendings[mail.id] = sending

    def sending(self, mail: Mail) -> Sending | None:
        """How far an e-mail has come; None, if it is for nobody but the mailbox."""
        return self._sendings.get(mail.id)

    def copy(self) -> Mailbox:
        """Another mailbox with the same e-mails."""
        found = copy(self)
        vars(found).update(_mails=self._mails.copy(), _sendings=dict(self._sendings))
        return found

    def clear(self) -> None:
        self._mails.clear()
        self._sendings.clear()

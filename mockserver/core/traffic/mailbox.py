"""The e-mails that the service "sent", kept where a test can read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from typing import NamedTuple

from mockserver.core.traffic.mail import Mail
from mockserver.core.traffic.ring import Ring


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
    def largest(self) -> int:
        """The size of the largest e-mail that is kept, in bytes."""
        return self._mails.largest

    @property
    def bytes(self) -> int:
        """How many bytes the e-mails take."""
        return self._mails.bytes

    @property
    def ring(self) -> Ring[Mail]:
        """The e-mails, to be written down."""
        return self._mails

    @property
    def sendings(self) -> Mapping[str, Sending]:
        """How far e-mails have come, by their ids."""
        return self._sendings

    def resume(self, sendings: Mapping[str, Sending]) -> None:
        """Take over how far e-mails had come when they were written down, of which some are still to be added."""
        self._sendings = dict(sendings)

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
        if self.find(mail.id) == mail:  # it may have been read again meanwhile
            self._sendings[mail.id] = sending

    def sending(self, mail: Mail) -> Sending | None:
        """How far an e-mail has come, or None if it goes to no real server."""
        return self._sendings.get(mail.id)

    @property
    def is_sending(self) -> bool:
        """Whether an e-mail is still on its way to a real server."""
        return any(sending.state == WAITING for sending in self._sendings.values())

    def copy(self) -> Mailbox:
        """Another mailbox with the same e-mails."""
        found = copy(self)
        vars(found).update(_mails=self._mails.copy(), _sendings=dict(self._sendings))
        return found

    def remove(self, mail: Mail) -> None:
        """Remove one e-mail; nothing happens if it is no longer in the mailbox."""
        self._mails.keep(lambda row: row is not mail)
        self._sendings.pop(mail.id, None)

    def clear(self) -> None:
        self._mails.clear()
        self._sendings.clear()

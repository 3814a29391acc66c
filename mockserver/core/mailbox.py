"""The e-mails that the service "sent", kept where a test can read them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import datetime
from html import escape
from typing import NamedTuple


class Mail(NamedTuple):
    """One e-mail."""

    id: str
    at: datetime
    to: str
    sender: str
    subject: str
    text: str
    otp: int | None = None

    @property
    def html(self) -> str:
        """The text as a page, a paragraph each."""
        paragraphs = "".join(f"<p>{escape(part.strip())}</p>" for part in self.text.split("\n\n"))
        return f"<!doctype html><title>{escape(self.subject)}</title>{paragraphs}"


class Mailbox:
    """The last e-mails of a workspace, newest first; the oldest goes when the limit is reached."""

    def __init__(self, limit: int) -> None:
        self._mails: deque[Mail] = deque(maxlen=limit)
        #: How many have fallen out of the mailbox.
        self.evicted = 0

    def __iter__(self) -> Iterator[Mail]:
        return reversed(self._mails)

    def __len__(self) -> int:
        return len(self._mails)

    def add(self, mail: Mail) -> None:
        self.evicted += len(self._mails) == self._mails.maxlen
        self._mails.append(mail)

    def find(self, identifier: str) -> Mail | None:
        return next((mail for mail in self._mails if mail.id == identifier), None)

    def copy(self) -> Mailbox:
        """Another mailbox with the same e-mails."""
        found = Mailbox(self._mails.maxlen or len(self._mails))
        found._mails.extend(self._mails)
        found.evicted = self.evicted
        return found

    def clear(self) -> None:
        self._mails.clear()
        self.evicted = 0

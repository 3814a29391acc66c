"""The mailbox of a workspace: the e-mails that its service has sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from mockserver.testing.link import Link
from mockserver.testing.names import MachineName
from mockserver.testing.records import Member, read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Recipient(NamedTuple):
    """Whom an e-mail is for."""

    #: `to`, `cc` or `bcc`.
    kind: str
    email: str
    #: Empty: none was given.
    name: str


class Attachment(NamedTuple):
    """A file that goes with an e-mail."""

    name: str
    #: In bytes; None: the content is at `url`, which is not fetched.
    size: int | None = None
    url: str | None = None


class Mail(NamedTuple):
    """One e-mail that the service has sent."""

    id: str
    #: When the e-mail was sent, on the workspace's clock.
    at: datetime
    #: The addresses of the recipients of this kind, with commas between them.
    to: str
    sender: Annotated[str, Member("from")]
    subject: str
    #: Empty: only HTML was sent.
    text: str
    #: The text as a page, where no HTML was sent.
    html: str
    #: The one-time code in the e-mail; None: it has none.
    otp: int | None
    #: The progress of sending the e-mail to a real SMTP server (`state`, `tries`, `error`); None: there is none.
    smtp: Mapping[str, Any] | None = None
    #: The name of the account to which the e-mail belongs; None: to none.
    account: str | None = None
    #: The state machine of the instance that the e-mail is about, such as `sender`; None: it is about none.
    machine: MachineName | None = None
    #: The key of that instance, such as the sender's id.
    key: int | str | None = None
    #: The id of the request that has caused the e-mail, for `Requests.get`; None: no request to the API has caused it.
    request: str | None = None
    #: Addresses, without the names.
    cc: Sequence[str] = ()
    bcc: Sequence[str] = ()
    #: All recipients, of whatever kind, with their names.
    recipients: Sequence[Recipient] = ()
    reply_to: str | None = None
    #: The headers that the client has given.
    headers: Mapping[str, str] = MappingProxyType({})
    tags: Sequence[str] = ()
    #: With its angle brackets.
    message_id: str = ""
    attachments: Sequence[Attachment] = ()
    #: The id of the template that the client has named; None: it has named none.
    template_id: int | None = None
    #: The parameters that the client has given.
    params: Mapping[str, Any] = MappingProxyType({})


class Mailbox:
    """The mailbox of one workspace, with the e-mails to all recipients."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self, *, to: str | None = None, subject: str | None = None, smtp: str | None = None) -> list[Mail]:
        """The e-mails, newest first, at most 1000: all, or those that match all arguments given.

        `to` is an address, whose case does not matter; `subject` is a part of the subject; `smtp` is the state of the
        e-mail on its way to a real server, `waiting`, `sent` or `failed`.
        """
        found = self._link.get("/mailbox", to=to, subject=subject, smtp=smtp, limit=1000)
        return read_all(Mail, found["items"])

    def latest(
        self, *, to: str | None = None, subject: str | None = None, smtp: str | None = None, wait: float = 0
    ) -> Mail:
        """The newest e-mail that matches all arguments given; if there is none yet, the first within `wait` seconds.

        `to` is an address, whose case does not matter; `subject` is a part of the subject; `smtp` is the state of the
        e-mail on its way to a real server, `waiting`, `sent` or `failed`. `wait` is real time, at most 30 seconds.

        Raises:
            LookupError: there is no such e-mail; the message lists the newest ones of the mailbox.
        """
        found = self._link.get("/mailbox", to=to, subject=subject, smtp=smtp, limit=1, wait=wait)["items"]
        if not found:
            raise LookupError(self._missing(to, subject, smtp, wait))
        return read(Mail, found[0])

    def clear(self) -> None:
        """Remove all e-mails."""
        self._link.delete("/mailbox")

    def _missing(self, to: str | None, subject: str | None, smtp: str | None, wait: float) -> str:
        wanted = [f"to {to}"] if to else []
        wanted += [f"with {subject!r} in its subject"] if subject else []
        wanted += [f"that is {smtp}"] if smtp else []
        after = f" after {wait:g} s" if wait else ""
        there = [f"\n  to {mail.to}: {mail.subject}" for mail in self.all()[:10]]
        return (
            f"{' '.join(['no e-mail', *wanted])}{after}; the mailbox {'holds' if there else 'is empty'}{''.join(there)}"
        )

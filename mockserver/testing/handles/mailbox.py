"""The e-mails that a workspace's service has sent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from mockserver.testing.handles.link import Link
from mockserver.testing.handles.reading import Member, read, read_all
from mockserver.testing.names import MachineName

__tracebackhide__ = True  # pytest shows the line of the test instead


class Mail(NamedTuple):
    """One e-mail."""

    id: str
    at: datetime
    to: str
    sender: Annotated[str, Member("from")]
    subject: str
    text: str
    html: str
    #: The one-time code in it; None if there is none.
    otp: int | None
    #: How far it has come on its way to a real server (`state`, `tries`, `error`); None where none is set.
    smtp: Mapping[str, Any] | None = None
    #: The name of the account whose affair it is.
    account: str | None = None
    #: The state machine that it is about, and the key of the instance: `sender` and the sender's id.
    machine: MachineName | None = None
    key: int | str | None = None
    #: The id of the request that has caused it, as `requests.get` takes it; None: no request of the API has.
    request: str | None = None


class Mailbox:
    """The mailbox of one workspace: every e-mail to whomever."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self, *, to: str | None = None, subject: str | None = None, smtp: str | None = None) -> list[Mail]:
        """The e-mails, newest first, at most 1000: to an address, of whatever case, or with a part of the subject.

        With `smtp` those that are `waiting`, `sent` or `failed` on their way to a real server.
        """
        found = self._link.get("/mailbox", to=to, subject=subject, smtp=smtp, limit=1000)
        return read_all(Mail, found["items"])

    def latest(
        self, *, to: str | None = None, subject: str | None = None, smtp: str | None = None, wait: float = 0
    ) -> Mail:
        """The newest e-mail of that kind; if there is none yet, the first to come within `wait` seconds (at most 30).

        Raises:
            LookupError: there is none; the message tells what the mailbox holds.
        """
        found = self._link.get("/mailbox", to=to, subject=subject, smtp=smtp, limit=1, wait=wait)["items"]
        if not found:
            raise LookupError(self._missing(to, subject, smtp, wait))
        return read(Mail, found[0])

    def clear(self) -> None:
        """Throw all e-mails away."""
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

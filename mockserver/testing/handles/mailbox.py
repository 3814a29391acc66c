"""The mailbox of a workspace: the e-mails that its service has sent."""

from __future__ import annotations

from mockserver.testing.client import path_segment
from mockserver.testing.handles.link import Handle
from mockserver.testing.records import Mail
from mockserver.views.record import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Mailbox(Handle):
    """The mailbox of one workspace, with the e-mails to all recipients."""

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
        found = self._link.items("/mailbox", to=to, subject=subject, smtp=smtp, limit=1, wait=wait)
        if not found:
            raise LookupError(self._missing(to, subject, smtp, wait))
        return read(Mail, found[0])

    def remove(self, identifier: str) -> None:
        """Remove one e-mail by its id.

        Raises:
            MockServerError: 404; there is no such e-mail, or it was removed already.
        """
        self._link.delete(f"/mailbox/{path_segment(identifier)}")

    def clear(self) -> None:
        """Remove all e-mails."""
        self._link.delete("/mailbox")

    def _missing(self, to: str | None, subject: str | None, smtp: str | None, wait: float) -> str:
        wanted = [f"to {to}"] if to else []
        wanted += [f"with {subject!r} in its subject"] if subject else []
        wanted += [f"that is {smtp}"] if smtp else []
        after = f" after {wait:g} s" if wait else ""
        mails = self.all()
        there = [f"\n  to {mail.to}: {mail.subject}" for mail in mails[:10]]
        return (
            f"{' '.join(['no e-mail', *wanted])}{after}; the mailbox {'holds' if there else 'is empty'}{''.join(there)}"
        )

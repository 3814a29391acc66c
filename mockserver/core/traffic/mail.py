"""E-mails that the service has sent, and the mailbox in which a test can read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from mockserver.core.traffic.ring import Ring, weight

if TYPE_CHECKING:
    from email.message import EmailMessage


#: The kinds of recipients, in the order in which they are listed.
TO, CC, BCC = KINDS = ("to", "cc", "bcc")

#: The style of the HTML: without one, e-mail programs show it in a serif font.
_STYLE = "font-family: system-ui, sans-serif; line-height: 1.5; color: #222"

#: What an e-mail takes beside its texts, and what each recipient, header, tag and attachment takes (measured, and
#: rounded up), in bytes.
_OVERHEAD, _PER_PART = 1_000, 300
#: The most that a character takes, in bytes (PEP 393).
_PER_CHARACTER = 4


class Party(NamedTuple):
    """An address with the name that stands before it, or without one."""

    email: str
    name: str = ""

    def __str__(self) -> str:
        """As headers write it: `Ada <ada@acme.test>`, or the address alone."""
        return f"{self.name} <{self.email}>" if self.name else self.email


class Recipient(NamedTuple):
    """Whom an e-mail is for, and as what: one of `KINDS`."""

    kind: str
    party: Party


class Attachment(NamedTuple):
    """A file that goes with an e-mail, or the address of one, which the mock does not fetch."""

    name: str
    #: None: the content is at `url`, or was too large to be kept.
    content: bytes | None = None
    #: In bytes; None: it is not known, as the content is at `url`.
    size: int | None = None
    url: str | None = None


class MailContent(NamedTuple):
    """What an e-mail contains that a client has sent: all that the one who receives it can see."""

    sender: Party
    #: In the order of their kinds.
    recipients: tuple[Recipient, ...]
    subject: str = ""
    text: str | None = None
    html: str | None = None
    reply_to: Party | None = None
    headers: Mapping[str, str] = {}  # never written to; a mapping proxy could not be copied
    tags: tuple[str, ...] = ()
    #: With its angle brackets.
    message_id: str = ""
    attachments: tuple[Attachment, ...] = ()
    #: The id of the template that the client has named, and the parameters that it has given.
    template_id: int | None = None
    params: Mapping[str, Any] = {}

    @property
    def size(self) -> int:
        """The most that the content takes in memory, in bytes."""
        texts = [self.subject, self.text, self.html, self.message_id, *self.tags]
        texts += [part for item in self.headers.items() for part in item]
        texts += [
            part for row in (self.sender, self.reply_to, *(row.party for row in self.recipients)) for part in row or ()
        ]
        texts += [part for row in self.attachments for part in (row.name, row.url)]
        parts = len(self.recipients) + len(self.headers) + len(self.tags) + len(self.attachments)
        files = sum(len(row.content or b"") for row in self.attachments)
        return (
            _OVERHEAD
            + weight(self.params)
            + _PER_PART * parts
            + files
            + _PER_CHARACTER * sum(len(text or "") for text in texts)
        )

    def without_files(self) -> MailContent:
        """The same without the contents of the attachments, which stay listed with their sizes."""
        return self._replace(attachments=tuple(row._replace(content=None) for row in self.attachments))


class Mail(NamedTuple):
    """An e-mail that the service "sent"."""

    id: str
    at: datetime
    #: The addresses of the recipients of kind `to`, with commas between them.
    to: str
    sender: str
    subject: str
    #: Empty if the e-mail has only HTML.
    text: str
    otp: int | None = None
    #: The name of the account, and the state machine and key of the instance, that the e-mail is about.
    account: str | None = None
    machine: str | None = None
    key: int | str | None = None
    #: The id of the request that has caused it, or None if no request of the API has.
    request: str | None = None
    #: What a client has sent; None: the service has written the e-mail, which is all in `text`.
    content: MailContent | None = None

    @property
    def recipients(self) -> tuple[Recipient, ...]:
        return (Recipient(TO, Party(self.to)),) if self.content is None else self.content.recipients

    def addressed(self, *kinds: str) -> list[str]:
        """The addresses of the recipients of some kinds."""
        return [row.party.email for row in self.recipients if row.kind in kinds]

    @property
    def reply_to(self) -> str | None:
        """As the header writes it: `Name <address>`, or an address alone."""
        return None if self.content is None or self.content.reply_to is None else str(self.content.reply_to)

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers that the client has given."""
        return {} if self.content is None else self.content.headers

    @property
    def tags(self) -> tuple[str, ...]:
        return () if self.content is None else self.content.tags

    @property
    def template_id(self) -> int | None:
        """The id of the template that the client has named."""
        return None if self.content is None else self.content.template_id

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters that the client has given."""
        return {} if self.content is None else self.content.params

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return () if self.content is None else self.content.attachments

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the text, which empty lines separate."""
        return [paragraph.strip() for paragraph in self.text.split("\n\n")]

    @property
    def size(self) -> int:
        """The most that the e-mail takes in memory, in bytes."""
        texts = len(self.text) + len(self.subject) + len(self.to) + len(self.sender)
        return _OVERHEAD + _PER_CHARACTER * texts + (0 if self.content is None else self.content.size)

    @property
    def html(self) -> str:
        """The HTML that was sent, or the text as an HTML page."""
        if self.content is not None and self.content.html is not None:
            return self.content.html
        paragraphs = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in self.paragraphs)
        return f'<!doctype html><title>{escape(self.subject)}</title><body style="{_STYLE}">{paragraphs}'

    @property
    def message_id(self) -> str:
        """The message id, with its angle brackets."""
        return f"<{self.id}@smtp-relay.mailin.fr>" if self.content is None else self.content.message_id

    def message(self) -> EmailMessage:
        """The e-mail as it goes over the wire, equal each time; blind copies have a header, which is not to be sent."""
        from mockserver.core.text import email_text  # noqa: PLC0415  # not needed to start

        if self.content is not None:
            return email_text.compose_whole(**_parts(self.content), at=self.at)
        return email_text.compose(
            sender=self.sender,
            to=self.to,
            subject=self.subject,
            at=self.at,
            message_id=self.message_id,
            text=self.text,
            html=self.html,
        )


def _parts(content: MailContent) -> dict[str, Any]:
    """What `compose_whole` takes, but for the moment."""
    parties = {"From": [content.sender], **{kind.capitalize(): [] for kind in KINDS}}
    for row in content.recipients:
        parties[row.kind.capitalize()].append(row.party)
    if content.reply_to is not None:
        parties["Reply-To"] = [content.reply_to]
    return {
        "parties": parties,
        "subject": content.subject,
        "message_id": content.message_id,
        "text": content.text,
        "html": content.html,
        "headers": content.headers,
        "files": [(row.name, row.content) for row in content.attachments if row.content is not None],
    }


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

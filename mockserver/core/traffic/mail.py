"""Sent e-mails, and the mailbox where tests read them; contents of received e-mails."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from uuid import NAMESPACE_URL, uuid5

from mockserver.core.traffic.ring import Ring, RingCounts, weight

if TYPE_CHECKING:
    from email.message import EmailMessage

#: The kinds of recipients, in the order in which they are listed.
TO, CC, BCC = KINDS = ("to", "cc", "bcc")
#: The states of a delivery to a real SMTP server: before an attempt, sent, or failed for good.
WAITING, SENT, FAILED = "waiting", "sent", "failed"
#: The style of the HTML: without a style, e-mail programs show it in a serif font.
_STYLE = "font-family: system-ui, sans-serif; line-height: 1.5; color: #222"
#: The bytes of an e-mail without its texts, and of each recipient, header, tag and attachment (measured, and rounded
#: up), and the most bytes of a character (PEP 393).
_OVERHEAD, _PER_PART, _PER_CHARACTER = 1_000, 300, 4
#: A media type that is safe in a header, with or without a charset.
MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]{1,127}/[\w!#$&^.+-]{1,127}(?:; charset=[\w!#$&^.+:-]{1,127})?\Z", re.ASCII)
#: The most events of e-mails that a workspace keeps, and their bytes. Chosen: two of the largest pages of a report.
_MOST_EVENTS, _EVENTS_BYTES = 10_000, 8 * 1024 * 1024


class Party(NamedTuple):
    email: str
    name: str = ""

    def __str__(self) -> str:
        """Return the party as headers write it: `Ada <ada@acme.test>`, or the address alone."""
        return f"{self.name} <{self.email}>" if self.name else self.email


class Recipient(NamedTuple):
    """A recipient of an e-mail, with its kind: `to`, `cc` or `bcc`."""

    kind: str
    party: Party


class Attachment(NamedTuple):
    name: str
    #: None: the content is at `url`, or was too large to keep.
    content: bytes | None = None
    #: In bytes; None if the content is at `url`.
    size: int | None = None
    url: str | None = None


class MailContent(NamedTuple):
    """A client's e-mail content, as recipients see it."""

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
    #: The template and the parameters that the client has given.
    template_id: int | None = None
    params: Mapping[str, Any] = {}

    @property
    def size(self) -> int:
        texts = [self.subject, self.text, self.html, self.message_id, *self.tags]
        texts += [part for item in self.headers.items() for part in item]
        texts += [
            part for row in (self.sender, self.reply_to, *(row.party for row in self.recipients)) for part in row or ()
        ]
        texts += [part for row in self.attachments for part in (row.name, row.url)]
        parts = len(self.recipients) + len(self.headers) + len(self.tags) + len(self.attachments)
        files = sum(len(row.content or b"") for row in self.attachments)
        characters = sum(len(text or "") for text in texts)
        return _OVERHEAD + weight(self.params) + _PER_PART * parts + files + _PER_CHARACTER * characters

    def without_files(self) -> MailContent:
        return self._replace(attachments=tuple(row._replace(content=None) for row in self.attachments))


class Mail(NamedTuple):
    id: str
    at: datetime
    #: The addresses of the recipients of kind `to`, with commas between them.
    to: str
    sender: str
    subject: str
    #: Empty if the e-mail has only HTML.
    text: str
    otp: int | None = None
    #: The account, and the state machine and key of the instance, that the e-mail is about.
    account: str | None = None
    machine: str | None = None
    key: int | str | None = None
    #: The id of the request that has caused it, or None.
    request: str | None = None
    #: The content that a client has sent, or None if the service has written the e-mail.
    content: MailContent | None = None

    @property
    def details(self) -> MailContent:
        """The content; of an e-mail that the service has written, with sender, recipient and message id only."""
        if self.content is not None:
            return self.content
        message_id = f"<{self.id}@smtp-relay.mailin.fr>"
        return MailContent(Party(self.sender), (Recipient(TO, Party(self.to)),), message_id=message_id)

    def addressed(self, *kinds: str) -> list[str]:
        """Return recipient addresses of some kinds."""
        return [row.party.email for row in self.details.recipients if row.kind in kinds]

    @property
    def texts(self) -> Sequence[str]:
        """The texts to search: sender, recipients, subject, ids, text and HTML."""
        content = self.details
        parties = (content.sender, *(row.party for row in content.recipients))
        parts = (self.subject, self.id, content.message_id, self.text, content.html or "")
        return [*map(str, parties), *parts]

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs of the text, which empty lines separate."""
        return [paragraph.strip() for paragraph in self.text.split("\n\n")]

    @property
    def size(self) -> int:
        texts = len(self.text) + len(self.subject) + len(self.to) + len(self.sender)
        return _OVERHEAD + _PER_CHARACTER * texts + (0 if self.content is None else self.content.size)

    @property
    def html(self) -> str:
        """The sent HTML, or the text as page."""
        if self.content is not None and self.content.html is not None:
            return self.content.html
        paragraphs = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in self.paragraphs)
        return f'<!doctype html><title>{escape(self.subject)}</title><body style="{_STYLE}">{paragraphs}'

    def message(self) -> EmailMessage:
        """Return the message as sent, with a header for blind copies, which senders remove."""
        from mockserver.core.text import email_text  # noqa: PLC0415  # not needed to start

        if self.content is not None:
            return email_text.compose_whole(**_parts(self.content), at=self.at)
        return email_text.compose(
            sender=self.sender,
            to=self.to,
            subject=self.subject,
            at=self.at,
            message_id=self.details.message_id,
            text=self.text,
            html=self.html,
        )


def _parts(content: MailContent) -> dict[str, Any]:
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
    """The progress of the delivery of an e-mail to a real SMTP server."""

    #: `WAITING`, `SENT` or `FAILED`.
    state: str
    #: The number of attempts.
    tries: int = 0
    #: The error of the last attempt, or None.
    error: str | None = None


class Mailbox(Ring[Mail]):
    """The last e-mails of a workspace, newest first; the oldest are evicted when number or bytes exceed the limit."""

    def __init__(self, limit: int = 1_000, bytes_limit: int = 16 * 1024 * 1024) -> None:
        super().__init__(limit, bytes_limit)
        #: The progress of e-mails that go to a real server, by their ids.
        self.sendings: dict[str, Sending] = {}

    def add(self, mail: Mail) -> int:
        """Add an e-mail and return its size in bytes."""
        size = mail.size
        for gone in self.push(mail, size):
            self.sendings.pop(gone.id, None)
        return size

    def find(self, identifier: str) -> Mail | None:
        return next((mail for mail in self if mail.id == identifier), None)

    def note_sending(self, mail: Mail, sending: Sending) -> None:
        """Record progress, unless the e-mail left the mailbox."""
        if self.find(mail.id) == mail:  # it may have been read again meanwhile
            self.sendings[mail.id] = sending

    def sending(self, mail: Mail) -> Sending | None:
        """Return an e-mail's progress, or None without real server."""
        return self.sendings.get(mail.id)

    @property
    def is_sending(self) -> bool:
        """Whether any e-mail still waits for sending."""
        return any(sending.state == WAITING for sending in self.sendings.values())

    def copy(self) -> Self:
        found = super().copy()
        found.sendings = dict(self.sendings)
        return found

    def remove(self, mail: Mail) -> None:
        self.keep(lambda row: row is not mail)
        self.sendings.pop(mail.id, None)

    def clear(self) -> None:
        super().clear()
        self.sendings.clear()


class InboundFile(NamedTuple):
    """An attachment of a received e-mail."""

    name: str
    #: With its charset, if the part names one.
    content_type: str
    content_id: str | None
    #: In bytes.
    size: int
    #: None: it was too large to keep.
    content: bytes | None
    #: Empty until the e-mail has reached an account.
    token: str = ""


class InboundContent(NamedTuple):
    """The content of a received e-mail, as one recipient has it."""

    #: The id of the event.
    uuid: str
    #: The id of the account.
    account: int
    message_id: str = ""
    subject: str = ""
    attachments: Sequence[InboundFile] = ()

    @property
    def size(self) -> int:
        texts = [self.message_id, self.subject]
        texts += [text or "" for file in self.attachments for text in (file.name, file.content_type, file.content_id)]
        files = sum(_PER_PART + len(file.content or b"") for file in self.attachments)
        return _OVERHEAD + files + _PER_CHARACTER * sum(map(len, texts))


class InboundContents(Ring[InboundContent]):
    """The contents of the last received e-mails, bounded as a `Mailbox`."""

    def __init__(self, limit: int = 1_000, bytes_limit: int = 16 * 1024 * 1024) -> None:
        super().__init__(limit, bytes_limit)

    def add(self, content: InboundContent) -> None:
        """Add a content, without the bytes of its attachments if they are too large to keep."""
        if content.size > self.largest:
            content = content._replace(attachments=[file._replace(content=None) for file in content.attachments])
        self.push(content, content.size)

    def of(self, account: int) -> Mapping[str, InboundContent]:
        """Return the contents of an account by the ids of their events."""
        return {content.uuid: content for content in self if content.account == account}


class EmailEvent(NamedTuple):
    """An event of a transactional e-mail to one recipient, as reports list it; the moment may lie ahead."""

    #: The id of the account.
    account: int
    date: datetime
    #: The name in reports, such as `hardBounces`.
    event: str
    email: str
    message_id: str
    subject: str = ""
    #: The sender's address.
    sender: str = ""
    tags: tuple[str, ...] = ()
    template_id: int | None = None
    #: These three are empty if the event has none.
    reason: str = ""
    ip: str = ""
    link: str = ""

    @property
    def uuid(self) -> str:
        return email_uuid(self.message_id, self.email)


def email_uuid(message_id: str, email: str) -> str:
    """Return the service's id of an e-mail to one recipient."""
    return str(uuid5(NAMESPACE_URL, f"{message_id} {email}"))


def mirror_link(message_id: str, email: str) -> str:
    """Return the service's address of an e-mail to one recipient, which browsers show."""
    return f"https://app-smtp.brevo.com/log/preview/{email_uuid(message_id, email)}"


class EmailEvents(Ring[EmailEvent]):
    """The last events of a workspace's e-mails, in the order in which they were raised; the oldest are evicted."""

    def __init__(self) -> None:
        super().__init__(_MOST_EVENTS, _EVENTS_BYTES)
        #: The events of each account, and the counts of the ring when they were grouped.
        self._grouped: tuple[RingCounts, dict[int, list[EmailEvent]]] = (self.counts, {})

    def add(self, event: EmailEvent) -> None:
        self.push(event, weight(event))

    def of(self, account: int) -> Sequence[EmailEvent]:
        """Return the events of an account in their order; all accounts in turn cost no more than one."""
        at, grouped = self._grouped
        if at != self.counts:
            grouped = {}
            for _, event in self.since(0):
                grouped.setdefault(event.account, []).append(event)
            self._grouped = self.counts, grouped
        return grouped.get(account, ())

    def until(self, account: int, now: datetime) -> list[EmailEvent]:
        """Return the events of an account up to a moment, oldest first."""
        return sorted((event for event in self.of(account) if event.date <= now), key=lambda event: event.date)

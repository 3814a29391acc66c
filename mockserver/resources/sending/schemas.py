"""Transactional e-mails on the wire."""

from __future__ import annotations

import json
from typing import Any

from marshmallow import ValidationError, fields, validate

from mockserver.resources.scheduled_emails.model import IDENTIFIER
from mockserver.resources.sending.checks import LONGEST_NAME
from mockserver.resources.webhooks.blocked import REASONS
from mockserver.resources.webhooks.catalogue import BOUNCES, REPORTED
from mockserver.web.schemas.evidence import CLIENT, OPENAPI, documented
from mockserver.web.schemas.fields import (
    Choice,
    Day,
    Email,
    Flag,
    Int64,
    JsonObject,
    List,
    MillisecondMoment,
    Range,
    Text,
    Url,
)
from mockserver.web.schemas.schema import Described, Input, Output


class _Official(Input):
    names_from = OPENAPI


class _ClientOutput(Output):
    names_from = CLIENT


def _name() -> Text:
    return Text(allow_none=True, **documented(bounds=OPENAPI, maxLength=LONGEST_NAME))


class Named(_Official):
    email = Email(required=True, **documented())
    name = _name()


class Recipient(Named):
    contactPixelTrackingConsent = Flag(allow_none=True, **documented("taken, and ignored", source=CLIENT))


class SenderIn(_Official):
    email = Email(allow_none=True, **documented("required without id"))
    name = _name()
    id = Int64(allow_none=True, **documented("of a sender of the account"))


class File(_Official):
    url = Url(allow_none=True, **documented("required without content; not fetched"))
    content = Text(allow_none=True, **documented("Base64"))
    name = Text(allow_none=True, **documented("required with content; its extension is one of a list"))


def _recipients(note: str = "", **bounds: Any) -> List:
    return List(fields.Nested(Recipient), allow_none=True, **documented(note, **bounds))


class Version(_Official):
    to = List(fields.Nested(Recipient), required=True, **documented())
    cc = _recipients(minItems=1)
    bcc = _recipients(minItems=1)
    replyTo = fields.Nested(Named, allow_none=True, **documented())
    subject = Text(allow_none=True, **documented())
    htmlContent = Text(allow_none=True, **documented("only beside a content that all versions share"))
    textContent = Text(allow_none=True, **documented("only beside a content that all versions share"))
    params = JsonObject(allow_none=True, **documented("at most 100 kB", minProperties=1))


class NewEmail(Described):
    """An e-mail to send, or one e-mail per item of `messageVersions`."""

    names_from = OPENAPI

    sender = fields.Nested(SenderIn, allow_none=True, **documented("required without templateId"))
    to = _recipients("required without messageVersions; at most 99 with cc and bcc")
    cc = _recipients(minItems=1)
    bcc = _recipients(minItems=1)
    replyTo = fields.Nested(Named, allow_none=True, **documented())
    subject = Text(allow_none=True, **documented("required without templateId"))
    htmlContent = Text(allow_none=True, **documented("this or textContent is required without templateId"))
    textContent = Text(allow_none=True, **documented("ignored with templateId"))
    templateId = Int64(allow_none=True, **documented())
    params = JsonObject(allow_none=True, **documented("at most 100 kB, and 1,000 kB in all versions", minProperties=1))
    attachment = List(fields.Nested(File), allow_none=True, **documented())
    headers = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        allow_none=True,
        **documented("`X-Sib-Sandbox: drop` makes a dry run; `idempotencyKey` refuses repeats for half an hour"),
    )
    tags = List(fields.String(), allow_none=True, **documented())
    scheduledAt = Text(allow_none=True, **documented("at most 72 hours ahead", format="date-time"))
    batchId = Text(allow_none=True, **documented("a UUID of version 4; drawn if left out", format="uuid"))
    messageVersions = List(fields.Nested(Version), allow_none=True, **documented("up to 2,000 recipients", minItems=1))


class Sent(Output):
    messageId = Text(**documented("without messageVersions"))
    messageIds = fields.List(Text, **documented("with messageVersions"))
    batchId = Text(**documented("if it is scheduled"))


class IdentifierPath(Input):
    identifier = Text(
        required=True,
        **documented(
            "a UUIDv4 batch id, or a message id in angle brackets, percent-encoded",
            source=CLIENT, bounds=CLIENT, pattern=IDENTIFIER,
        ),
    )  # fmt: skip


class Page(Input):
    names_from = CLIENT

    startDate = Day(**documented("needs endDate"))
    endDate = Day(**documented("needs startDate"))
    offset = Int64(text=True, load_default=0, validate=Range(min=0), **documented())
    sort = Choice("asc", "desc", load_default="desc", **documented("by creation"))


class ScheduledFilter(Page):
    """Filters for batches; message ids ignore all filters."""

    status = Choice("processed", "inProgress", "queued", **documented())
    limit = Int64(text=True, load_default=100, validate=Range(1, 500), **documented())


_STATES = ("queued", "inProgress", "processed", "error")


class Batch(_ClientOutput):
    scheduledAt = MillisecondMoment(required=True, **documented())
    createdAt = MillisecondMoment(required=True, **documented())
    status = Choice(*_STATES, required=True, **documented())


class Scheduled(_ClientOutput):
    """A single e-mail, or a batch id's batches."""

    scheduledAt = MillisecondMoment(**documented("of a message id"))
    createdAt = MillisecondMoment(**documented("of a message id"))
    status = Choice(*_STATES, **documented("of a message id"))
    count = Int64(**documented("of a batch id, without limit and offset"))
    batches = fields.List(fields.Nested(Batch), **documented("of a batch id"))


class BlockedFilter(Page):
    limit = Int64(text=True, load_default=50, validate=Range(1, 100), **documented(bounds=CLIENT))
    senders = Text(**documented("addresses with commas between them"))


class Reason(_ClientOutput):
    code = Choice(*REASONS, required=True, **documented())
    message = Text(required=True, **documented("not for comparing"))


class BlockedContactOut(_ClientOutput):
    email = Text(required=True, **documented())
    senderEmail = Text(required=True, allow_none=True, **documented("of the e-mail that led to the block, or null"))
    reason = fields.Nested(Reason, required=True, **documented())
    blockedAt = MillisecondMoment(required=True, **documented())


class BlockedContacts(_ClientOutput):
    contacts = fields.List(fields.Nested(BlockedContactOut), required=True, **documented())
    count = Int64(required=True, **documented("without limit and offset"))


class EmailPath(Input):
    email = Email(required=True, **documented("percent-encoded", source=CLIENT))


_UUID = r"^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"


class Tags(fields.Field[list[str]]):
    """A list of texts as JSON, in a query."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[str]:
        try:
            found = json.loads(value)
        except (TypeError, ValueError, RecursionError):
            found = None
        if not isinstance(found, list) or not all(isinstance(tag, str) for tag in found):
            raise ValidationError("Not a list of texts as JSON")
        return found


def _message_id() -> Text:
    return Text(**documented("with or without its angle brackets"))


class EventFilter(Page):
    names_from = OPENAPI

    startDate = Day(**documented("needs endDate"))
    endDate = Day(**documented("needs startDate; at most 90 days after it"))
    days = Int64(text=True, validate=Range(1, 90), **documented("today included; not with the dates", bounds=CLIENT))
    email = Text(**documented())
    event = Choice(BOUNCES, *REPORTED, **documented(f"{BOUNCES}: hard and soft ones"))
    tags = Tags(**documented("a list as JSON; one of them is enough", type="string"))
    messageId = _message_id()
    templateId = Int64(text=True, **documented())
    limit = Int64(text=True, load_default=2_500, validate=Range(0, 5_000), **documented(bounds=OPENAPI))


class EmailEventOut(Output):
    email = Text(required=True, **documented())
    date = MillisecondMoment(required=True, **documented())
    subject = Text(**documented())
    messageId = Text(required=True, **documented())
    event = Choice(BOUNCES, *REPORTED, required=True, **documented(f"never {BOUNCES} in the mock"))
    reason = Text(**documented("of what went wrong"))
    tag = Text(**documented("with commas between several; empty without tags"))
    ip = Text(**documented("of the service, or of the person who opens or clicks"))
    link = Text(**documented("of a click"))
    sender = Text(data_key="from", **documented())
    templateId = Int64(**documented("if a template was used"))


class EmailEventReport(Output):
    events = fields.List(fields.Nested(EmailEventOut), **documented("there is no count"))


class EmailFilter(Page):
    """A filter for sent e-mails, with one of `email`, `templateId` and `messageId` at least."""

    names_from = OPENAPI

    startDate = Day(**documented("needs endDate"))
    endDate = Day(**documented("needs startDate; at most one month after it"))
    email = Text(**documented("of the recipient"))
    templateId = Int64(text=True, **documented())
    messageId = _message_id()
    limit = Int64(text=True, load_default=500, validate=Range(0, 1_000), **documented(bounds=OPENAPI))


class SentEmail(Output):
    email = Text(required=True, **documented())
    subject = Text(required=True, **documented())
    templateId = Int64(**documented("if a template was used"))
    messageId = Text(required=True, **documented())
    uuid = Text(required=True, **documented("of the e-mail to this recipient"))
    date = MillisecondMoment(required=True, **documented())
    sender = Text(data_key="from", **documented())
    tags = fields.List(Text, **documented("if there are any"))


class SentEmails(Output):
    count = Int64(**documented("without limit and offset"))
    transactionalEmails = fields.List(fields.Nested(SentEmail), **documented())


class UuidPath(_Official):
    uuid = Text(
        required=True,
        validate=validate.Regexp(_UUID, error="Not a valid UUID"),
        **documented("of an e-mail to one recipient"),
    )


class EmailHistoryItem(Output):
    name = Text(required=True, **documented("as the report of events has it"))
    time = MillisecondMoment(required=True, **documented())


class EmailContent(Output):
    email = Text(required=True, **documented())
    subject = Text(required=True, **documented())
    templateId = Int64(**documented("if a template was used"))
    date = MillisecondMoment(required=True, **documented())
    events = fields.List(fields.Nested(EmailHistoryItem), required=True, **documented("oldest first"))
    body = Text(**documented("HTML, or else the text; absent if the mailbox has lost the e-mail"))
    attachmentCount = Int64(**documented("absent if the mailbox has lost the e-mail"))

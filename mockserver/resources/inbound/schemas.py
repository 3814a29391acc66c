"""Received e-mails on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from marshmallow import fields, post_load

from mockserver.resources.inbound.model import LOGS
from mockserver.web.schemas.evidence import OPENAPI, documented
from mockserver.web.schemas.fields import Choice, DayOrMoment, Email, Int64, MillisecondMoment, Range, Text
from mockserver.web.schemas.schema import Input, Output


class InboundFilter(Input):
    """A filter for events; loading adds `grain`, the length of `endDate`."""

    sender = Text(**documented("events from this address"))
    startDate = DayOrMoment(**documented("needs endDate; not in the future"))
    endDate = DayOrMoment(**documented("needs startDate, at most 30 days after it; not in the future"))
    limit = Int64(text=True, load_default=100, validate=Range(0, 500), **documented(bounds=OPENAPI))
    offset = Int64(text=True, load_default=0, validate=Range(min=0), **documented())
    sort = Choice("asc", "desc", load_default="desc", **documented("by creation"))

    @post_load(pass_original=True)
    def _grain(self, data: dict[str, Any], original: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        """Add the length of `endDate`: a day, or a millisecond."""
        by_day = "T" not in (original.get("endDate") or "T")
        length = timedelta(days=1) if by_day else timedelta(milliseconds=1)
        return {**data, "grain": length - timedelta(microseconds=1)}


class InboundEventOut(Output):
    names_from = "specification 2.9"

    uuid = Text(required=True, **documented())
    date = MillisecondMoment(required=True, **documented("when the mail reached the relay"))
    sender = Email(required=True, **documented())
    recipient = Email(required=True, **documented())


class InboundEventPath(Input):
    uuid = Text(required=True, **documented("from the list of events, or from the payload of a webhook", format="uuid"))


class InboundAttachmentOut(Output):
    name = Text(**documented())
    contentType = Text(**documented("without the charset"))
    contentId = Text(**documented("without angle brackets"))
    contentLength = Int64(**documented("in bytes"))


class InboundLogOut(Output):
    date = MillisecondMoment(**documented())
    type = Choice(*LOGS, **documented())


class InboundHistory(Output):
    receivedAt = MillisecondMoment(**documented())
    deliveredAt = MillisecondMoment(**documented("when a webhook first answered 2xx"))
    recipient = Email(**documented())
    sender = Email(**documented())
    messageId = Text(**documented("once the e-mail is processed"))
    subject = Text(**documented("once the e-mail is processed"))
    attachments = fields.List(fields.Nested(InboundAttachmentOut), **documented("once the e-mail is processed"))
    logs = fields.List(fields.Nested(InboundLogOut), **documented("oldest first"))


class AttachmentPath(Input):
    download_token = Text(data_key="downloadToken", required=True, **documented("of the payload of a webhook"))


class InboundEvents(Output):
    names_from = "specification 4.6"

    events = fields.List(fields.Nested(InboundEventOut), **documented("there is no count"))

"""Webhooks on the wire."""

from __future__ import annotations

from marshmallow import fields, validate

from mockserver.resources.webhooks.catalogue import EVENTS, EXPORT_EVENTS
from mockserver.resources.webhooks.event import CHANNELS, MARKETING, TRANSACTIONAL, TYPES
from mockserver.resources.webhooks.section import BEARER, CHECK_HEADERS, MOST_HEADERS
from mockserver.web.schemas.evidence import OPENAPI, OPENAPI_NEWEST, documented
from mockserver.web.schemas.fields import (
    Choice,
    Day,
    Email,
    Flag,
    HeaderName,
    HeaderValue,
    Int64,
    List,
    MillisecondMoment,
    Text,
    TextOrNumber,
    Url,
    identifier,
)
from mockserver.web.schemas.schema import Input, Output


class WebhookPath(Input):
    webhook_id = identifier("webhookId")


class WebhookFilter(Input):
    type = Choice(*TYPES, load_default=TRANSACTIONAL, **documented("without it, no marketing or inbound webhook"))
    sort = Choice("asc", "desc", load_default="desc", **documented("by creation"))


class Auth(Input):
    names_from = OPENAPI

    type = Choice(BEARER, **documented("free in the schema; the only documented value is bearer"))
    token = HeaderValue(**documented())


class Header(Input):
    names_from = OPENAPI

    key = HeaderName(**documented())
    value = HeaderValue(**documented())


class WebhookChanges(Input):
    url = Url(**documented("may hold user:password@ for basic authentication"))
    events = List(Choice(*EVENTS), **documented("those of the webhook's type", minItems=1))
    description = Text(**documented())
    domain = Text(**documented("inbound domain"))
    batched = Flag(**documented())
    auth = fields.Nested(Auth, **documented("adds `Authorization: Bearer` to the calls"))
    headers = List(fields.Nested(Header), validate=CHECK_HEADERS, **documented("of each call", maxItems=MOST_HEADERS))


class NewWebhook(WebhookChanges):
    url = Url(required=True, **documented("may hold user:password@ for basic authentication"))
    type = Choice(*TYPES, **documented("default transactional"))
    channel = Choice(*CHANNELS, **documented("default email"))
    events = List(Choice(*EVENTS), **documented("required unless the type is inbound"))
    domain = Text(**documented("required when the type is inbound"))


class WebhookCreated(Output):
    names_from = "specification 4.3"

    id = Int64(required=True, **documented())


class AuthOut(Output):
    type = Text(**documented())
    token = Text(**documented("echoed in clear"))


class HeaderOut(Output):
    key = Text(**documented())
    value = Text(**documented())


class WebhookOut(Output):
    id = Int64(required=True, **documented())
    url = Url(required=True, **documented())
    description = Text(required=True, **documented("empty rather than null: older clients refuse null"))
    events = fields.List(Text, required=True, **documented())
    type = Choice(*TYPES, required=True, **documented())
    channel = Choice(*CHANNELS, **documented("gone from the newest document"))
    domain = Text(**documented("of inbound webhooks", source=OPENAPI_NEWEST))
    batched = Flag(**documented())
    auth = fields.Nested(AuthOut, **documented())
    headers = fields.List(fields.Nested(HeaderOut), **documented())
    createdAt = MillisecondMoment(attribute="created_at", required=True, **documented())
    modifiedAt = MillisecondMoment(attribute="modified_at", required=True, **documented())


class Webhooks(Output):
    webhooks = fields.List(fields.Nested(WebhookOut), required=True, **documented())


class NewExport(Input):
    """Filters and notification address of exportWebhooksHistory (specification 4.3)."""

    names_from = OPENAPI

    type = Choice(TRANSACTIONAL, MARKETING, required=True, **documented())
    event = Choice(*EXPORT_EVENTS, required=True, **documented("the official enum also has two error codes, by a slip"))
    notifyURL = Url(required=True, **documented("where the link to the CSV is sent", source="specification 4.3"))
    days = Int64(validate=validate.Range(min=1), **documented("counts today; not with the dates", bounds=OPENAPI))
    startDate = Day(**documented("needs endDate"))
    endDate = Day(**documented("needs startDate"))
    email = Email(**documented("filter"))
    sort = Choice("asc", "desc", **documented("not an enum in the schema"))
    messageId = TextOrNumber(**documented("a string since April 2026, an integer before; transactional only"))
    webhookId = Int64(**documented("filter"))


class ExportAccepted(Output):
    processId = Int64(required=True, **documented())

"""The view of control calls that have changed something."""

from __future__ import annotations

from operator import attrgetter
from typing import NamedTuple

from marshmallow import fields, validate

from mockserver.core.traffic.causes import CONTROL, CallRecord, Links
from mockserver.views.base import members
from mockserver.views.base.view import View, listing
from mockserver.views.traffic import causes, redaction
from mockserver.views.traffic.requests import Change


class Recorded(NamedTuple):
    """A row of `ControlCall`: a call, and the links of its workspace."""

    call: CallRecord
    links: Links


class ControlCall(View):
    """A call of this API that has changed something, with secrets redacted."""

    id = members.needed(fields.UUID, about="the answer's `X-Mock-Call`", attribute="call.id")
    at = members.moment("when it was over, on the workspace's clock", attribute="call.at")
    real_at = members.moment("the same moment in real time", of=lambda row: causes.real(row.call.real_at))
    method = members.text(attribute="call.method")
    path = members.text("without the name of the workspace", of=lambda row: redaction.plain(row.call.path))
    query = members.mapping(
        about="a text each, a list where a name stands there twice",
        of=lambda row: redaction.parameters(row.call.query),
    )
    body = members.needed(
        fields.Raw,
        allow_none=True,
        about="the value of JSON, else the text; null where there is none",
        of=lambda row: redaction.sent((("content-type", row.call.content_type),), row.call.body),
    )
    left_out = members.maybe(
        fields.Integer,
        validate=validate.Range(1),
        about="how many bytes the body had, where it was too large to be kept",
        of=lambda row: row.call.left_out or None,
    )
    status = members.number(least=100, attribute="call.status")
    transitions = members.many(Change, "those that it has caused, the first hundred", attribute="call.transitions")
    caused, caused_by = causes.linked(CONTROL, attrgetter("call.id"), attrgetter("links"))


ControlCalls = listing(ControlCall, "ControlCalls", evicted=members.evicted())

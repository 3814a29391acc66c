"""Activity logs on the wire."""

from __future__ import annotations

from marshmallow import fields

from mockserver.web.schemas.evidence import OPENAPI, documented
from mockserver.web.schemas.fields import Day, Int64, Range, SecondMoment, Text
from mockserver.web.schemas.schema import Input, Output


class ActivityFilter(Input):
    startDate = Day(**documented("UTC, needs endDate; at most 12 months back"))
    endDate = Day(**documented("UTC, needs startDate; at most one month after it"))
    email = Text(**documented("entries of this user"))
    limit = Int64(text=True, load_default=10, validate=Range(1, 100), **documented(bounds=OPENAPI))
    offset = Int64(text=True, load_default=0, validate=Range(min=0), **documented())


class ActivityOut(Output):
    action = Text(required=True, **documented("such as login-success, update-profile"))
    date = SecondMoment(required=True, **documented())
    user_email = Text(required=True, **documented())
    user_ip = Text(required=True, **documented())
    user_agent = Text(required=True, **documented())


class Activities(Output):
    logs = fields.List(fields.Nested(ActivityOut), **documented("newest first; there is no count"))

"""The schemas of what stubs consist of: answers, and what is stored."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.beyond.stubs.grammar import has_expressions
from mockserver.beyond.stubs.program import GONE
from mockserver.core.text import header_form
from mockserver.resources.section import Item, about
from mockserver.web.schemas.fields import Dict, Json

_NO_NAME = "must be a name of letters, digits and _"
#: Statuses of answers that have no body (RFC 9110, 15.3.5 and 15.4.5).
_WITHOUT_BODY = (204, 304)
#: The beginning of the headers that say what the mock has done.
_OF_THE_MOCK = "x-mock-"
#: Headers that the mock writes itself.
_TAKEN = header_form.OF_THE_CALL | {"date", "sib-request-id"}


class StubPart(Item):
    """A stub, or a part of one; what they could once have is refused with what to use instead."""

    def load(self, data: Any, **options: Any) -> Any:
        gone = [name for name in data if name in GONE] if isinstance(data, dict) else []
        if gone:
            raise ValidationError({gone[0]: [GONE[gone[0]]]})
        return super().load(data, **options)


class Condition(fields.Field[Any]):
    """An expression that is true or false, which is checked with the other expressions."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str | bool):
            raise ValidationError("must be an expression in braces")
        return value


def _check_header(name: str) -> None:
    if not header_form.is_name(name):
        raise ValidationError("not the name of a header")
    if name.lower() in _TAKEN or name.lower().startswith(_OF_THE_MOCK):
        raise ValidationError("set by the mock itself")


def _check_value(value: str) -> None:
    if not has_expressions(value) and not header_form.is_value(value):
        raise ValidationError("not the value of a header")


class AnswerItem(StubPart):
    """An answer: its status, its headers, and its body as JSON or as text; with `when`, where that is true."""

    constraints: ClassVar[dict[str, Any]] = {
        "not": {"required": ["json", "text"]},
        "if": {"properties": {"status": {"enum": list(_WITHOUT_BODY)}}, "required": ["status"]},
        "then": {"properties": {"json": False, "text": False}},
    }

    when = Condition(**about("answers only where this expression is true, before the sequence and without moving it"))
    status = fields.Integer(
        strict=True,
        validate=validate.Range(200, 599),
        load_default=200,
        **about("the status; 204 and 304 have no body"),
    )
    headers = Dict(
        keys=fields.String(validate=_check_header),
        values=fields.String(validate=_check_value),
        **about("further headers, by their names"),
    )
    json = Json(allow_none=True, **about("the body as JSON; texts in it may be expressions"))
    text = fields.String(**about("the body as text, which may have expressions"))

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        if "json" in data and "text" in data:
            raise ValidationError("give json or text", "text")
        for name in ("json", "text"):
            if name in data and data.get("status") in _WITHOUT_BODY:
                raise ValidationError(f"an answer of status {data['status']} has no body", name)


class StoreItem(StubPart):
    """A value that is stored, by default the body of the request, or a stored value that is deleted."""

    constraints: ClassVar[dict[str, Any]] = {"not": {"required": ["value", "delete"]}}

    when = Condition(**about("done only where this expression is true"))
    table = fields.String(
        required=True,
        validate=validate.Regexp(r"[A-Za-z_]\w{0,63}\Z", re.ASCII, error=_NO_NAME),
        **about("the table, a name of letters, digits and _"),
    )
    key = fields.String(required=True, **about("the key within the table, which may be an expression"))
    value = Json(allow_none=True, **about("what is stored; the body of the request if left out"))
    delete = fields.Boolean(
        truthy={True}, falsy=set(), validate=validate.Equal(True), **about("deletes what is stored under the key")
    )

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        if "value" in data and "delete" in data:
            raise ValidationError("give value or delete", "delete")

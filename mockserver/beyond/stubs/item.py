"""The schema of stubs, for scenarios and the control API, and the checks that a stub has to pass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from mockserver.beyond.stubs.pattern import Pattern, shadowed
from mockserver.core.state.stubs import Stub
from mockserver.core.text import header_form
from mockserver.core.traffic.match import Match
from mockserver.resources.match import ContentMatchItem
from mockserver.resources.section import Item
from mockserver.web.schemas import json_text
from mockserver.web.schemas.fields import Dict, Json, List

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
#: The most bytes of a stub as JSON. Chosen: a workspace full of them takes 64 MiB.
_LARGEST = 64 * 1024
#: The most answers of a stub. Chosen: more than any test has steps.
_MOST_ANSWERS = 100
#: The members that a running workspace sets.
_RUNNING = ("id", "hits", "position")
#: Statuses of answers that have no body (RFC 9110, 15.3.5 and 15.4.5).
_WITHOUT_BODY = (204, 304)
#: The beginning of the headers that say what the mock has done.
_OF_THE_MOCK = "x-mock-"
#: Headers that the mock writes itself.
_TAKEN = header_form.OF_THE_CALL | {"date", "sib-request-id"}

_count = validate.Range(min=0, max=2**53)


def _check_header(name: str) -> None:
    if not header_form.is_name(name):
        raise ValidationError("is no name of a header")
    if name.lower() in _TAKEN or name.lower().startswith(_OF_THE_MOCK):
        raise ValidationError("is a header that the mock writes itself")


def _check_value(value: str) -> None:
    if not header_form.is_value(value):
        raise ValidationError("is no value of a header")


class AnswerItem(Item):
    """An answer: its status, its headers, and its body as JSON or as text."""

    status = fields.Integer(strict=True, validate=validate.Range(200, 599), load_default=200)
    headers = Dict(keys=fields.String(validate=_check_header), values=fields.String(validate=_check_value))
    json = Json(allow_none=True)
    text = fields.String()

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        if "json" in data and "text" in data:
            raise ValidationError("give json or text", "text")
        for name in ("json", "text"):
            if name in data and data.get("status") in _WITHOUT_BODY:
                raise ValidationError(f"an answer of status {data['status']} has no body", name)


class StubItem(Item):
    """A stub: for which requests it answers, and how."""

    id = fields.String(
        validate=validate.Regexp(r"[A-Za-z0-9][\w.-]{0,63}\Z", re.ASCII, error="must be letters, digits, dots, dashes")
    )
    method = fields.String(required=True, validate=validate.OneOf(METHODS))
    path = Pattern(required=True)
    match = fields.Nested(ContentMatchItem, load_default=Match)
    answer = fields.Nested(AnswerItem)
    answers = List(fields.Nested(AnswerItem), validate=validate.Length(1, _MOST_ANSWERS))
    times = fields.Integer(strict=True, validate=validate.Range(min=1, max=2**53))
    hits = fields.Integer(strict=True, validate=_count)
    position = fields.Integer(strict=True, validate=_count)

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        operation = shadowed(data.get("method", ""), data.get("path", ""))
        if operation is not None:
            told = f"could answer for {operation.id} ({operation.method} {operation.path})"
            raise ValidationError(f"{told}, which the mock has itself; a stub is for what it has not", "path")
        if ("answer" in data) is ("answers" in data):
            raise ValidationError("give answer or answers", "answer")

    @post_load(pass_original=True)
    def _as_value(self, data: dict[str, Any], original: Any, **_: Any) -> Stub:
        return Stub(
            method=data["method"],
            path=data["path"],
            match=data["match"],
            written=_written(original),
            times=data.get("times"),
            **{name: data[name] for name in _RUNNING if name in data},
        )


def _written(original: Mapping[str, Any]) -> str:
    """A stub as it was written, as JSON.

    Raises:
        ValidationError: it is too large.
    """
    own = {name: value for name, value in original.items() if name not in _RUNNING}
    text = json_text.write(own).decode().removesuffix("\n")
    if len(text.encode()) > _LARGEST:
        raise ValidationError(f"a stub may have {_LARGEST:,} bytes as JSON, and this one has {len(text):,}")
    return text


def dump_stub(stub: Stub) -> dict[str, Any]:
    """A stub as a scenario holds it."""
    counts = {name: getattr(stub, name) for name in ("hits", "position") if getattr(stub, name)}
    return {"id": stub.id, **written_of(stub), **counts}


def written_of(stub: Stub) -> dict[str, Any]:
    """The members of a stub as they were written."""
    found: dict[str, Any] = json_text.read(stub.written.encode())
    return found

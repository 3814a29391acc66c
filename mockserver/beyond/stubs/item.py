"""The schema of stubs, for scenarios and the control API, and the checks that a stub has to pass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import PurePath
from typing import Any, ClassVar

from marshmallow import ValidationError, fields, post_load, validate, validates_schema
from marshmallow.exceptions import SCHEMA

from mockserver.beyond.stubs.parts import AnswerItem, StoreItem, StubPart
from mockserver.beyond.stubs.pattern import Pattern, shadowed
from mockserver.beyond.stubs.program import read
from mockserver.core.state.stubs import Stub
from mockserver.core.text.given import too_many
from mockserver.core.traffic.match import Match
from mockserver.resources.match import ContentMatchItem
from mockserver.resources.section import about
from mockserver.web.schemas import json_text
from mockserver.web.schemas.fields import JsonObject, List, OneOrMany

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
#: The most bytes of a stub as JSON. Chosen: a workspace full of them takes 64 MiB.
LARGEST = 64 * 1024
#: The most answers of a stub. Chosen: more than any test has steps.
_MOST_ANSWERS = 100
#: The most items of any other list of a stub. Chosen: more than a body of the service has members.
_MOST_LISTED = 100
#: How many stubs that were checked are remembered. Chosen: as many as a team has in its libraries.
_REMEMBERED = 512
#: The most levels that `json_text.write` writes; how many a value may have is a matter of the schema.
_DEEPEST_WRITTEN = 255
#: The members that a running workspace sets.
_RUNNING = ("id", "hits", "position")

_count = validate.Range(min=0, max=2**53)


class StubItem(StubPart):
    """A stub: for which requests it answers, and how."""

    constraints: ClassVar[dict[str, Any]] = {"oneOf": [{"required": ["answer"]}, {"required": ["answers"]}]}

    id = fields.String(
        validate=validate.Regexp(r"[A-Za-z0-9][\w.-]{0,63}\Z", re.ASCII, error="must be letters, digits, dots, dashes"),
        **about("its id; counts up if left out"),
    )
    method = fields.String(
        required=True, validate=validate.OneOf(METHODS), **about("the method of the requests that it answers")
    )
    path = Pattern(
        required=True, **about("the path, with parameters in braces, each one segment: /v3/contacts/{email}")
    )
    match = fields.Nested(ContentMatchItem, load_default=Match, **about("what else requests must hold"))
    members = List(
        fields.String(),
        validate=validate.Length(max=_MOST_LISTED),
        **about(
            "the members of the body that there are: others are ignored with a warning, or refused where it is strict"
        ),
    )
    answer = fields.Nested(AnswerItem, **about("the answer to each request"))
    answers = List(
        fields.Nested(AnswerItem),
        validate=validate.Length(1, _MOST_ANSWERS),
        **about("a sequence of answers, of which the last is repeated"),
    )
    store = OneOrMany(
        fields.Nested(StoreItem),
        validate=validate.Length(max=_MOST_LISTED),
        **about("what is stored in the account, or deleted there, by table and key"),
    )
    effects = List(
        JsonObject(),
        validate=validate.Length(max=_MOST_LISTED),
        **about("what happens in the workspace besides: e-mails, events, credits"),
    )
    times = fields.Integer(
        strict=True,
        validate=validate.Range(min=1, max=2**53),
        **about("how many requests it answers; any number if left out"),
    )
    hits = fields.Integer(strict=True, validate=_count, **about("how many requests it has answered"))
    position = fields.Integer(strict=True, validate=_count, **about("the place of the next answer in its sequence"))

    def load(self, data: Any, **options: Any) -> Any:
        """A stub; one that was loaded before is not checked again, as each workspace of a library has the same ones."""
        text = _plain(data) if type(self) is StubItem and isinstance(data, dict) else None
        if text is not None:
            with suppress(json_text.JsonError):  # a number that is written, and not read
                return replace(_loaded(text), source=_source(data))
        return super().load(data, **options)

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        operation = shadowed(data.get("method", ""), data.get("path", ""))
        if operation is not None:
            told = f"{operation.id} ({operation.method} {operation.path}), which the mock has"
            raise ValidationError(f"conflicts with {told}; a stub is for other operations", "path")
        if ("answer" in data) is ("answers" in data):
            raise ValidationError("give answer or answers", "answer")

    @post_load(pass_original=True)
    def _as_value(self, data: dict[str, Any], original: Any, **_: Any) -> Stub:
        own = {name: value for name, value in original.items() if name not in _RUNNING}
        _check_expressions(own)
        return Stub(
            method=data["method"],
            path=data["path"],
            match=data["match"],
            written=_written(own),
            times=data.get("times"),
            **{name: data[name] for name in _RUNNING if name in data},
        )


def _source(data: dict[str, Any]) -> str:
    """The file and the line of a stub's first member, if its document has lines."""
    marks: Mapping[str, Any] = getattr(data, "marks", {})
    mark = next(iter(marks.values()), None)
    return "" if mark is None else f"{PurePath(mark.file).name}:{mark.line}"


def _plain(data: dict[str, Any]) -> bytes | None:
    """A stub as JSON, or None if it has values that JSON has not, or is too large in any case."""
    try:
        text = json_text.write(data, _refuse_moment)
    except TypeError:
        return None
    return text if len(text) <= 2 * LARGEST else None


def _refuse_moment(moment: datetime) -> str:
    raise TypeError(f"{moment} is no value of JSON")


@lru_cache(maxsize=_REMEMBERED)
def _loaded(text: bytes) -> Stub:
    """The stub of a JSON text.

    Raises:
        ValidationError: it is none.
    """
    found: Stub = super(StubItem, _ITEM).load(json_text.read(text, deepest=_DEEPEST_WRITTEN))
    return found


_ITEM = StubItem()


def _check_expressions(own: Mapping[str, Any]) -> None:
    """Check all expressions of a stub.

    Raises:
        ValidationError: with all that is wrong with them, each at its place.
    """
    found: dict[Any, Any] = {}
    for path, message in read(own)[1]:
        inner = found
        for part in path:
            inner = inner.setdefault(part, {})
        inner.setdefault(SCHEMA, []).append(message)  # there may be mistakes inside of the place, too
    if found:
        raise ValidationError(found)


def _written(own: Mapping[str, Any]) -> str:
    """A stub as it was written, as JSON.

    Raises:
        ValidationError: it is too large.
    """
    try:
        text = json_text.write(own).removesuffix(b"\n")
    except TypeError as error:  # of half a surrogate pair
        raise ValidationError("not a value of JSON") from error
    if len(text) > LARGEST:
        raise ValidationError(too_many(len(text), LARGEST, "bytes of JSON in a stub"))
    return text.decode()


def dump_stub(stub: Stub) -> dict[str, Any]:
    """A stub as a scenario holds it."""
    counts = {name: getattr(stub, name) for name in ("hits", "position") if getattr(stub, name)}
    return {"id": stub.id, **written_of(stub), **counts}


def written_of(stub: Stub) -> dict[str, Any]:
    """The members of a stub as they were written."""
    found: dict[str, Any] = json_text.read(stub.written.encode())
    return found

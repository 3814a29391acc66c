"""The schema of stubs for scenarios and the control API, with all checks of a stub."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, ClassVar

from marshmallow import ValidationError, fields, post_load, validate, validates_schema
from marshmallow.exceptions import SCHEMA

from mockserver.beyond.stubs.grammar import has_expressions
from mockserver.beyond.stubs.program import GONE, read
from mockserver.core.contract.operation import Operation
from mockserver.core.state.identifiers import repeated
from mockserver.core.state.stubs import Stub, is_parameter
from mockserver.core.text import addresses
from mockserver.core.text.messages import shown, too_many
from mockserver.core.traffic.match import Match
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.match import ContentMatchItem
from mockserver.resources.registry import OPERATIONS
from mockserver.resources.section import Item, SectionError, TakenError, WorkspaceSection, about
from mockserver.web.schemas import json_text
from mockserver.web.schemas.fields import Dict, Json, JsonObject, List, OneOrMany, check_header_name

#: The longest pattern, in characters. Chosen: longer than any path of the API.
_LONGEST = 500
_PREFIX = "/v3/"
_PARAMETER = re.compile(r"\{[A-Za-z_][\w.-]{0,63}\}", re.ASCII)
#: What no segment of a decoded path is written with: what begins a query, a fragment, or an encoded character.
_NOT_FIXED = frozenset("{}?#%\\")


class Pattern(fields.String):
    """The path of a stub: segments below `/v3/`; `{name}` matches any segment."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        why = _why_none(text)
        if why is not None:
            raise ValidationError(why)
        return text


def _why_none(text: str) -> str | None:
    if len(text) > _LONGEST:
        return f"must be a path of at most {_LONGEST} characters"
    if not text.startswith(_PREFIX):
        return f"must be a path that begins with {_PREFIX}, such as /v3/contacts/{{email}}"
    names = set()
    for segment in text.split("/")[2:]:
        if is_parameter(segment) and _PARAMETER.fullmatch(segment):
            if segment in names:
                return f"duplicate parameter {segment}"
            names.add(segment)
        elif not segment or not segment.isprintable() or not _NOT_FIXED.isdisjoint(segment):
            return f"{segment!r} is not a segment of a path, expected text, or a whole parameter in braces"
    return None


def shadowed(method: str, path: str) -> Operation | None:
    """Return the first of the 34 operations hidden by a stub, or None."""
    given = path.split("/")
    return next(
        (row for row in OPERATIONS.values() if row.method == method and overlap(given, row.path.split("/"))), None
    )


def overlap(given: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether two path patterns, given as segments, match a common path."""
    return len(given) == len(wanted) and all(
        one == other or is_parameter(one) or is_parameter(other) for one, other in zip(given, wanted, strict=True)
    )


METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
#: The most bytes of a stub as JSON. Chosen: a workspace full of them takes 64 MiB.
LARGEST = 64 * 1024
#: The most answers, and items of other lists, in a stub. Chosen: more than tests have steps.
_MOST_LISTED = 100
#: The members that a running workspace sets.
_RUNNING = ("id", "hits", "position")

_count = validate.Range(min=0, max=2**53)
#: Statuses of answers that have no body (RFC 9110, 15.3.5 and 15.4.5).
_WITHOUT_BODY = (204, 304)


class StubPart(Item):
    """A stub or a part of a stub; removed members are refused with the replacement."""

    def load(self, data: Any, **options: Any) -> Any:
        gone = [name for name in data if name in GONE] if isinstance(data, dict) else []
        if gone:
            raise ValidationError({gone[0]: [GONE[gone[0]]]})
        return super().load(data, **options)


class Condition(fields.Field[Any]):
    """A boolean or an expression; expressions are checked later."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str | bool):
            raise ValidationError("must be an expression in braces")
        return value


def _check_value(value: str) -> None:
    if not has_expressions(value) and not addresses.is_header_value(value):
        raise ValidationError("not the value of a header")


class AnswerItem(StubPart):
    """An answer: status, headers, body as JSON or text, and an optional condition `when`."""

    constraints: ClassVar[dict[str, Any]] = {
        "not": {"required": ["json", "text"]},
        "if": {"properties": {"status": {"enum": list(_WITHOUT_BODY)}}, "required": ["status"]},
        "then": {"properties": {"json": False, "text": False}},
    }

    when = Condition(**about("answers only where this expression is true, before the sequence and without moving it"))
    status = fields.Integer(
        strict=True, validate=validate.Range(200, 599), load_default=200,
        **about("the status; 204 and 304 have no body"),
    )  # fmt: skip
    headers = Dict(
        keys=fields.String(validate=check_header_name), values=fields.String(validate=_check_value),
        **about("further headers, by their names"),
    )  # fmt: skip
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
    """A value to store, by default the request body, or a stored value to delete."""

    constraints: ClassVar[dict[str, Any]] = {"not": {"required": ["value", "delete"]}}

    when = Condition(**about("done only where this expression is true"))
    table = fields.String(
        required=True,
        validate=validate.Regexp(r"[A-Za-z_]\w{0,63}\Z", re.ASCII, error="must be a name of letters, digits and _"),
        **about("the table, a name of letters, digits and _"),
    )
    key = fields.String(required=True, **about("the key within the table, which may be an expression"))
    value = Json(allow_none=True, **about("what is stored; the body of the request if left out"))
    delete = fields.Boolean(truthy={True}, falsy=set(), validate=validate.Equal(True), **about("deletes the value"))

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        if "value" in data and "delete" in data:
            raise ValidationError("give value or delete", "delete")


class StubItem(StubPart):
    """A stub: matched requests and answers."""

    constraints: ClassVar[dict[str, Any]] = {"oneOf": [{"required": ["answer"]}, {"required": ["answers"]}]}

    id = fields.String(
        validate=validate.Regexp(r"[A-Za-z0-9][\w.-]{0,63}\Z", re.ASCII, error="must be letters, digits, dots, dashes"),
        **about("its id; counts up if left out"),
    )
    method = fields.String(required=True, validate=validate.OneOf(METHODS), **about("the method of its requests"))
    path = Pattern(required=True, **about("the path; a parameter in braces is a segment: /v3/contacts/{email}"))
    match = fields.Nested(ContentMatchItem, load_default=Match, **about("what else requests must hold"))
    members = List(
        fields.String(),
        validate=validate.Length(max=_MOST_LISTED),
        **about("the known members of the body: others are ignored with a warning, or refused if strict"),
    )
    answer = fields.Nested(AnswerItem, **about("the answer to each request"))
    answers = List(
        fields.Nested(AnswerItem), validate=validate.Length(1, _MOST_LISTED),
        **about("a sequence of answers, of which the last is repeated"),
    )  # fmt: skip
    store = OneOrMany(
        fields.Nested(StoreItem), validate=validate.Length(max=_MOST_LISTED),
        **about("what is stored in the account, or deleted there, by table and key"),
    )  # fmt: skip
    effects = List(
        JsonObject(), validate=validate.Length(max=_MOST_LISTED),
        **about("further effects: e-mails, events, credits"),
    )  # fmt: skip
    times = fields.Integer(
        strict=True, validate=validate.Range(min=1, max=2**53),
        **about("how many requests it answers; any number if left out"),
    )  # fmt: skip
    hits = fields.Integer(strict=True, validate=_count, **about("how many requests it has answered"))
    position = fields.Integer(strict=True, validate=_count, **about("the place of the next answer in its sequence"))

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
        written = _written({name: value for name, value in original.items() if name not in _RUNNING})
        running = {name: data[name] for name in _RUNNING if name in data}
        return Stub(
            data["method"], data["path"], written, data["match"], times=data.get("times"), source=_source(original),
            **running,
        )  # fmt: skip


def _source(data: dict[str, Any]) -> str:
    marks: Mapping[str, Any] = getattr(data, "marks", {})
    mark = next(iter(marks.values()), None)
    return "" if mark is None else f"{PurePath(mark.file).name}:{mark.line}"


def _written(own: Mapping[str, Any]) -> str:
    try:
        text = json_text.write(own).removesuffix(b"\n")
    except TypeError as error:  # of half a surrogate pair
        raise ValidationError("not a value of JSON") from error
    if len(text) > LARGEST:
        raise ValidationError(too_many(len(text), LARGEST, "bytes of JSON in a stub"))
    found: dict[Any, Any] = {}
    for path, message in read(text.decode())[1]:
        inner = found
        for part in path:
            inner = inner.setdefault(part, {})
        inner.setdefault(SCHEMA, []).append(message)  # there may be mistakes inside of the place, too
    if found:
        raise ValidationError(found)
    return text.decode()


def dump_stub(stub: Stub) -> dict[str, Any]:
    counts = {name: getattr(stub, name) for name in ("hits", "position") if getattr(stub, name)}
    return {"id": stub.id, **written_of(stub), **counts}


def written_of(stub: Stub) -> dict[str, Any]:
    found: dict[str, Any] = json_text.read(stub.written.encode())
    return found


#: The most stubs in a workspace. Chosen: four times the service's operations.
MOST_STUBS = 1_000


def stubs_field(**options: Any) -> List:
    return List(fields.Nested(StubItem), validate=validate.Length(max=MOST_STUBS), **options)


def add_stubs(workspace: Workspace, stubs: Sequence[Stub]) -> list[SectionError]:
    """Add stubs in front of the workspace's stubs, or return the errors. Stubs without an id get an id."""
    there = workspace.state.stubs
    found: list[SectionError] = [
        TakenError(("stubs", index, "id"), f"duplicate stub id {shown(stubs[index].id)}")
        for index in repeated((stub.id for stub in stubs), (stub.id for stub in there))
    ]
    if len(there) + len(stubs) > MOST_STUBS:
        found.append(SectionError(("stubs",), too_many(len(there) + len(stubs), MOST_STUBS, "stubs")))
    if not found:
        workspace.state.name_stubs(stubs)
        there.put_first(stubs)
    return found


def add_behind(workspace: Workspace, stubs: Iterable[Stub]) -> None:
    """Append copies of stubs missing from the workspace, ignoring ids."""
    there = workspace.state.stubs
    written = {stub.written for stub in there}
    ids = {stub.id for stub in there}
    found = [
        replace(stub, id="" if stub.id in ids else stub.id, hits=0, position=0)
        for stub in stubs
        if stub.written not in written
    ]
    if len(there) + len(found) > MOST_STUBS:
        told = too_many(len(there) + len(found), MOST_STUBS, "stubs")
        raise SectionError(("stubs",), f"{told} ({len(found):,} of them from --stubs)")
    workspace.state.name_stubs(found)
    there.put_last(found)


def _dump(workspace: Workspace) -> dict[str, Any]:
    stubs = workspace.state.stubs
    return {"stubs": [dump_stub(stub) for stub in stubs]} if stubs else {}


SECTION = WorkspaceSection(
    fields={"stubs": stubs_field(**about("answers for operations that the mock does not have"))},
    load=lambda workspace, data: add_stubs(workspace, data.get("stubs", ())), dump=_dump,
)  # fmt: skip

"""The schema of faults for scenarios and the control API, with all checks of a fault."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Any, ClassVar

from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from mockserver.beyond.catalogue import OperationBeyond, catalogue
from mockserver.core.contract import errors
from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.contract.operation import Audience, Operation
from mockserver.core.state.faults import (
    ALERTS,
    FAULT_KINDS,
    LONGEST_MS,
    NO_ALERT,
    OF_ANSWERS,
    Fault,
    FaultKind,
    Latency,
)
from mockserver.core.state.identifiers import repeated
from mockserver.core.text.messages import meant, nearest, shown
from mockserver.core.traffic.match import Match
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.match import as_match
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.resources.section import Instant, Item, Span, about, counted_from, write_instant
from mockserver.scenario.documents.mistakes import Mistake
from mockserver.scenario.match import MatchItem, unknown_operation
from mockserver.web.schemas.fields import (
    Dict,
    Flag,
    Json,
    JsonObject,
    List,
    Number,
    check_header_name,
    check_header_value,
)

#: The sentences that are codes and that no operation declares (contract/errors#codes), and where they make sense: no
#: answer has them by itself.
_FITS: Mapping[str, Callable[[Operation], bool]] = MappingProxyType(
    {
        errors.INVALID_QUERY_PARAMS.code: lambda operation: operation.query_schema is not None,
        errors.INVALID_DATA_POSTED.code: lambda operation: operation.body_schema is not None,
        errors.AUTHENTICATION_FAILED.code: lambda operation: True,
        errors.ALREADY_PROCESSED.code: lambda operation: operation.method != "GET",
    }
)


def fits(code: str, operation: Operation) -> bool:
    """Return whether a code is a specified sentence for possible errors of an API operation."""
    return operation.audience is Audience.API and code in _FITS and _FITS[code](operation)


#: The error codes that every operation can give, whatever it documents itself.
EVERYWHERE = frozenset(
    {kind.code.code for kind in FAULT_KINDS.values() if kind.code and kind.everywhere}
    | {errors.BAD_REQUEST.code, errors.NOT_FOUND.code, errors.INTERNAL_ERROR.code}
)
#: The statuses of codes in operations beyond, where they are not the code's own (contract/sending#sendTransacEmail).
_BEYOND_STATUSES = {errors.NOT_ENOUGH_CREDITS.code: {"sendTransacEmail": 402}}


def _gives(operation: Operation, code: str) -> bool:
    return fits(code, operation) or any(row.code.code == code for row in operation.errors)


def _may_give(operation: Operation, code: str) -> bool:
    """Return whether an operation can answer with a code; scopes allow `permission_denied` for all API operations."""
    return _gives(operation, code) or (code == errors.PERMISSION_DENIED.code and operation.audience is Audience.API)


def giving(code: str) -> frozenset[str]:
    """Return the operations of a fault without operation: API operations with its code, or else all with the code."""
    rows = [row for row in ALL_OPERATIONS.values() if _gives(row, code)]
    return frozenset(row.id for row in rows if row.audience is Audience.API) or frozenset(row.id for row in rows)


def operations_of(kind: FaultKind) -> list[str]:
    """Return the ids of operations for a kind of fault."""
    if kind.everywhere or kind.code is None:
        return list(ALL_OPERATIONS)
    return [row.id for row in ALL_OPERATIONS.values() if _gives(row, kind.code.code)]


def codes_of(operation: Operation) -> list[str]:
    """Return the error codes for faults of an operation, without `force`."""
    return [code for code in ALL_CODES if code in EVERYWHERE or _may_give(operation, code)]


def statuses(code: str | None) -> dict[str, int]:
    """Return operation-specific statuses of a code."""
    rows = ((row.id, error) for row in ALL_OPERATIONS.values() for error in row.errors)
    found = {operation: error.status for operation, error in rows if error.code.code == code}
    return {**found, **_BEYOND_STATUSES.get(code or "", {})}


def never_given(code: str, operations: Sequence[Operation]) -> Iterator[tuple[str, str]]:
    """Yield fault members with errors for operations that never answer with a code."""
    for row in operations:
        if not _may_give(row, code):
            gives = ", ".join(dict.fromkeys(error.code.code for error in row.errors))
            errors = f"it answers {gives}" if gives else "it has no documented error"
            yield "match", f"{row.id} never answers `{code}`; {errors}; match another operation, or add `force`"
    if not operations and not any(_gives(row, code) for row in ALL_OPERATIONS.values()):
        yield "code", f"no operation gives {code}"


#: The most bytes that a fault may take in memory as it was written. Chosen: a workspace full of them takes 64 MiB.
_LARGEST = 64 * 1024
#: The longest error code, in characters. Chosen: far above those of the service.
_LONGEST_CODE = 200
#: The first codes: the documents list those of many operations first.
_KNOWN_CODES = (
    f"known: {', '.join([*ALL_CODES][:10])} and {len(ALL_CODES) - 10} more, see /_mock/docs/contract/errors.md"
)
#: For how many unknown operations of a pattern the nearest one is told. Chosen: each takes some milliseconds.
_ADVISED = 20
#: The id of a fault that a request's header asks for.
HEADER_ID = "header"
#: Ids that mean something else in a path of the control API or in the journal.
_RESERVED = ("catalogue", HEADER_ID)
#: The longest `ttl_s` of a fault, in seconds. Chosen: a hundred years, within what a clock shows.
_LONGEST_S = 3_155_760_000
#: Members that accept durations and store numbers.
_SPANS = ("ttl_s", "ms")
#: The members of a fault that a running workspace sets.
_RUNNING = ("id", "hits", "passed", "expires_at")
PARAMETERS = ("code", "status", "message", "ms", "distribution", "reset_s", "alert", "members", "names", *OF_ANSWERS)

_milliseconds = validate.Range(min=0, max=LONGEST_MS)
_count = validate.Range(min=0, max=2**53)


class DistributionItem(Item):
    """`{type: lognormal, median_ms: 90, sigma: 0.4}` or `{type: uniform, low_ms: 10, high_ms: 50}`."""

    constraints: ClassVar[dict[str, Any]] = {
        "oneOf": [
            {"properties": {"type": {"const": kind}, **dict.fromkeys(others, False)}, "required": ["type", *members]}
            for kind, members, others in (
                ("lognormal", ("median_ms", "sigma"), ("low_ms", "high_ms")),
                ("uniform", ("low_ms", "high_ms"), ("median_ms", "sigma")),
            )
        ]
    }

    type = fields.String(
        required=True, validate=validate.OneOf(("lognormal", "uniform")),
        **about("lognormal, by median_ms and sigma; or uniform, from low_ms to high_ms"),
    )  # fmt: skip
    median_ms = Number(validate=_milliseconds, **about("half of the answers come sooner, in milliseconds"))
    sigma = Number(validate=validate.Range(min=0, max=5), **about("how far the delays spread; 0 for none"))
    low_ms = Number(validate=_milliseconds, **about("the shortest delay in milliseconds"))
    high_ms = Number(validate=_milliseconds, **about("the longest delay in milliseconds"))

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        wanted = {"lognormal": ("median_ms", "sigma"), "uniform": ("low_ms", "high_ms")}.get(data.get("type", ""))
        if wanted is not None and set(data) != {"type", *wanted}:
            raise ValidationError(f"{data['type']} takes {' and '.join(wanted)}")
        if data.get("low_ms", 0) > data.get("high_ms", LONGEST_MS):
            raise ValidationError("must not be less than low_ms", "high_ms")

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Latency:
        return Latency(**data)


class FaultItem(Item):
    """A fault: kind, parameters, matching requests and schedule."""

    fault = fields.String(required=True, **about("its kind, or the name of an error", enum=list(FAULT_KINDS)))
    match = fields.Nested(
        MatchItem, load_default=Match,
        **about("the requests that it applies to; all of the API if left out, or the operations that give the error"),
    )  # fmt: skip
    times = fields.Integer(
        strict=True, validate=validate.Range(min=1, max=2**53),
        **about("how often it hits; always if left out"),
    )  # fmt: skip
    after = fields.Integer(strict=True, validate=_count, **about("how many matching requests pass first"))
    probability = Number(
        validate=validate.Range(min=0, max=1),
        **about("the probability that it hits a matching request; drawn from the seed"),
    )
    ttl_s = Span(
        timedelta(seconds=1), validate=validate.Range(min=0, max=_LONGEST_S),
        **about("seconds that it lasts on the workspace's clock; or a duration, 16m"),
    )  # fmt: skip
    force = Flag(**about("accepts unknown operations, and codes that the operation never gives"))
    code = fields.String(validate=validate.Length(max=_LONGEST_CODE), **about("the error code"))
    status = fields.Integer(
        strict=True, validate=validate.Range(400, 599), **about("another status than that of the code")
    )
    message = fields.String(**about("another message than that of the code"))
    ms = Span(timedelta(milliseconds=1), validate=_milliseconds, **about("a delay in milliseconds; or a duration, 2s"))
    distribution = fields.Nested(DistributionItem, **about("delays that are drawn anew for each request"))
    reset_s = fields.Integer(strict=True, validate=_count, **about("seconds until the limit ends, for the header"))
    alert = fields.String(
        validate=validate.OneOf((*ALERTS, NO_ALERT)),
        **about("by which a TLS handshake is refused; handshake_failure if left out"),
    )
    members = JsonObject(**about("the members that the answer has besides; one called addedLater if left out"))
    names = List(
        fields.String(), validate=validate.Length(min=1), **about("the names of the members that the answer lacks")
    )
    headers = Dict(
        keys=fields.String(validate=check_header_name), values=fields.String(validate=check_header_value),
        **about("headers of the answer, as a proxy adds or replaces them: {Retry-After: '2'}"),
    )  # fmt: skip
    body = Json(**about("the body of the answer in place of the service's: text, or a JSON value"))
    id = fields.String(
        validate=[
            validate.Regexp(r"[A-Za-z0-9][\w.-]{0,63}\Z", re.ASCII, error="must be letters, digits, dots and dashes"),
            validate.NoneOf(_RESERVED, error="is the name of something else"),
        ],
        **about("its id; counts up if left out"),
    )
    hits = fields.Integer(strict=True, validate=_count, **about("how often it has hit"))
    passed = fields.Integer(strict=True, validate=_count, **about("how many of `after` have passed"))
    expires_at = Instant(**about("when it ends, on the workspace's clock"))

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check(self, data: dict[str, Any], original: Any, **_: Any) -> None:
        # A rule that is far too large is refused before it is copied.
        if weight(original) > 2 * _LARGEST or (data and weight(_written(original)) > _LARGEST):
            raise ValidationError(f"a rule may take {_LARGEST:,} bytes of memory, and this one would take more")
        kind = FAULT_KINDS.get(data.get("fault", ""))
        found: list[tuple[str, Any]] = []
        if "fault" in data and kind is None:
            found.append(("fault", f"unknown fault; {nearest(data['fault'], FAULT_KINDS)}"))
        if kind is not None:
            found += _misplaced(original, kind)
            if kind.answer is None and original.get("match"):
                reason = "hits a TLS handshake, which knows no request: it takes no match"
                found.append(("match", f"{original['fault']} {reason}"))
        if not data.get("force"):
            found += _unknown(_matched(data))
            found += _unfitting(data) if kind is not None else ()
        _refuse(found)

    @post_load(pass_original=True)
    def _as_value(self, data: dict[str, Any], original: Any, **_: Any) -> Fault:
        match, code = data["match"], _code(data)
        if not match.operations and code is not None and not _fits_everywhere(data):
            match = match._replace(operations=giving(code))
        expires_at = data.get("expires_at")
        if expires_at is None and "ttl_s" in data:
            expires_at = counted_from(data["ttl_s"])
        return Fault(
            kind=data["fault"],
            match=match,
            parameters={name: data[name] for name in PARAMETERS if name in data},
            statuses=statuses(code),
            expires_at=expires_at,
            written=_written(
                {**original, **{name: data[name] for name in _SPANS if isinstance(original.get(name), str)}}
            ),
            **{name: data[name] for name in ("id", "times", "after", "probability", "hits", "passed") if name in data},
        )


def _written(original: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a fault as written, through JSON, so that equal values take equal memory."""
    own = {name: value for name, value in original.items() if name not in _RUNNING}
    found: dict[str, Any] = json.loads(json.dumps(own, default=str, skipkeys=True))
    return found


def _refuse(mistakes: Iterable[tuple[str, Any]]) -> None:
    found: dict[str, list[Any]] = {}
    for name, message in mistakes:
        found.setdefault(name, []).append(message)
    if found:
        raise ValidationError(found)


def _misplaced(written: dict[str, Any], kind: FaultKind) -> Iterator[tuple[str, str]]:
    for name in PARAMETERS:
        if name in written and name not in kind.takes:
            takes = f"; it takes {', '.join(kind.parameters)}" if kind.parameters else ""
            yield name, f"{written['fault']} takes no {name}{takes}"
    for name in kind.required:
        if name not in written:
            yield name, "Missing data for required field."
    if written["fault"] == "latency" and ("ms" in written) is ("distribution" in written):
        yield "ms", "give ms or a distribution"
    if written["fault"] == "changed_answer" and not any(name in written for name in OF_ANSWERS):
        yield "body", "give headers or a body"


def _matched(data: dict[str, Any]) -> Match:
    match = data.get("match", {})
    return match if isinstance(match, Match) else as_match(dict(match))


def _known(match: Match) -> list[Operation]:
    return [ALL_OPERATIONS[name] for name in sorted(match.operations & ALL_OPERATIONS.keys())]


def _beyond(match: Match) -> list[OperationBeyond]:
    names = sorted(match.operations - ALL_OPERATIONS.keys())
    return [catalogue()[name] for name in names if name in catalogue()]


def _unknown(match: Match) -> Iterator[tuple[str, Any]]:
    operations: list[Operation | OperationBeyond] = [*_known(match), *_beyond(match)]
    for index, name in enumerate(sorted(match.operations - {row.id for row in operations})):
        yield "match", {"operation": [unknown_operation(name) if index < _ADVISED else f"unknown operation {name}"]}
    if match.params:
        possible = operations or [*ALL_OPERATIONS.values(), *catalogue().values()]
        for name in match.params:
            if not any(f"{{{name}}}" in row.path for row in possible):
                yield "match", {"path": {name: ["no such parameter in the path"]}}


def _unfitting(data: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    code = _code(data)
    if code is not None and code not in ALL_CODES:
        yield "code", _unknown_code(code)
    elif code is not None and not _fits_everywhere(data):
        match = _matched(data)
        operations = _known(match)
        # Nobody knows which codes an operation beyond gives: it may give each.
        if operations or not _beyond(match):
            yield from never_given(code, operations)


def _unknown_code(code: str) -> str:
    near = meant(code, ALL_CODES)
    return f"unknown code {shown(code)}; {f'did you mean {near}?' if near else _KNOWN_CODES}"


def _code(data: dict[str, Any]) -> str | None:
    kind = FAULT_KINDS[data["fault"]]
    return data.get("code") if data["fault"] == "error" else kind.code.code if kind.code else None


def _fits_everywhere(data: dict[str, Any]) -> bool:
    return FAULT_KINDS[data["fault"]].everywhere or data.get("code") in EVERYWHERE


def dump_fault(fault: Fault) -> dict[str, Any]:
    """Return a fault as scenario member."""
    found = {**fault.written, "id": fault.id, "hits": fault.hits, "passed": fault.passed}
    if fault.expires_at is not None:
        found["expires_at"] = write_instant(fault.expires_at)
    return found


def load_faults(workspace: Workspace, faults: Sequence[Fault]) -> Iterator[Mistake]:
    """Add the faults of a document to a workspace, and yield mistakes."""
    for index in repeated(fault.id for fault in faults):
        yield Mistake(("faults", index, "id"), f"duplicate fault id {shown(faults[index].id)}", taken=True)
    workspace.state.add_faults(faults)

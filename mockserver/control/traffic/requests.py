"""`/_mock/requests` and `/_mock/calls`: the journal of a workspace, verifications, and the control calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from mockserver.control.framework import inputs
from mockserver.control.framework.call import ControlResource, listed, written
from mockserver.control.framework.problem import Problem, existing
from mockserver.control.traffic.filters import check_method, check_transition, refuse_misspelt
from mockserver.core.traffic.exchange import Exchange as ExchangeRow
from mockserver.core.traffic.exchange import Journal
from mockserver.core.traffic.match import Match, matching, near_misses
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.scenario.match import ExchangeMatchItem, PathGlob, check_operation
from mockserver.views.har import show_har
from mockserver.views.record import Evicted, listing
from mockserver.views.traffic import show_control_call, show_exchange, show_near_miss
from mockserver.views.traffic_records import ControlCall, Exchange, Page, Verdict
from mockserver.web.routing.address import workspace_url
from mockserver.web.server import loop
from mockserver.web.server.waiting import LONGEST_WAIT, begun, wait_for

REQUESTS = ControlResource("requests", "/_mock/requests")

_MEDIA = {"json": "application/json", "har": "application/har+json"}
#: The members of the filter that are members of a match, too.
_MATCHED = ("path", "status", "code", "fault", "transition", "field")


class RequestFilter(inputs.Part):
    """The filter of the journal."""

    operation = fields.String(validate=check_operation)
    status = fields.Integer(validate=validate.Range(100, 599))
    method = fields.String(validate=check_method)
    path = PathGlob()
    #: The code of the error that was answered.
    code = fields.String()
    fault = fields.String()
    #: A transition that the request caused, as `sender.verify`.
    transition = fields.String(validate=check_transition)
    #: An optional member of query or body that was sent, as `ips[].weight`.
    field = fields.String()
    #: Whether a fault holds the answer back, and the client waits for it.
    held = fields.Boolean()
    wait = inputs.wait()
    format = inputs.form(_MEDIA)

    @post_load
    def _as_match(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        match = Match(
            operations=frozenset(filter(None, [data.get("operation")])),
            methods=frozenset(filter(None, [data.get("method", "").upper()])),
            **{name: data[name] for name in _MATCHED if name in data},
        )
        return {**data, "match": match}


class Bounds(fields.Field[tuple[int, float]]):
    """The expected number of matches: a number, or `{at_least, at_most}`; loaded as minimum and maximum."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[int, float]:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value, value
        if not isinstance(value, dict) or not value or not value.keys() <= {"at_least", "at_most"}:
            raise ValidationError("must be a whole number from 0, or an object with at_least, at_most or both")
        if not all(isinstance(bound, int) and not isinstance(bound, bool) and bound >= 0 for bound in value.values()):
            raise ValidationError("at_least and at_most must be whole numbers from 0")
        return value.get("at_least", 0), value.get("at_most", float("inf"))

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        least, most = value
        return {"at_least": least} if most == float("inf") else {"at_least": least, "at_most": most}


class Verification(Item):
    """A request pattern with the expected number of matches, by default at least one."""

    match = fields.Nested(ExchangeMatchItem, load_default=Match)
    count = Bounds(load_default=(1, float("inf")))

    @validates_schema
    def _check_bounds(self, data: dict[str, Any], **_: Any) -> None:
        least, most = data.get("count", (0, 0))
        if least > most:
            raise ValidationError("at_least is greater than at_most", "count")


@REQUESTS.call("GET", query=RequestFilter, answer=Page, media=tuple(_MEDIA.values()))
def index(workspace: Workspace, query: dict[str, Any]) -> Any:
    """The exchanges, newest first; with `wait`, as soon as one matches; as HAR all of them, oldest first."""
    search = begun(request.environ, "search", lambda: _Search(workspace, query["match"], query.get("held")))
    found = wait_for(
        request.environ, workspace, query["wait"], lambda: search.look(workspace.journal), frozenset({"request"})
    )
    media = inputs.media_type(query, _MEDIA)
    is_har = media == _MEDIA["har"]
    if is_har and "limit" not in request.args:
        query["limit"] = None
    part = inputs.part_of(found, query)
    loop.leave_if_long(map(_size, part))
    rows = list(map(show_exchange, part))
    if not is_har:
        return listed(rows, len(found), evicted=workspace.journal.evicted)
    root = workspace_url(request.environ, workspace.name)
    return Response(written(show_har(rows[::-1], root)), content_type=media)


@REQUESTS.call("GET", "/<identifier>", answer=Exchange)
def show(workspace: Workspace, identifier: str) -> Exchange:
    """One exchange."""
    found = _found(workspace, identifier)
    loop.leave_if_long([_size(found)])
    return show_exchange(found)


@REQUESTS.call("POST", "/<identifier>/answer", answer=Exchange, problems=(409,))
def answer_now(workspace: Workspace, identifier: str) -> Exchange:
    """Release an answer held by a fault. Returns the request after its answer was sent."""
    found = begun(request.environ, "let go", lambda: _let_go(workspace, identifier))
    wait_for(request.environ, workspace, LONGEST_WAIT, lambda: [] if found.is_held else [found], frozenset({"request"}))
    loop.leave_if_long([_size(found)])
    return show_exchange(found)


@REQUESTS.call("DELETE", status=204)
def clear(workspace: Workspace) -> None:
    """Empty the journal."""
    workspace.journal.clear()


@REQUESTS.call("POST", "/verify", only_reads=True, body=Verification, answer=Verdict)
def verify(workspace: Workspace, body: dict[str, Any]) -> Verdict:
    """Compare the number of matching requests with the expected one. A mismatch names the closest request."""
    kept = list(workspace.journal)
    # Every exchange is compared with the whole match, so the size of the match counts for each of them.
    match_size = len(request.get_data())
    loop.leave_if_long(_size(exchange) + match_size for exchange in kept)
    match, (least, most) = body["match"], body["count"]
    refuse_misspelt(workspace, match, "match")
    found = [exchange for exchange in kept if match.admits(exchange)]
    satisfied = least <= len(found) <= most
    near = [] if satisfied or len(found) > most else near_misses(kept, match)
    return Verdict(satisfied, len(found), [exchange.id for exchange in found], list(map(show_near_miss, near)))


def _found(workspace: Workspace, identifier: str) -> ExchangeRow:
    return existing(workspace.journal.find(identifier), "request", identifier, "GET /_mock/requests lists the journal")


def _let_go(workspace: Workspace, identifier: str) -> ExchangeRow:
    """Release the answer of an exchange, and return the exchange."""
    found = _found(workspace, identifier)
    if found.held is None or not found.is_held:
        raise Problem(409, f"no fault is holding request {identifier}; GET /_mock/requests?held=true lists held ones")
    if found.held.hindrance is not None:
        raise Problem(409, f"the request cannot be answered now: {found.held.hindrance}")
    found.held.let_go(found.body)
    return found


def _size(exchange: ExchangeRow) -> int:
    """Return the number of bytes of plain text that take as long to show as an exchange."""
    # A query of many parameters with short names takes longer than a text of its length: chosen, three times more.
    return exchange.size + 3 * len(exchange.query)


class _Search:
    """A repeated search for exchanges, which compares each exchange only once."""

    def __init__(self, workspace: Workspace, match: Match, held: bool | None) -> None:
        refuse_misspelt(workspace, match)
        self._match, self._held = match, held
        self._journal: Journal | None = None
        #: How many exchanges the journal had counted when none matched, and how many of them had changed.
        self._seen = self._completed = 0

    def look(self, journal: Journal) -> Sequence[ExchangeRow]:
        """Return all exchanges of the journal that match, newest first."""
        if self._held is not None:
            return [row for row in matching(journal, self._match) if row.is_held is self._held]
        is_known = journal is self._journal and journal.completed == self._completed
        found = matching(journal, self._match, self._seen if is_known else 0)
        if not found:
            self._journal, self._seen, self._completed = journal, journal.added, journal.completed
        return found


# ---------------------------------------------------------------------- control calls

CALLS = ControlResource("calls", "/_mock/calls")
_CALLS = "GET /_mock/calls lists those that changed something"


@CALLS.call("GET", query=inputs.Part, answer=listing("ControlCalls", ControlCall, evicted=Evicted))
def calls(workspace: Workspace, query: dict[str, Any]) -> Any:
    """The control calls that have changed something, newest first; a reset forgets those before it."""
    found = inputs.part_of(workspace.calls, query)
    loop.leave_if_long(row.size for row in found)
    rows = [show_control_call(row, workspace.links) for row in found]
    return listed(rows, len(workspace.calls), evicted=workspace.calls.evicted)


@CALLS.call("GET", "/<identifier>", answer=ControlCall)
def call(workspace: Workspace, identifier: str) -> ControlCall:
    """One control call, by the header `X-Mock-Call` of its answer."""
    found = existing(workspace.recorded_call(identifier), "control call", identifier, _CALLS)
    loop.leave_if_long([found.size])
    return show_control_call(found, workspace.links)

"""`/_mock/requests`: the journal of a workspace, and whether it has the exchanges that a test expects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields, post_load, validates_schema

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.problem import Problem, unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.control.framework.waiting import LONGEST_WAIT, begun, wait_for
from mockserver.core.traffic.exchange import Exchange, Journal
from mockserver.core.traffic.match import Match, matching, near_misses
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.scenario.match import ExchangeMatchItem, PathGlob, check_operation
from mockserver.views.traffic import requests as shown

REQUESTS = ControlResource("requests", "/_mock/requests")

#: The members of the filter that are members of a match as they stand.
_MATCHED = ("path", "status", "code", "fault", "transition", "field")


class RequestFilter(Item):
    """Which exchanges of the journal are answered."""

    operation = fields.String(validate=check_operation)
    status = fields.Integer()
    method = fields.String()
    path = PathGlob()
    #: The code of the error that was answered.
    code = fields.String()
    fault = fields.String()
    #: A transition that the request caused, as `sender.verify`.
    transition = fields.String()
    #: An optional member of query or body that was sent, as `ips[].weight`.
    field = fields.String()
    #: Whether a fault holds the answer back, and the client waits for it.
    held = fields.Boolean()
    limit = parameters.limit()
    offset = parameters.offset()
    wait = parameters.wait()

    @post_load
    def _as_match(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        match = Match(
            operations=frozenset(filter(None, [data.get("operation")])),
            methods=frozenset(filter(None, [data.get("method", "").upper()])),
            **{name: data[name] for name in _MATCHED if name in data},
        )
        return {**data, "match": match}


class Bounds(fields.Field[tuple[int, float]]):
    """How many exchanges must match: a number, or `{at_least, at_most}`; loaded as the least and the most."""

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
    """Which requests are counted, and how many there have to be; at least one if nothing is said."""

    match = fields.Nested(ExchangeMatchItem, load_default=Match)
    count = Bounds(load_default=(1, float("inf")))

    @validates_schema
    def _check_bounds(self, data: dict[str, Any], **_: Any) -> None:
        least, most = data.get("count", (0, 0))
        if least > most:
            raise ValidationError("at_least is greater than at_most", "count")


@REQUESTS.call("GET", query=RequestFilter, answer=shown.Requests)
def index(query: dict[str, Any]) -> Response:
    """The exchanges, newest first; with `wait`, as soon as one matches."""
    workspace = target.workspace()
    search = begun("search", lambda: _Search(query["match"], query.get("held")))
    found = wait_for(workspace, query["wait"], lambda: search.look(workspace.journal), frozenset({"request"}))
    part = found[query["offset"] : query["offset"] + query["limit"]]
    off_loop.before_showing(map(_size, part))
    return answers.listed(part, len(found), evicted=workspace.journal.evicted)


@REQUESTS.call("GET", "/<identifier>", answer=shown.Request)
def show(identifier: str) -> Response:
    """One exchange."""
    workspace = target.workspace()
    with workspace.lock:
        found = workspace.journal.find(identifier)
    if found is None:
        raise unknown("request", identifier, "GET /_mock/requests lists the journal")
    off_loop.before_showing([_size(found)])
    return answers.answer(found)


@REQUESTS.call("POST", "/<identifier>/answer", answer=shown.Request, problems=(409,))
def answer_now(identifier: str) -> Response:
    """Let the answer of a request go that a fault holds; the request as it is when the answer has left."""
    workspace = target.workspace()
    with workspace.lock:
        exchange = begun("let go", lambda: _let_go(workspace, identifier))
    wait_for(workspace, LONGEST_WAIT, lambda: [] if exchange.is_held else [exchange], frozenset({"request"}))
    off_loop.before_showing([_size(exchange)])
    with workspace.lock:
        return answers.answer(exchange)


def _let_go(workspace: Workspace, identifier: str) -> Exchange:
    """The exchange with this id, whose answer is held no longer.

    Raises:
        Problem: 404, there is none; 409, it is not held, or has to wait.
    """
    found = workspace.journal.find(identifier)
    if found is None:
        raise unknown("request", identifier, "GET /_mock/requests lists the journal")
    if found.held is None or not found.is_held:
        raise Problem(409, f"no fault is holding the answer of request {identifier}")
    if found.held.hindrance is not None:
        raise Problem(409, f"the request cannot be answered now: {found.held.hindrance}")
    found.held.let_go(found.body)
    return found


@REQUESTS.call("DELETE", status=204)
def clear() -> Response:
    """Empty the journal."""
    workspace = target.workspace()
    with workspace.lock:
        workspace.journal.clear()
    return answers.done()


@REQUESTS.call("POST", "/verify", only_reads=True, body=Verification, answer=shown.Verdict)
def verify(body: dict[str, Any]) -> Response:
    """Whether so many requests match; if not, what came closest, and in what it differs."""
    workspace = target.workspace()
    with workspace.lock:
        kept = list(workspace.journal)
    # Every exchange is compared with the whole match, so the size of the match counts for each of them.
    match_size = len(request.get_data())
    off_loop.before_showing(_size(exchange) + match_size for exchange in kept)
    match, (least, most) = body["match"], body["count"]
    found = [exchange for exchange in kept if match.admits(exchange)]
    satisfied = least <= len(found) <= most
    near = [] if satisfied or len(found) > most else near_misses(kept, match)
    return answers.answer(
        {
            "satisfied": satisfied,
            "matched": len(found),
            "ids": [exchange.id for exchange in found],
            "near_misses": list(map(shown.missed, near)),
        }
    )


def _size(exchange: Exchange) -> int:
    """How long an exchange takes to show, as the number of bytes of plain text that would take as long."""
    # A query of many parameters with short names takes longer than a text of its length: chosen, three times more.
    return exchange.size + 3 * len(exchange.query)


class _Search:
    """A search for exchanges that is repeated until one matches; it compares each exchange only once."""

    def __init__(self, match: Match, held: bool | None = None) -> None:
        self._match, self._held = match, held
        self._journal: Journal | None = None
        #: How many exchanges the journal had counted when none of them matched, and how many of these had changed.
        self._seen = self._completed = 0

    def look(self, journal: Journal) -> Sequence[Exchange]:
        """All exchanges of the journal that match, newest first; empty if there are none yet."""
        if self._held is not None:
            return [row for row in matching(journal, self._match) if row.is_held is self._held]
        is_known = journal is self._journal and journal.completed == self._completed
        found = matching(journal, self._match, self._seen if is_known else 0)
        if not found:
            self._journal, self._seen, self._completed = journal, journal.added, journal.completed
        return found

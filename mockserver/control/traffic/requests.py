"""`/_mock/requests`: the journal of a workspace, and whether it has the exchanges that a test expects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields, post_load, validates_schema

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.problem import Problem
from mockserver.control.framework.resource import ControlResource
from mockserver.control.framework.waiting import begun, wait_for
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.journal import Journal, near_misses
from mockserver.core.traffic.match import Match
from mockserver.resources.section import Item
from mockserver.scenario.rules.match import ExchangeMatchItem, PathGlob
from mockserver.views.traffic import requests as shown

REQUESTS = ControlResource("requests", "/_mock/requests")


class RequestFilter(Item):
    """Which exchanges of the journal are answered."""

    operation = fields.String()
    status = fields.Integer()
    method = fields.String()
    path = PathGlob()
    fault = fields.String()
    limit = parameters.limit()
    offset = parameters.offset()
    wait = parameters.wait()

    @post_load
    def _as_match(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        match = Match(
            operations=frozenset(filter(None, [data.get("operation")])),
            methods=frozenset(filter(None, [data.get("method", "").upper()])),
            **{name: data[name] for name in ("path", "status", "fault") if name in data},
        )
        return {**data, "match": match}


class Bounds(fields.Field[tuple[int, float]]):
    """How many exchanges must match: a number, or `{at_least, at_most}`; loaded as the least and the most."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[int, float]:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value, value
        if not isinstance(value, dict) or not value or not value.keys() <= {"at_least", "at_most"}:
            raise ValidationError("must be a number, or {at_least, at_most}")
        if not all(isinstance(bound, int) and not isinstance(bound, bool) and bound >= 0 for bound in value.values()):
            raise ValidationError("at_least and at_most are whole numbers, not negative")
        return value.get("at_least", 0), value.get("at_most", float("inf"))

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        least, most = value
        return {"at_least": least} if most == float("inf") else {"at_least": least, "at_most": most}


class Verification(Item):
    match = fields.Nested(ExchangeMatchItem, load_default=Match)
    count = Bounds(load_default=(1, float("inf")))

    @validates_schema
    def _check_bounds(self, data: dict[str, Any], **_: Any) -> None:
        least, most = data.get("count", (0, 0))
        if least > most:
            raise ValidationError("at_least is more than at_most", "count")


@REQUESTS.call("GET", query=RequestFilter, answer=shown.Requests)
def index(query: dict[str, Any]) -> Response:
    """The exchanges, newest first; with `wait`, as soon as one matches."""
    workspace = target.workspace()
    search = begun("search", lambda: _Search(query["match"]))
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
        raise Problem(404, f"there is no request {identifier!r} in the journal")
    off_loop.before_showing([_size(found)])
    return answers.answer(found)


@REQUESTS.call("DELETE", status=204)
def clear() -> Response:
    """Empty the journal."""
    workspace = target.workspace()
    with workspace.lock:
        workspace.journal.clear()
    return answers.done()


@REQUESTS.call("POST", "/verify", body=Verification, answer=shown.Verdict)
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

    def __init__(self, match: Match) -> None:
        self._match = match
        self._journal: Journal | None = None
        #: How many exchanges the journal had counted when none of them matched.
        self._seen = 0

    def look(self, journal: Journal) -> Sequence[Exchange]:
        """All exchanges of the journal that match, newest first; empty if there are none yet."""
        since = self._seen if journal is self._journal else 0
        found = journal.matching(self._match, since)
        if not found:
            self._journal, self._seen = journal, journal.added
        return found

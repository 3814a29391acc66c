"""The views of exchanges in the journal, and of a verification: whether they are as a test expects."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from marshmallow import fields, validate

from mockserver.core.traffic import match
from mockserver.core.traffic.causes import REQUEST
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.match import Difference
from mockserver.views.base import members
from mockserver.views.base.view import View, listing
from mockserver.views.traffic import causes, redaction
from mockserver.web.service.exchange import complete


class Sent(View):
    headers = members.mapping(fields.String(), "secrets are redacted")
    body = members.needed(
        fields.Raw, allow_none=True, about="the value of JSON, else the text; null where there is none"
    )


class Change(View):
    """A transition of an instance of a state machine, as it happened."""

    at = members.moment()
    machine = members.text()
    key = members.key()
    event = members.text()
    source = members.source()
    to = members.target()
    real_at = causes.real_at()
    caused = members.many(
        causes.Cause, "the e-mails, deliveries and timers that followed from it; of many, the last ones"
    )
    caused_by = causes.caused_by(lambda change: () if change.cause is None else (change.cause,))


def _request(exchange: Exchange) -> dict[str, Any]:
    return {"headers": redaction.headers(exchange.headers), "body": redaction.sent(exchange.headers, exchange.body)}


def _answer(exchange: Exchange) -> dict[str, Any] | None:
    if exchange.status is None:
        return None
    # The journal keeps only the headers that not every answer has.
    headers = complete(exchange.answer_body, exchange.status, exchange.answer_headers)
    return {"headers": redaction.headers(headers), "body": redaction.answered(exchange.answer_body)}


class Request(View):
    """An exchange, with secrets redacted."""

    id = members.needed(fields.UUID, about="the answer's `sib-request-id`")
    at = members.moment("on the workspace's clock")
    real_at = causes.real_at()
    operation = members.text("null where no operation is meant", allow_none=True)
    method = members.text()
    path = members.text(of=lambda exchange: redaction.plain(exchange.path))
    query = members.mapping(
        about="a text each, a list where a name stands there twice",
        of=lambda exchange: redaction.parameters(exchange.query),
    )
    account = members.text("null where the key opens none", allow_none=True)
    request = members.part(Sent, of=_request)
    status = members.number("null where the client got no HTTP answer", least=100, allow_none=True)
    answer = members.part(Sent, allow_none=True, of=_answer)
    fault = members.text("the rule that hit", allow_none=True)
    held = members.flag("whether a fault holds the answer back, and the client waits for it", attribute="is_held")
    beyond = members.text(
        "how a request was answered that no operation of the mock answers: refused, shaped, stubbed and so on",
        allow_none=True,
    )
    stub = members.text("the stub that was asked", allow_none=True)
    transitions = members.many(Change)
    warnings = members.texts(
        "fields and parameters that the service ignored, and other advice",
        of=lambda exchange: map(redaction.plain, exchange.warnings),
    )
    reason = members.text(
        "why the request was refused",
        allow_none=True,
        of=lambda exchange: exchange.reason and redaction.plain(exchange.reason),
    )
    caused, caused_by = causes.linked(REQUEST, attrgetter("id"), attrgetter("links"))
    ms = members.needed(fields.Float, validate=validate.Range(min=0), of=lambda exchange: round(exchange.ms, 3))


Requests = listing(Request, "Requests", evicted=members.evicted())


# ---------------------------------------------------------------------- verification


class Differing(View):
    path = members.text("a JSON Pointer")
    wanted = members.needed(fields.Raw, allow_none=True)
    got = members.needed(fields.Raw, allow_none=True)


class NearMiss(View):
    id = members.needed(fields.UUID)
    operation = members.text(allow_none=True)
    method = members.text()
    path = members.text()
    differences = members.many(Differing, "the first hundred")
    further = members.maybe(
        fields.Integer, validate=validate.Range(1), about="how many more there are, where there are more"
    )


class Verdict(View):
    satisfied = members.flag()
    matched = members.number()
    ids = members.needed(fields.List, fields.UUID())
    near_misses = members.many(NearMiss, "the fewest differences first, where too few match")


def missed(miss: match.NearMiss) -> dict[str, Any]:
    """A near miss as a row of `NearMiss`; its exchange is redacted once, however many differences there are."""
    shown = Request.show(miss.exchange)
    parts = {"json": shown["request"]["body"], "query": shown["query"], "headers": shown["request"]["headers"]}
    differing = [{"path": row.path, "wanted": row.wanted, "got": _got(parts, row)} for row in miss.differences]
    return {**shown, "differences": differing, "further": miss.further or None}


def _got(parts: Mapping[str, Any], found: Difference) -> Any:
    """What an exchange has instead of what a match wants, redacted.

    `parts` are the redacted members of the exchange that a difference can be in.
    """
    if found.got is None:
        return None
    part, *names = [name.replace("~1", "/").replace("~0", "~") for name in found.path.split("/")[1:]]
    if part not in parts:
        return redaction.member(names[-1] if names else "", found.got)
    value = parts[part]
    for name in names:
        try:
            value = value[int(name) if isinstance(value, list) else name]
        except (LookupError, TypeError, ValueError):
            return redaction.REDACTED  # it is within a secret, or in a body that cannot be shown as JSON
    return value

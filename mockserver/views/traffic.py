"""Functions that make the records of requests, e-mails, webhook calls, faults and stubs, with secrets redacted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple

from marshmallow import fields, validate

from mockserver.beyond.stubs.schema import StubItem, written_of
from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.state import faults, stubs
from mockserver.core.traffic import causes, exchange, mail, match, receivers
from mockserver.core.traffic.causes import CallRecord, Changed, Links
from mockserver.core.traffic.match import Difference
from mockserver.resources.deliveries import delivery as model
from mockserver.resources.deliveries.model import request_headers, request_url
from mockserver.resources.inbound.model import InboundEvent
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.scenario.faults import FaultItem, operations_of
from mockserver.views import redaction
from mockserver.views import traffic_records as records
from mockserver.views.record import Keyword, Mark, made
from mockserver.views.traffic_records import Cause
from mockserver.web.schemas import json_text
from mockserver.web.service.exchange import complete

#: The most causes that a member lists. Chosen: more than anybody reads, and few enough for a list of records.
_MOST = 1_000


def show_causes(rows: Iterable[causes.Cause]) -> list[Cause]:
    return [Cause._make((row.kind, row.id)) for row in rows]


def linked(kind: str, thing: causes.Thing, links: Links | None) -> dict[str, list[Cause]]:
    """Return the members `caused` and `caused_by` of a thing, at most a thousand causes each."""
    if links is None:
        return {"caused": [], "caused_by": []}
    found = causes.Cause(kind, thing)
    caused, caused_by = links.caused(found), links.caused_by(found)
    return {"caused": show_causes(caused[:_MOST]), "caused_by": show_causes(caused_by[:_MOST])}


def real(seconds: float) -> datetime:
    """Return a moment of real time that is given in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC)


def show_transition(change: Changed) -> records.Transition:
    caused_by = [] if change.cause is None else [change.cause]
    return made(
        records.Transition,
        change,
        real_at=real(change.real_at),
        caused=show_causes(change.caused),
        caused_by=show_causes(caused_by),
    )


# ---------------------------------------------------------------------- requests


def show_exchange(row: exchange.Exchange) -> records.Exchange:
    return made(
        records.Exchange,
        row,
        real_at=real(row.real_at),
        path=redaction.plain(row.path),
        query=redaction.parameters(row.query),
        request=records.Message(redaction.headers(row.headers), redaction.body(row.headers, row.body)),
        answer=_answer(row),
        held=row.is_held,
        transitions=list(map(show_transition, row.transitions)),
        warnings=list(map(redaction.plain, row.warnings)),
        reason=row.reason and redaction.plain(row.reason),
        ms=round(row.ms, 3),
        **linked(causes.REQUEST, row.id, row.links),
    )


def _answer(row: exchange.Exchange) -> records.Message | None:
    if row.status is None:
        return None
    # The journal keeps only the headers that not every answer has.
    headers = complete(row.answer_body, row.status, row.answer_headers)
    return records.Message(redaction.headers(headers), redaction.body(headers, row.answer_body))


def show_control_call(row: CallRecord, links: Links) -> records.ControlCall:
    return made(
        records.ControlCall,
        row,
        real_at=real(row.real_at),
        path=redaction.plain(row.path),
        query=redaction.parameters(row.query),
        body=redaction.body((("content-type", row.content_type),), row.body, row.path),
        left_out=row.left_out or None,
        transitions=list(map(show_transition, row.transitions)),
        **linked(causes.CONTROL, row.id, links),
    )


def show_near_miss(miss: match.NearMiss) -> records.NearMiss:
    """Return the record of a near miss; the request is redacted once for all differences."""
    shown = show_exchange(miss.exchange)
    parts = {"json": shown.request.body, "query": shown.query, "headers": shown.request.headers}
    differing = [records.Differing(row.path, row.wanted, _got(parts, row)) for row in miss.differences]
    return records.NearMiss(shown.id, shown.operation, shown.method, shown.path, differing, miss.further or None)


def _got(parts: Mapping[str, Any], found: Difference) -> Any:
    """Return the redacted value at the place of a difference; `parts` are the redacted parts of the request."""
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


# ---------------------------------------------------------------------- e-mails and webhook calls


def show_mail(row: mail.Mail, sending: mail.Sending | None, links: Links) -> records.Mail:
    """Return the record of an e-mail; `sending` is the SMTP progress or None."""
    details = row.details
    return made(
        records.Mail,
        row,
        smtp=None if sending is None else made(records.Sending, sending),
        cc=row.addressed(mail.CC),
        bcc=row.addressed(mail.BCC),
        recipients=[records.Recipient(part.kind, part.party.email, part.party.name) for part in details.recipients],
        reply_to=details.reply_to and str(details.reply_to),
        headers=details.headers,
        tags=details.tags,
        message_id=details.message_id,
        attachments=[made(records.Attachment, file) for file in details.attachments],
        template_id=details.template_id,
        params=details.params,
        **linked(causes.MAIL, row.id, links),
    )


def show_delivery(account: str, row: model.Delivery, links: Links) -> records.Delivery:
    """Return the record of a delivery; `account` is the account's name."""
    return made(
        records.Delivery,
        row,
        account=account,
        event=row.events[0] if len(row.events) == 1 else row.events,
        url=row.target.url,
        attempts=tuple(_attempt(row, attempt) for attempt in row.attempts),
        **linked(causes.DELIVERY, row.id, links),
    )


def _attempt(delivery: model.Delivery, attempt: model.Attempt) -> records.Attempt:
    target = attempt.target or delivery.target
    body = delivery.payloads if delivery.batched else delivery.payloads[0]
    request = records.AttemptedCall("POST", request_url(target), dict(request_headers(target)), body)
    return records.Attempt(attempt.at, request, attempt.status, attempt.error if attempt.status is None else None)


def show_inbound(account: str, row: InboundEvent, links: Links) -> records.InboundMail:
    """Return the record of an inbound e-mail of an account, which is given by its name."""
    return made(records.InboundMail, row, at=row.date, account=account, **linked(causes.MAIL, row.uuid, links))


def show_receiver(row: receivers.Receiver) -> records.ReceiverSummary:
    return records.ReceiverSummary(row.name, records.Manner(*row.manner), row.answered, row.kept, row.evicted)


def show_received(row: receivers.Receiver, calls: Sequence[receivers.ReceivedCall]) -> records.ReceiverCalls:
    return records.ReceiverCalls(
        row.name, records.Manner(*row.manner), row.answered, row.kept, row.evicted, [_received(call) for call in calls]
    )


def _received(call: receivers.ReceivedCall) -> records.Call:
    headers = {name.lower(): value for name, value in call.headers}
    return records.Call(call.at, call.method, call.path, call.query, headers, _received_body(call))


def _received_body(call: receivers.ReceivedCall) -> Any:
    if call.left_out:
        return f"{call.left_out:,} bytes, too many to be kept"
    try:
        return json_text.read(call.body) if call.body else None
    except json_text.JsonError:
        return call.body.decode(errors="replace")


# ---------------------------------------------------------------------- faults and stubs


class FaultKind(NamedTuple):
    """A fault kind."""

    fault: Annotated[str, Keyword("enum", tuple(faults.FAULT_KINDS))]
    does: str
    parameters: Sequence[str]
    status: Annotated[int | None, Mark.OMITTED, "of a named fault; so are those below"]
    code: Annotated[str | None, Mark.OMITTED, Keyword("enum", tuple(ALL_CODES))]
    message: Annotated[str | None, Mark.OMITTED]
    operations: Annotated[Sequence[Annotated[str, Keyword("enum", tuple(ALL_OPERATIONS))]] | None, Mark.OMITTED]


def show_fault_kind(name: str, kind: faults.FaultKind) -> FaultKind:
    code = kind.code
    if code is None:
        return FaultKind(name, kind.summary, kind.parameters, None, None, None, None)
    status, message = kind.status or code.status, kind.message or code.message
    return FaultKind(name, kind.summary, kind.parameters, status, code.code, message, operations_of(kind))


class Rule(FaultItem):
    """The OpenAPI schema of a fault as `show_rule` returns it."""

    id = fields.String(required=True)
    hits = fields.Integer(required=True, validate=validate.Range(min=0))
    active = fields.Boolean(required=True, metadata={"description": "whether it can still hit"})
    expires_at = fields.DateTime()  # type: ignore[assignment]  # what is answered is never relative


def show_rule(fault: faults.Fault, now: datetime) -> dict[str, Any]:
    """Return a fault with its state at a time of the workspace's clock."""
    ends = {} if fault.expires_at is None else {"expires_at": fault.expires_at}
    return {"id": fault.id, **fault.written, "hits": fault.hits, "active": fault.is_active(now), **ends}


def _number(about: str) -> Any:
    return fields.Integer(required=True, validate=validate.Range(min=0), metadata={"description": about})


class Stub(StubItem):
    """The OpenAPI schema of a stub as `show_stub` returns it."""

    id = fields.String(required=True)
    match = fields.Dict(keys=fields.String())  # type: ignore[assignment]  # as it was written
    hits = _number("how many requests it has answered")
    position = _number("how many answers of its sequence it has given")
    active = fields.Boolean(required=True, metadata={"description": "whether it can still answer"})


def show_stub(stub: stubs.Stub) -> dict[str, Any]:
    state = {"hits": stub.hits, "position": stub.position, "active": stub.is_active}
    return {"id": stub.id, **written_of(stub), **state}

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
from mockserver.views.record import Keyword, Mark
from mockserver.views.traffic_records import (
    Attachment,
    Attempt,
    AttemptedCall,
    Call,
    Cause,
    ControlCall,
    Delivery,
    Differing,
    Exchange,
    InboundMail,
    Mail,
    Manner,
    Message,
    NearMiss,
    ReceiverCalls,
    ReceiverSummary,
    Recipient,
    Sending,
    Transition,
)
from mockserver.web.schemas import json_text
from mockserver.web.service.exchange import complete

#: The most causes that a member lists. Chosen: more than anybody reads, and few enough for a list of records.
_MOST = 1_000


def show_causes(rows: Iterable[causes.Cause]) -> list[Cause]:
    """Return the records of causes."""
    return [Cause(*_named(row)) for row in rows]


def _named(row: causes.Cause) -> tuple[Any, str]:
    return row.kind, row.id


def linked(kind: str, thing: causes.Thing, links: Links | None) -> tuple[list[Cause], list[Cause]]:
    """Return what a thing has caused and what has caused it, each at most a thousand."""
    if links is None:
        return [], []
    found = causes.Cause(kind, thing)
    return show_causes(links.caused(found)[:_MOST]), show_causes(links.caused_by(found)[:_MOST])


def real(seconds: float) -> datetime:
    """Return a moment of real time that is given in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC)


def show_transition(change: Changed) -> Transition:
    """Return the record of a transition."""
    return Transition(
        at=change.at,
        machine=change.machine,
        key=change.key,
        event=change.event,
        source=change.source,
        target=change.target,
        real_at=real(change.real_at),
        caused=show_causes(change.caused),
        caused_by=[] if change.cause is None else show_causes([change.cause]),
    )


# ---------------------------------------------------------------------- requests


def show_exchange(row: exchange.Exchange) -> Exchange:
    """Return the record of a request with its answer."""
    caused, caused_by = linked(causes.REQUEST, row.id, row.links)
    transitions: Any = list(map(show_transition, row.transitions))
    return Exchange(
        id=row.id,
        at=row.at,
        real_at=real(row.real_at),
        operation=row.operation,
        method=row.method,
        path=redaction.plain(row.path),
        query=redaction.parameters(row.query),
        account=row.account,
        request=Message(redaction.headers(row.headers), redaction.sent(row.headers, row.body)),
        status=row.status,
        answer=_answer(row),
        fault=row.fault,
        held=row.is_held,
        beyond=row.beyond,
        stub=row.stub,
        transitions=transitions,
        warnings=list(map(redaction.plain, row.warnings)),
        reason=row.reason and redaction.plain(row.reason),
        caused=caused,
        caused_by=caused_by,
        ms=round(row.ms, 3),
    )


def _answer(row: exchange.Exchange) -> Message | None:
    if row.status is None:
        return None
    # The journal keeps only the headers that not every answer has.
    headers = complete(row.answer_body, row.status, row.answer_headers)
    return Message(redaction.headers(headers), redaction.answered(row.answer_body))


def show_control_call(row: CallRecord, links: Links) -> ControlCall:
    """Return the record of a control call."""
    caused, caused_by = linked(causes.CONTROL, row.id, links)
    return ControlCall(
        id=row.id,
        at=row.at,
        real_at=real(row.real_at),
        method=row.method,
        path=redaction.plain(row.path),
        query=redaction.parameters(row.query),
        body=redaction.sent((("content-type", row.content_type),), row.body),
        left_out=row.left_out or None,
        status=row.status,
        transitions=list(map(show_transition, row.transitions)),
        caused=caused,
        caused_by=caused_by,
    )


def show_near_miss(miss: match.NearMiss) -> NearMiss:
    """Return the record of a near miss, whose request is redacted once, however many differences there are."""
    shown = show_exchange(miss.exchange)
    parts = {"json": shown.request.body, "query": shown.query, "headers": shown.request.headers}
    differing = [Differing(row.path, row.wanted, _got(parts, row)) for row in miss.differences]
    return NearMiss(shown.id, shown.operation, shown.method, shown.path, differing, miss.further or None)


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


def show_mail(row: mail.Mail, sending: mail.Sending | None, links: Links) -> Mail:
    """Return the record of an e-mail; `sending` is its progress to a real SMTP server, if there is one."""
    caused, caused_by = linked(causes.MAIL, row.id, links)
    machine: Any = row.machine
    smtp: Any = None if sending is None else Sending(sending.state, sending.tries, sending.error)
    return Mail(
        id=row.id,
        at=row.at,
        to=row.to,
        sender=row.sender,
        subject=row.subject,
        text=row.text,
        html=row.html,
        otp=row.otp,
        smtp=smtp,
        account=row.account,
        machine=machine,
        key=row.key,
        request=row.request,
        cc=row.addressed(mail.CC),
        bcc=row.addressed(mail.BCC),
        recipients=[Recipient(part.kind, part.party.email, part.party.name) for part in row.details.recipients],
        reply_to=row.details.reply_to and str(row.details.reply_to),
        headers=row.details.headers,
        tags=row.details.tags,
        message_id=row.details.message_id,
        attachments=[Attachment(file.name, file.size, file.url) for file in row.details.attachments],
        template_id=row.details.template_id,
        params=row.details.params,
        caused=caused,
        caused_by=caused_by,
    )


def show_delivery(account: str, row: model.Delivery, links: Links) -> Delivery:
    """Return the record of a delivery of an account, which is given by its name."""
    caused, caused_by = linked(causes.DELIVERY, row.id, links)
    state: Any = row.state
    return Delivery(
        id=row.id,
        state=state,
        account=account,
        webhook=row.webhook,
        export=row.export,
        event=row.events[0] if len(row.events) == 1 else row.events,
        url=row.target.url,
        created_at=row.created_at,
        next_at=row.next_at,
        in_flight=row.in_flight,
        attempts=tuple(_attempt(row, attempt) for attempt in row.attempts),
        caused=caused,
        caused_by=caused_by,
        attempts_evicted=row.attempts_evicted,
    )


def _attempt(delivery: model.Delivery, attempt: model.Attempt) -> Attempt:
    target = attempt.target or delivery.target
    body = delivery.payloads if delivery.batched else delivery.payloads[0]
    request = AttemptedCall("POST", request_url(target), dict(request_headers(target)), body)
    return Attempt(attempt.at, request, attempt.status, attempt.error if attempt.status is None else None)


def show_inbound(account: str, row: InboundEvent, links: Links) -> InboundMail:
    """Return the record of an inbound e-mail of an account, which is given by its name."""
    caused, caused_by = linked(causes.MAIL, row.uuid, links)
    return InboundMail(row.uuid, row.date, account, row.sender, row.recipient, caused, caused_by)


def show_receiver(row: receivers.Receiver) -> ReceiverSummary:
    """Return the record of a receiver."""
    return ReceiverSummary(row.name, Manner(*row.manner), row.answered, row.kept, row.evicted)


def show_received(row: receivers.Receiver, calls: Sequence[receivers.ReceivedCall]) -> ReceiverCalls:
    """Return the record of a receiver with some of its calls."""
    return ReceiverCalls(
        row.name, Manner(*row.manner), row.answered, row.kept, row.evicted, [_received(call) for call in calls]
    )


def _received(call: receivers.ReceivedCall) -> Call:
    headers = {name.lower(): value for name, value in call.headers}
    return Call(call.at, call.method, call.path, call.query, headers, _received_body(call))


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
    """Return the record of a fault kind."""
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
    """Return a fault as it was written, with its state at a moment of the workspace's clock."""
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
    """Return a stub as it was written, with its state."""
    state = {"hits": stub.hits, "position": stub.position, "active": stub.is_active}
    return {"id": stub.id, **written_of(stub), **state}

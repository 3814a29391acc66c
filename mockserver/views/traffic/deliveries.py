"""The views of webhook calls, and of inbound mails with the webhook calls that they cause."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from marshmallow import fields, validate

from mockserver.core.traffic.causes import DELIVERY, MAIL, Links
from mockserver.resources.deliveries import delivery as model
from mockserver.resources.deliveries.model import request_headers, request_url
from mockserver.resources.inbound.model import InboundEvent
from mockserver.views.base import members
from mockserver.views.base.view import View, listing
from mockserver.views.traffic import causes


class Owned(NamedTuple):
    """A row of `Delivery`: a delivery, the name of the account to which it belongs, and the links of its workspace."""

    account: str
    delivery: model.Delivery
    links: Links


class Call(View):
    method = members.text()
    url = members.text("without credentials")
    headers = members.mapping(fields.String())
    body = members.needed(fields.Raw)


class Attempt(View):
    at = members.moment()
    request = members.part(Call)
    status = members.maybe(fields.Integer)
    error = members.maybe(fields.String, about="why there was no answer")


def _event(row: Owned) -> str | list[str]:
    events = row.delivery.events
    return events[0] if len(events) == 1 else events


def _attempts(row: Owned) -> list[Mapping[str, Any]]:
    return [_attempt(row.delivery, attempt) for attempt in row.delivery.attempts]


def _attempt(delivery: model.Delivery, attempt: model.Attempt) -> Mapping[str, Any]:
    target = attempt.target or delivery.target
    request = {
        "method": "POST",
        "url": request_url(target),
        "headers": dict(request_headers(target)),
        "body": delivery.payloads if delivery.batched else delivery.payloads[0],
    }
    error = attempt.error if attempt.status is None else None
    return {"at": attempt.at, "request": request, "status": attempt.status, "error": error}


class Delivery(View):
    """A webhook call of the service to an address of a user, with its attempts."""

    id = members.number(least=1, attribute="delivery.id")
    state = members.text(validate=validate.OneOf(model.MACHINE.states), attribute="delivery.state")
    account = members.text()
    webhook = members.number(allow_none=True, attribute="delivery.webhook")
    export = members.number("of the process whose file is ready", allow_none=True, attribute="delivery.export")
    event = fields.Raw(
        required=True,
        metadata={"type": ["string", "array"], "description": "a name, or those of a batch", members.OF: _event},
    )
    url = members.text(attribute="delivery.target.url")
    created_at = members.moment(attribute="delivery.created_at")
    next_at = members.moment("when it is tried next", allow_none=True, attribute="delivery.next_at")
    in_flight = members.flag("whether an attempt is under way", attribute="delivery.in_flight")
    attempts = members.many(Attempt, "oldest first", of=_attempts)
    caused, caused_by = causes.linked(DELIVERY, attrgetter("delivery.id"), attrgetter("links"))
    attempts_evicted = members.evicted(attribute="delivery.attempts_evicted")


Deliveries = listing(Delivery, "Deliveries")
DeliveryPage = listing(Delivery, "DeliveryPage", evicted=members.evicted())


class Received(NamedTuple):
    """A row of `InboundMail`: the record of a mail that came in, the name of the account that got it, and the links."""

    account: str
    event: InboundEvent
    links: Links


class InboundMail(View):
    """A mail that came in, once for each recipient."""

    uuid = members.needed(fields.UUID, attribute="event.uuid")
    date = members.moment("when it reached the service", attribute="event.date")
    account = members.text()
    sender = members.text(attribute="event.sender")
    recipient = members.text(attribute="event.recipient")
    caused, caused_by = causes.linked(MAIL, attrgetter("event.uuid"), attrgetter("links"))


InboundMails = listing(InboundMail, "InboundMails")


class Arrived(View):
    """An inbound mail, and the webhook calls that it causes."""

    uuid = members.needed(fields.UUID)
    date = members.moment()
    deliveries = members.many(Delivery)

"""What leaves the mock, and what comes in: deliveries, received mails, receivers."""

from __future__ import annotations

from marshmallow import fields, validate

from mockserver.control.answers import members
from mockserver.resources.deliveries.model import MACHINE
from mockserver.web.schemas.schema import Base


class Call(Base):
    method = members.text()
    url = members.text("without credentials")
    headers = members.mapping(fields.String())
    body = members.needed(fields.Raw)


class Attempt(Base):
    at = members.moment()
    request = members.part(Call)
    status = fields.Integer()
    error = fields.String(metadata={"description": "why there was no answer"})


class Delivery(Base):
    """A call of the service to an address of a user's."""

    id = members.number(least=1)
    state = members.text(validate=validate.OneOf(MACHINE.states))
    account = members.text()
    webhook = members.number(allow_none=True)
    export = members.number("of the process whose file is ready", allow_none=True)
    event = fields.Raw(
        required=True, metadata={"type": ["string", "array"], "description": "a name, or those of a batch"}
    )
    url = members.text()
    created_at = members.moment()
    next_at = members.moment("when it is tried next", allow_none=True)
    in_flight = members.flag("whether an attempt is under way")
    attempts = members.many(Attempt, "oldest first")
    attempts_evicted = members.evicted()


Deliveries = members.listing(Delivery, "Deliveries")
DeliveryPage = members.listing(Delivery, "DeliveryPage", evicted=members.evicted())


class Arrived(Base):
    uuid = members.needed(fields.UUID)
    date = members.moment()
    deliveries = members.many(Delivery)


class MannerOut(Base):
    status = members.number()
    delay_ms = members.needed(fields.Float)
    reset = members.flag()
    times = members.number(allow_none=True)


class Receiver(Base):
    name = members.text()
    answers = members.part(MannerOut)
    count = members.number("of the calls that are kept")
    evicted = members.evicted()


Receivers = members.listing(Receiver, "Receivers")


class ReceivedCall(Base):
    at = members.moment()
    method = members.text()
    path = members.text()
    query = members.text()
    headers = members.mapping(fields.String())
    body = members.needed(fields.Raw, allow_none=True)


class ReceiverCalls(Receiver):
    items = members.many(ReceivedCall, "newest first")

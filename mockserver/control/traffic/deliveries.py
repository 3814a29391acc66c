"""`/_mock/deliveries`, `/_mock/receivers` and `/_mock/exports`: webhook calls, test receivers, and exported files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from mockserver.control.framework import inputs
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import Problem, existing, of_transition, unknown
from mockserver.control.traffic.filters import check_event
from mockserver.core.state.state import Account
from mockserver.core.time.state_machine import TransitionRefused
from mockserver.core.traffic.exchange import Wire, WireForm
from mockserver.core.traffic.receivers import MOST, Manner, ReceivedCall, Receiver
from mockserver.core.waiting import Kinds
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import MACHINE
from mockserver.resources.deliveries.delivery import Delivery as DeliveryRow
from mockserver.resources.deliveries.model import DELIVERY, DeliveryCriteria, select
from mockserver.resources.deliveries.trial import SENT_AS, TrialError, plan_calls, send
from mockserver.resources.section import Item, Span, about
from mockserver.resources.webhooks.history import ACCEPTED, EXPORT
from mockserver.resources.webhooks.model import Webhook
from mockserver.views.record import Evicted, listing
from mockserver.views.traffic import show_delivery, show_received, show_receiver
from mockserver.views.traffic_records import Delivery, ReceiverCalls, ReceiverSummary
from mockserver.web.schemas.fields import Flag
from mockserver.web.server import loop, wire
from mockserver.web.server.waiting import LONGEST_WAIT, begun, wait_for

DELIVERIES = ControlResource("deliveries", "/_mock/deliveries")

#: Begins an attempt after the one of the given delivery, and returns the delivery of the attempt.
Step = Callable[[DeliveryRow], DeliveryRow]
#: The kinds of news after which the state of a delivery, or whether an attempt is under way, may have changed.
_NEWS: Kinds = frozenset({"transition", "job"})


class DeliveryFilter(inputs.Part):
    webhook = fields.Integer()
    state = fields.String(validate=validate.OneOf(MACHINE.states))
    event = fields.String(validate=check_event)
    wait = inputs.wait()


@DELIVERIES.call("GET", query=DeliveryFilter, answer=listing("DeliveryPage", Delivery, evicted=Evicted))
def index(workspace: Workspace, query: dict[str, Any]) -> Any:
    """The calls, newest first, with their attempts; with `wait`, as soon as one matches."""
    criteria = DeliveryCriteria(query.get("webhook"), query.get("state"), query.get("event"))
    found = wait_for(request.environ, workspace, query["wait"], lambda: select(workspace, criteria), _NEWS)
    part = inputs.part_of(found, query)
    loop.leave_if_long(row.text_size for _, row in part)
    rows = [show_delivery(account.name, row, workspace.links) for account, row in part]
    return listed(rows, len(found), evicted=workspace.state.evicted_deliveries)


@DELIVERIES.call("GET", "/<identifier>", answer=Delivery)
def show(workspace: Workspace, identifier: str) -> Delivery:
    """One call with its attempts."""
    account, row = _found(workspace, identifier)
    loop.leave_if_long([row.text_size])
    return show_delivery(account.name, row, workspace.links)


class Redelivery(Item):
    sent_as = fields.String(
        data_key="as", validate=validate.OneOf(SENT_AS), **about("how to put the receiver on trial, in new deliveries")
    )


@DELIVERIES.call("POST", "/<identifier>/redeliver", body=Redelivery, answer=Delivery, problems=(409,))
def redeliver(workspace: Workspace, identifier: str, body: dict[str, Any]) -> Delivery:
    """Send a webhook call again, with retries after a failure; the answer comes after the first attempt."""
    sent_as = body.get("sent_as")
    account, row = _found(workspace, identifier)
    loop.leave_if_long([row.text_size])
    steps = begun(request.environ, "redelivery", lambda: _redelivery(workspace, account, row, sent_as))
    for number, step in enumerate(steps):
        row = begun(request.environ, f"attempt {number}", partial(step, row))
        if not wait_for(request.environ, workspace, LONGEST_WAIT, partial(_finished, account, row), _NEWS):
            break
    return show_delivery(account.name, row, workspace.links)


def _redelivery(workspace: Workspace, account: Account, delivery: DeliveryRow, sent_as: str | None) -> list[Step]:
    """Return one function per attempt; each starts its attempt after the previous one ended."""
    if sent_as is None:
        return [partial(_redeliver, workspace, account)]
    webhook = account.table(Webhook).get(delivery.webhook or 0)
    target = delivery.target if webhook is None else webhook.target
    try:
        calls = plan_calls(account, delivery, target, sent_as)
    except TrialError as error:
        raise Problem(409, str(error)) from error
    return [partial(send, workspace, account, call, sent_as) for call in calls]


def _redeliver(workspace: Workspace, account: Account, delivery: DeliveryRow) -> DeliveryRow:
    """Start another attempt of a delivery immediately."""
    if delivery.in_flight:
        raise Problem(409, f"an attempt of delivery {delivery.id} is under way; try again when it is over")
    try:
        DELIVERY.fire(workspace, account, delivery, "redeliver")
    except TransitionRefused as error:
        raise of_transition(error) from error
    workspace.catch_up()
    return delivery


def _finished(account: Account, delivery: DeliveryRow) -> list[DeliveryRow]:
    """Return a list with the delivery, or an empty list during an attempt."""
    is_under_way = delivery.in_flight and account.table(DeliveryRow).get(delivery.id) is delivery
    return [] if is_under_way else [delivery]


def _found(workspace: Workspace, identifier: str) -> tuple[Account, DeliveryRow]:
    return existing(DELIVERY.find(workspace, identifier), "delivery", identifier, "GET /_mock/deliveries lists all")


# ---------------------------------------------------------------------- receivers

RECEIVERS = ControlResource("receivers", "/_mock/receivers")
RECEIVER = ControlResource("receiver", "/_mock/receiver")


class MannerItem(Item):
    """How a receiver answers from now on."""

    status = fields.Integer(strict=True, validate=validate.Range(200, 599))
    #: In milliseconds, or a duration such as `2s`.
    delay_ms = Span(timedelta(milliseconds=1), validate=validate.Range(0, 600_000))
    reset = Flag()
    times = fields.Integer(strict=True, validate=validate.Range(min=1, max=2**53))

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        if not data:
            raise ValidationError("give status, delay_ms, reset or times")

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Manner:
        return Manner(**data)


class CallFilter(inputs.Part):
    #: For how many calls `wait` waits.
    count = fields.Integer(load_default=1, validate=validate.Range(1, 1000))
    wait = inputs.wait()


def take(workspace: Workspace, name: str) -> Response:
    """Receive a call, as a webhook's address would."""
    receiver = _made(workspace, name)
    got = ReceivedCall(
        workspace.state.clock.now(), request.method, request.path, request.query_string.decode("latin-1"),
        request.headers.to_wsgi_list(), request.get_data(),
    )  # fmt: skip
    manner = workspace.receivers.take(receiver, got)
    workspace.watchers.tell("received")
    form = WireForm.RESET if manner.reset else WireForm.WHOLE
    return wire.transmit(Wire(form, manner.delay_ms / 1000), Response(status=manner.status), request.environ)


for _method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
    RECEIVER.call(_method, "/<name>", media=(), is_open=True, only_reads=True, problems=(409,))(take)


@RECEIVERS.call("GET", answer=listing("Receivers", ReceiverSummary))
def receivers(workspace: Workspace) -> Any:
    """List the receivers that were called or programmed."""
    return listed(list(map(show_receiver, workspace.receivers)))


@RECEIVERS.call("GET", "/<name>", query=CallFilter, answer=ReceiverCalls)
def received(workspace: Workspace, name: str, query: dict[str, Any]) -> ReceiverCalls:
    """The calls that came in, newest first; with `wait`, as soon as there are `count` of them."""
    kinds: Kinds = frozenset({"received"})
    wait_for(request.environ, workspace, query["wait"], lambda: _enough(workspace, name, query["count"]), kinds)
    receiver = workspace.receivers.get(name) or Receiver(name)
    calls = inputs.part_of(workspace.receivers.calls(receiver), query)
    loop.leave_if_long(len(row.body) for row in calls)
    return show_received(receiver, calls)


@RECEIVERS.call("PUT", "/<name>", body=MannerItem, answer=ReceiverSummary, problems=(409,))
def change(workspace: Workspace, name: str, body: Manner) -> ReceiverSummary:
    """Program the answers of the receiver, permanently or for a number of calls (`times`)."""
    receiver = _made(workspace, name)
    receiver.answer_by(body)
    return show_receiver(receiver)


@RECEIVERS.call("DELETE", "/<name>", status=204)
def clear(workspace: Workspace, name: str) -> None:
    """Forget all calls, and answer 200 again."""
    workspace.receivers.remove(name)


def _made(workspace: Workspace, name: str) -> Receiver:
    found = workspace.receivers.made(name)
    if found is None:
        raise Problem(409, f"receiver limit reached: {MOST}; delete some")
    return found


def _enough(workspace: Workspace, name: str, count: int) -> Sequence[ReceivedCall]:
    receiver = workspace.receivers.get(name)
    return workspace.receivers.calls(receiver) if receiver is not None and receiver.kept >= count else []


# ---------------------------------------------------------------------- exports

EXPORTS = ControlResource("exports", "/_mock/exports")


@EXPORTS.call("GET", "/<name>", media=("text/csv",), is_open=True, problems=(409,))
def export(workspace: Workspace, name: str) -> Response:
    """Return the file of an export as CSV, or 409 before the export is ready."""
    found = next((row for _, row in EXPORT.instances(workspace) if row.url.endswith(f"/{name}")), None)
    if found is None or not name:
        raise unknown("export", name, "GET /_mock/machines/export lists all")
    if found.state == ACCEPTED:
        raise Problem(409, f"the export is ready at {found.ready_at:%Y-%m-%dT%H:%M:%SZ} only; advance the clock")
    if found.content is None:
        raise Problem(404, "the file of this export was evicted (--deliveries-bytes-limit); request a new export")
    headers = {"Content-Disposition": f'attachment; filename="webhooks-{found.id}.csv"'}
    return Response(found.content, content_type="text/csv; charset=utf-8", headers=headers)

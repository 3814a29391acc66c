"""`/_mock/deliveries`: the webhook calls of the service, with their attempts."""

from __future__ import annotations

from typing import Any

from flask import Response
from marshmallow import fields, validate

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.problem import Problem, of_transition, unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.control.framework.waiting import LONGEST_WAIT, begun, wait_for
from mockserver.core.state.state import Account
from mockserver.core.time.state_machine import TransitionRefused
from mockserver.core.waiting import Kinds
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import MACHINE, Delivery
from mockserver.resources.deliveries.model import DELIVERY, DeliveryCriteria, select
from mockserver.resources.section import Item
from mockserver.views.traffic import deliveries as shown
from mockserver.views.traffic.deliveries import DeliveryPage, Owned

DELIVERIES = ControlResource("deliveries", "/_mock/deliveries")

#: What watchers are told when the state of a delivery, or whether an attempt is under way, may have changed.
_NEWS: Kinds = frozenset({"transition", "job"})


class DeliveryFilter(Item):
    webhook = fields.Integer()
    state = fields.String(validate=validate.OneOf(MACHINE.states))
    event = fields.String()
    limit = parameters.limit()
    offset = parameters.offset()
    wait = parameters.wait()


@DELIVERIES.call("GET", query=DeliveryFilter, answer=DeliveryPage)
def index(query: dict[str, Any]) -> Response:
    """The calls, newest first, with their attempts; with `wait`, as soon as one matches."""
    workspace = target.workspace()
    criteria = DeliveryCriteria(query.get("webhook"), query.get("state"), query.get("event"))
    found = wait_for(workspace, query["wait"], lambda: select(workspace, criteria), _NEWS)
    with workspace.lock:
        part = parameters.part_of(found, query)
        off_loop.before_showing(row.text_size for _, row in part)
        rows = [Owned(account.name, row, workspace.links) for account, row in part]
        return answers.listed(rows, len(found), evicted=workspace.state.evicted_deliveries)


@DELIVERIES.call("GET", "/<identifier>", answer=shown.Delivery)
def show(identifier: str) -> Response:
    """One call with its attempts."""
    workspace = target.workspace()
    with workspace.lock:
        account, row = _found(workspace, identifier)
        off_loop.before_showing([row.text_size])
        return answers.answer(Owned(account.name, row, workspace.links))


@DELIVERIES.call("POST", "/<identifier>/redeliver", answer=shown.Delivery, problems=(409,))
def redeliver(identifier: str) -> Response:
    """Send it again now, and again later if it fails; answers when the attempt is over."""
    workspace = target.workspace()
    with workspace.lock:
        account, delivery = _found(workspace, identifier)
        off_loop.before_showing([delivery.text_size])
        begun("redelivery", lambda: _redeliver(workspace, account, delivery))
    wait_for(workspace, LONGEST_WAIT, lambda: [] if _is_under_way(account, delivery) else [delivery], _NEWS)
    with workspace.lock:
        return answers.answer(Owned(account.name, delivery, workspace.links))


def _redeliver(workspace: Workspace, account: Account, delivery: Delivery) -> bool:
    """Begin another attempt of a delivery at once; true, for `begun` keeps a value.

    Raises:
        Problem: 409, an attempt is under way, or the state of the delivery does not allow another one.
    """
    if delivery.in_flight:
        raise Problem(409, f"an attempt of delivery {delivery.id} is under way; try again when it is over")
    try:
        DELIVERY.fire(workspace, account, delivery, "redeliver")
    except TransitionRefused as error:
        raise of_transition(error) from error
    workspace.catch_up()
    return True


def _is_under_way(account: Account, delivery: Delivery) -> bool:
    """Whether an attempt is under way, and the delivery has not been removed meanwhile."""
    return delivery.in_flight and account.table(Delivery).get(delivery.id) is delivery


def _found(workspace: Workspace, identifier: str) -> tuple[Account, Delivery]:
    found = DELIVERY.find(workspace, identifier)
    if found is None:
        raise unknown("delivery", identifier, "GET /_mock/deliveries lists all")
    return found

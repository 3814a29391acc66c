"""`/_mock/receiver/{name}` and `/_mock/receivers/{name}`: receivers of webhook calls, for tests that have none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.problem import Problem
from mockserver.control.framework.resource import ControlResource
from mockserver.control.framework.waiting import wait_for
from mockserver.core.traffic.exchange import Wire, WireForm
from mockserver.core.traffic.receivers import MOST, Manner, ReceivedCall, Receiver
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item, Span
from mockserver.views.traffic import receivers as shown
from mockserver.web.schemas.fields import Flag
from mockserver.web.server import wire

RECEIVERS = ControlResource("receivers", "/_mock/receivers")
RECEIVER = ControlResource("receiver", "/_mock/receiver")

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


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


class CallFilter(Item):
    limit = parameters.limit()
    offset = parameters.offset()
    #: For how many calls `wait` waits.
    count = fields.Integer(load_default=1, validate=validate.Range(1, 1000))
    wait = parameters.wait()


def take(name: str) -> Response:
    """Take a call, as a webhook's address would."""
    workspace = target.workspace()
    with workspace.lock:
        receiver = _made(workspace, name)
        got = ReceivedCall(
            workspace.state.clock.now(), request.method, request.path, request.query_string.decode("latin-1"),
            request.headers.to_wsgi_list(), request.get_data(),
        )  # fmt: skip
        manner = workspace.receivers.take(receiver, got)
        workspace.watchers.tell("received")
    form = WireForm.RESET if manner.reset else WireForm.WHOLE
    return wire.transmit(Wire(form, manner.delay_ms / 1000), Response(status=manner.status), request.environ)


for _method in _METHODS:
    RECEIVER.call(_method, "/<name>", media=(), is_open=True, only_reads=True, problems=(409,))(take)


@RECEIVERS.call("GET", answer=shown.Receivers)
def index() -> Response:
    """The receivers that were called, or told how to answer."""
    workspace = target.workspace()
    with workspace.lock:
        return answers.listed(list(workspace.receivers))


@RECEIVERS.call("GET", "/<name>", query=CallFilter, answer=shown.ReceiverCalls)
def show(name: str, query: dict[str, Any]) -> Response:
    """The calls that came in, newest first; with `wait`, as soon as there are `count` of them."""
    workspace = target.workspace()
    wait_for(workspace, query["wait"], lambda: _enough(workspace, name, query["count"]), frozenset({"received"}))
    with workspace.lock:
        receiver = workspace.receivers.get(name) or Receiver(name)
        calls = workspace.receivers.calls(receiver)[query["offset"] :][: query["limit"]]
        off_loop.before_showing(len(row.body) for row in calls)
        return answers.answer(shown.received(receiver, calls))


@RECEIVERS.call("PUT", "/<name>", body=MannerItem, answer=shown.Receiver, problems=(409,))
def change(name: str, body: Manner) -> Response:
    """Answer in this manner from now on, or for so many `times`."""
    workspace = target.workspace()
    with workspace.lock:
        receiver = _made(workspace, name)
        receiver.answer_by(body)
        return answers.answer(receiver)


@RECEIVERS.call("DELETE", "/<name>", status=204)
def clear(name: str) -> Response:
    """Forget what came in, and answer 200 again."""
    workspace = target.workspace()
    with workspace.lock:
        workspace.receivers.remove(name)
    return answers.done()


def _made(workspace: Workspace, name: str) -> Receiver:
    found = workspace.receivers.made(name)
    if found is None:
        raise Problem(409, f"receiver limit reached: {MOST}; delete some")
    return found


def _enough(workspace: Workspace, name: str, count: int) -> Sequence[ReceivedCall]:
    receiver = workspace.receivers.get(name)
    return workspace.receivers.calls(receiver) if receiver is not None and receiver.kept >= count else []

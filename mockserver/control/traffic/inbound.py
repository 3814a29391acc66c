"""`/_mock/inbound`: the mails that came in, and a way to let one arrive."""

from __future__ import annotations

from typing import Any

from flask import Response
from marshmallow import fields

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.resource import ControlResource
from mockserver.resources.inbound import model
from mockserver.resources.section import Item
from mockserver.views.traffic.deliveries import Arrived, InboundMails, Owned, Received
from mockserver.web.schemas.fields import Email

INBOUND = ControlResource("inbound", "/_mock/inbound")


class Arrival(Item):
    sender = Email(required=True)
    recipient = Email(required=True)
    subject = fields.String(load_default="Hello")
    text = fields.String(load_default="Hello\n")
    account = fields.String()


@INBOUND.call("GET", query=parameters.Part, answer=InboundMails)
def index(query: dict[str, Any]) -> Response:
    """The mails that came in, newest first, once for each recipient."""
    workspace = target.workspace()
    with workspace.lock:
        found = model.newest(workspace, offset=query["offset"], limit=query["limit"])
        off_loop.before_showing(0 for _ in found)
        accounts = workspace.state.accounts.values()
        count = sum(len(account.timeline_of(model.InboundEvent)) for account in accounts)
        return answers.listed([Received(account.name, row, workspace.links) for account, row in found], count)


@INBOUND.call("POST", body=Arrival, answer=Arrived, status=201)
def arrive(body: dict[str, Any]) -> Response:
    """A mail arrives at the account that listens for its domain: it is recorded, and told to the inbound webhooks."""
    from mockserver.resources.inbound.mail import compose  # noqa: PLC0415  # email is slow to import

    workspace = target.workspace()
    with workspace.lock:
        account = target.named_account(workspace, body)
        account = account or model.receiving_account(workspace, body["recipient"], target.account(workspace, body))
        message = compose(workspace, body["sender"], body["recipient"], body["subject"], body["text"])
        event, made = model.receive(workspace, account, message, body["sender"], body["recipient"])
        workspace.catch_up()
        calls = [Owned(account.name, row, workspace.links) for row in made]
        return answers.answer({"uuid": event.uuid, "date": event.date, "deliveries": calls})

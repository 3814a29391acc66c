"""`/_mock/trigger`: events of e-mails, messages and contacts, raised by hand, of which webhooks are told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flask import Response
from marshmallow import EXCLUDE, ValidationError, fields, validate, validates_schema

from mockserver.control.framework import answers, off_loop, target
from mockserver.control.framework.resource import ControlResource
from mockserver.core.state.state import Account
from mockserver.core.text.messages import meant
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.resources.inbound import model as inbound
from mockserver.resources.section import Item
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.catalogue import STORIES, is_reply, raisable
from mockserver.resources.webhooks.event import CHANNELS, EMAIL, INBOUND, TRANSACTIONAL, TYPES, Category, Occurrence
from mockserver.resources.webhooks.model import Webhook
from mockserver.views.traffic.deliveries import Deliveries, Owned
from mockserver.web.schemas.fields import Email, JsonObject

TRIGGER = ControlResource("trigger", "/_mock/trigger")

_RECIPIENT = "recipient@example.test"
_SENDER = "sender@example.test"


class _Recipient(Item):
    """The recipient of an inbound mail, an e-mail address; recipients of other events may be telephone numbers."""

    to = Email()


class Trigger(Item):
    """An event or a story, and to whom it happens."""

    type = fields.String(validate=validate.OneOf(TYPES))
    event = fields.String()
    channel = fields.String(validate=validate.OneOf(CHANNELS))
    story = fields.String(validate=validate.OneOf(tuple(STORIES)))
    to = fields.String(validate=validate.Length(min=1))
    payload = JsonObject()
    account = fields.String()

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        if ("event" in data) is ("story" in data):
            raise ValidationError("give either event or story")
        if "story" in data:
            for name in {"type", "channel", "payload"} & data.keys():
                raise ValidationError("only allowed together with event", name)
            return
        category = _category(data)
        known = raisable(category)
        if data["event"] not in known:
            of = f"{category.type} webhooks"
            of = of if category.channel == EMAIL else f"{of} of channel {category.channel}"
            near = meant(data["event"], known)
            instead = f"; did you mean {near}?" if near else ""
            raise ValidationError(f"unknown event of {of}; known: {', '.join(known)}{instead}", "event")
        if category.type == INBOUND:
            _Recipient(unknown=EXCLUDE).load(data)


@TRIGGER.call("POST", body=Trigger, answer=Deliveries)
def trigger(body: dict[str, Any]) -> Response:
    """Raise an event, or a whole story, as the service would; answers the calls that it makes."""
    workspace = target.workspace()
    with workspace.lock:
        off_loop.before_showing(row.target.size for _, rows in workspace.state.tables(Webhook) for row in rows.values())
        if _category(body).type == INBOUND:
            account, found = _arrive(workspace, body)
        else:
            account = target.account(workspace, body)
            found = _raise(workspace, account, body)
        workspace.catch_up()
        return answers.listed([Owned(account.name, row, workspace.links) for row in dict.fromkeys(found)])


def _category(body: dict[str, Any]) -> Category:
    """The category of the event: the type and the channel of the webhooks that are told of it."""
    return Category(body.get("type", TRANSACTIONAL), body.get("channel", EMAIL))


def _raise(workspace: Workspace, account: Account, body: dict[str, Any]) -> list[Delivery]:
    to, message_id = body.get("to", _RECIPIENT), events.draw_message_id(workspace)
    if "story" in body:
        return events.raise_story(workspace, account, body["story"], to, message_id, "Hello")
    occurrence = Occurrence(_category(body), body["event"], to, workspace.state.clock.now(), message_id)
    return events.raise_event(workspace, account, occurrence, body.get("payload", {}))


def _arrive(workspace: Workspace, body: dict[str, Any]) -> tuple[Account, list[Delivery]]:
    """Let a mail arrive, as a reply if the event is one; the account that receives it, and the deliveries made."""
    from mockserver.resources.inbound.mail import compose  # noqa: PLC0415  # email is slow to import

    account, to = _addressed(workspace, body)
    is_answer = is_reply(body["event"])
    received = compose(workspace, _SENDER, to, "Re: Hello" if is_answer else "Hello", "Hello\n")
    if is_answer:
        answered = events.draw_message_id(workspace)
        received.members["InReplyTo"] = answered
        received.members["Headers"]["In-Reply-To"] = answered
    _, made = inbound.receive(workspace, account, received, _SENDER, to, body.get("payload", {}))
    return account, made


def _addressed(workspace: Workspace, body: dict[str, Any]) -> tuple[Account, str]:
    """The account and the address at which a mail arrives; without `to`, the address of the first inbound webhook."""
    named, meant = target.named_account(workspace, body), target.account(workspace, body)
    asked = [meant] if named is not None else [meant, *workspace.state.accounts.values()]
    to = body.get("to") or _inbound_address(asked)
    return named or inbound.receiving_account(workspace, to, meant), to


def _inbound_address(accounts: Iterable[Account]) -> str:
    """An address in the domain of the first inbound webhook of the accounts; a default one if there is none."""
    hooks = (row for account in accounts for row in account.rows_of(Webhook).values() if row.type == INBOUND)
    found = (f"reply@{row.domain}" for row in hooks)
    return next((address for address in found if not _Recipient().validate({"to": address})), "reply@example.test")

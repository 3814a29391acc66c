"""`/_mock/trigger` and `/_mock/inbound`: events that are raised by hand, and inbound e-mails."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from marshmallow import EXCLUDE, ValidationError, fields, validate, validates_schema

from mockserver.control.framework import inputs, target
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import of_one
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.messages import nearest
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.campaigns.campaign import Campaign
from mockserver.resources.campaigns.letter import Letter, facts_of
from mockserver.resources.campaigns.sending import last_sent, note_event
from mockserver.resources.campaigns.statistics import COUNTED_EVENTS
from mockserver.resources.deliveries.delivery import Delivery as DeliveryRow
from mockserver.resources.inbound import model as inbound
from mockserver.resources.section import Item
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.catalogue import STORIES, is_reply, raisable
from mockserver.resources.webhooks.event import (
    CHANNELS,
    EMAIL,
    INBOUND,
    MARKETING_EMAIL,
    TRANSACTIONAL,
    TYPES,
    Category,
    Occurrence,
)
from mockserver.resources.webhooks.event_table import CLICKED
from mockserver.resources.webhooks.model import Webhook
from mockserver.views.record import listing
from mockserver.views.traffic import show_delivery, show_inbound
from mockserver.views.traffic_records import Arrival as Arrived
from mockserver.views.traffic_records import Delivery, InboundMail
from mockserver.web.schemas.fields import Email, JsonObject
from mockserver.web.server import loop

TRIGGER = ControlResource("trigger", "/_mock/trigger")

_RECIPIENT = "recipient@example.test"
_SENDER = "sender@example.test"


class _Recipient(Item):
    """The recipient of an e-mail, an address; recipients of other events may be telephone numbers."""

    to = Email()


class Trigger(Item):
    """An event or a story with its recipient."""

    type = fields.String(validate=validate.OneOf(TYPES))
    event = fields.String()
    channel = fields.String(validate=validate.OneOf(CHANNELS))
    story = fields.String(validate=validate.OneOf(tuple(STORIES)))
    to = fields.String(validate=validate.Length(min=1))
    payload = JsonObject()
    account = fields.String()
    #: The id of a campaign; left out: the last campaign that the recipient got.
    campaign = fields.Integer(strict=True)

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        if ("event" in data) is ("story" in data):
            raise ValidationError("give either event or story")
        category = _category(data)
        if category.channel == EMAIL:
            _Recipient(unknown=EXCLUDE).load(data)
        if "story" in data:
            for name in {"type", "channel", "payload", "campaign"} & data.keys():
                raise ValidationError("only allowed together with event", name)
            return
        known = raisable(category)
        if data["event"] not in known:
            of = f"{category.type} webhooks"
            of = of if category.channel == EMAIL else f"{of} of channel {category.channel}"
            raise ValidationError(f"unknown event of {of}; {nearest(data['event'], known)}", "event")
        if "campaign" in data and (category != MARKETING_EMAIL or data["event"] not in COUNTED_EVENTS):
            wanted = ", ".join(sorted(COUNTED_EVENTS))
            raise ValidationError(f"only allowed together with type marketing and one of {wanted}", "campaign")


@TRIGGER.call("POST", body=Trigger, answer=listing("Deliveries", Delivery))
def trigger(workspace: Workspace, body: dict[str, Any]) -> Any:
    """Raise an event, or a whole story, as the service would; answers the calls that it makes."""
    loop.leave_if_long(row.target.size for _, rows in workspace.state.tables(Webhook) for row in rows.values())
    if _category(body).type == INBOUND:
        account, found = _receive(workspace, body)
    else:
        account = target.account(workspace, body)
        found = _raise(workspace, account, body)
    workspace.catch_up()
    return listed([show_delivery(account.name, row, workspace.links) for row in dict.fromkeys(found)])


def _category(body: dict[str, Any]) -> Category:
    return Category(body.get("type", TRANSACTIONAL), body.get("channel", EMAIL))


def _raise(workspace: Workspace, account: Account, body: dict[str, Any]) -> list[DeliveryRow]:
    to, message_id = body.get("to", _RECIPIENT), events.draw_message_id(workspace)
    if "story" in body:
        return events.raise_story(workspace, account, body["story"], to, message_id, "Hello")
    occurrence = Occurrence(_category(body), body["event"], to, workspace.state.clock.now(), message_id)
    is_counted = occurrence.category == MARKETING_EMAIL and occurrence.event in COUNTED_EVENTS
    campaign = _campaign(account, body, to) if is_counted else None
    if campaign is not None:
        content = Letter.of(account, campaign).content
        occurrence = occurrence._replace(
            subject=content.subject,
            tags=content.tags,
            sender=content.sender.email,
            campaign=facts_of(account, campaign),
        )
    payload = body.get("payload", {})
    found = events.raise_event(workspace, account, occurrence, payload)
    if is_counted:
        note_event(account, campaign, occurrence.event, to, str(payload.get("URL", CLICKED)))
    return found


def _campaign(account: Account, body: dict[str, Any], to: str) -> Campaign | None:
    """Return the named campaign, or the last one that a recipient got."""
    if "campaign" not in body:
        return last_sent(account, to)
    campaigns, number = account.rows_of(Campaign), body["campaign"]
    if number not in campaigns:
        known = reasons.nearest(campaigns, number)
        raise of_one("campaign", f"account {account.name} has no campaign {number} (it has {known})")
    return campaigns[number]


def _receive(workspace: Workspace, body: dict[str, Any]) -> tuple[Account, list[DeliveryRow]]:
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
    """Return the account and the address that get a mail; without `to`, the address of the first inbound webhook."""
    named, likely = target.named_account(workspace, body), target.account(workspace, body)
    asked = [likely] if named is not None else [likely, *workspace.state.accounts.values()]
    to = body.get("to") or _inbound_address(asked)
    return named or inbound.receiving_account(workspace, to, likely), to


def _inbound_address(accounts: Iterable[Account]) -> str:
    """Return an address in the domain of the accounts' first inbound webhook, or a default address."""
    hooks = (row for account in accounts for row in account.rows_of(Webhook).values() if row.type == INBOUND)
    found = (f"reply@{row.domain}" for row in hooks)
    return next((address for address in found if not _Recipient().validate({"to": address})), "reply@example.test")


# ---------------------------------------------------------------------- inbound e-mails

INBOUND_MAILS = ControlResource("inbound", "/_mock/inbound")


class Arrival(Item):
    sender = Email(required=True)
    recipient = Email(required=True)
    subject = fields.String(load_default="Hello")
    text = fields.String(load_default="Hello\n")
    account = fields.String()


@INBOUND_MAILS.call("GET", query=inputs.Part, answer=listing("InboundMails", InboundMail))
def index(workspace: Workspace, query: dict[str, Any]) -> Any:
    """The mails that came in, newest first, once for each recipient."""
    found = inbound.newest(workspace, offset=query["offset"], limit=query["limit"])
    loop.leave_if_long(0 for _ in found)
    count = sum(len(account.timeline_of(inbound.InboundEvent)) for account in workspace.state.accounts.values())
    return listed([show_inbound(account.name, row, workspace.links) for account, row in found], count)


@INBOUND_MAILS.call("POST", body=Arrival, answer=Arrived, status=201)
def arrive(workspace: Workspace, body: dict[str, Any]) -> Arrived:
    """Receive an e-mail for the account that listens for its domain, and call its inbound webhooks."""
    from mockserver.resources.inbound.mail import compose  # noqa: PLC0415  # email is slow to import

    account = target.named_account(workspace, body)
    account = account or inbound.receiving_account(workspace, body["recipient"], target.account(workspace, body))
    message = compose(workspace, body["sender"], body["recipient"], body["subject"], body["text"])
    event, made = inbound.receive(workspace, account, message, body["sender"], body["recipient"])
    workspace.catch_up()
    return Arrived(event.uuid, event.date, tuple(show_delivery(account.name, row, workspace.links) for row in made))

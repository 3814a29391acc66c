"""The types of webhook events: rows of the event table, occurrences, and what similar payloads share (contract/events).

Odd names in payloads, such as `campaign name`, are the service's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Flag
from typing import Any, NamedTuple

from mockserver.core.traffic.mail import email_uuid, mirror_link
from mockserver.core.workspaces.workspace import Workspace

TRANSACTIONAL, MARKETING, INBOUND = TYPES = ("transactional", "marketing", "inbound")
EMAIL, SMS = CHANNELS = ("email", "sms")
#: How long before its events a campaign counts as sent; chosen: long enough to tell both moments apart.
_SENT_BEFORE = timedelta(minutes=5)


class Category(NamedTuple):
    """A webhook's type and channel, which limit its subscriptions."""

    type: str
    channel: str


TRANSACTIONAL_EMAIL, TRANSACTIONAL_SMS = Category(TRANSACTIONAL, EMAIL), Category(TRANSACTIONAL, SMS)
MARKETING_EMAIL, MARKETING_SMS = Category(MARKETING, EMAIL), Category(MARKETING, SMS)
INBOUND_EMAIL, INBOUND_SMS = Category(INBOUND, EMAIL), Category(INBOUND, SMS)


class When(Flag):
    """The operations that accept an event's name."""

    NEVER = 0
    CREATION = 1
    CHANGE = 2
    ALWAYS = CREATION | CHANGE


class Exported(NamedTuple):
    """An export's `event` value, with its one-based position in the official enum.

    See contract/webhooks#exportWebhooksHistory.
    """

    name: str
    position: int


class PayloadName(NamedTuple):
    """An event's name in payloads, replaceable by scenarios if sources contradict each other."""

    name: str
    #: The names that other sources have.
    others: tuple[str, ...] = ()

    def of(self, workspace: Workspace) -> str:
        """Return the event's name in a workspace's payloads."""
        return workspace.state.behaviour.webhook_names.get(self.name, self.name) if self.others else self.name


class CampaignFacts(NamedTuple):
    """What payloads tell of a campaign; the defaults are those of events without a campaign."""

    id: int = 31
    name: str = "June"
    #: When its first e-mails left; None: some minutes before the event.
    sent_at: datetime | None = None
    list_ids: tuple[int, ...] = (8,)
    segment_ids: tuple[int, ...] = (1,)


class Occurrence(NamedTuple):
    """An event with moment, recipient, and e-mail or text message."""

    category: Category
    event: str
    to: str
    at: datetime
    message_id: str
    subject: str = "Hello"
    tags: tuple[str, ...] = ()
    #: The sender's address; empty: the account's first verified sender.
    sender: str = ""
    campaign: CampaignFacts = CampaignFacts()


#: Makes the shared members of similar payloads from the workspace, an occurrence, and the event's name in payloads.
Members = Callable[[Workspace, Occurrence, str], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event table row; without defaults, rows cannot omit members."""

    categories: tuple[Category, ...]
    #: The names under which webhooks subscribe to the event; the API shows the last name.
    names: tuple[str, ...]
    when: When
    #: The choice of an export that includes the event; None: only `allEvents`.
    exported: Exported | None

    @property
    def name(self) -> str:
        return self.names[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedEvent(Event):
    """A row for e-mails, text messages or contacts."""

    sent_as: PayloadName
    #: The events whose subscribers receive this event; empty: only its own subscribers.
    sent_to: tuple[str, ...]
    #: The name in reports of e-mails; None: reports do not list the event (contract/sending#getEmailEventReport).
    reported: str | None
    #: Payload members shared with similar events, and members of this event alone.
    members: Members
    adds: Callable[[Occurrence], Mapping[str, Any]]
    #: The seconds from the beginning of each story to the event, by the story's name.
    scenes: Mapping[str, float]

    @property
    def subscriptions(self) -> frozenset[str]:
        """Event names whose subscribers receive this event."""
        return frozenset(self.sent_to or (self.name,))

    def payload(self, workspace: Workspace, occurrence: Occurrence) -> dict[str, Any]:
        """Return an occurrence's payload, with webhook `id` 0."""
        return {**self.members(workspace, occurrence, self.sent_as.of(workspace)), **self.adds(occurrence)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MailEvent(Event):
    """A row for received mails.

    The payload describes the mail, without a name of the event (contract/events#inbound).
    """

    #: Whether the event happens with replies only.
    is_reply: bool


def email(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """Return the members for an event of a transactional e-mail (contract/events#transactional)."""
    return {**_email(workspace, occurrence, name), **_tags(occurrence)}


def email_with_uuid(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """Return the members of `email` with `uuid`, the service's id of the e-mail (contract/events#transactional)."""
    return {
        **_email(workspace, occurrence, name),
        "uuid": email_uuid(occurrence.message_id, occurrence.to),
        **_tags(occurrence),
    }


def _email(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    at, seconds = occurrence.at, int(occurrence.at.timestamp())
    return {
        "event": name,
        "email": occurrence.to,
        "id": 0,
        "date": _local(workspace, at),
        "ts": seconds,
        "ts_event": seconds,
        "ts_epoch": seconds * 1000 + at.microsecond // 1000,
        "message-id": occurrence.message_id,
        "subject": occurrence.subject,
        "sender_email": occurrence.sender,
        "contact_id": 0,
        "mirror_link": mirror_link(occurrence.message_id, occurrence.to),
    }


def _tags(occurrence: Occurrence) -> dict[str, Any]:
    """Return tags as a list and as JSON text, or neither without tags."""
    tags = list(occurrence.tags)
    return {"tag": json.dumps(tags, separators=(",", ":")), "tags": tags} if tags else {}


def campaign(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """Return the members for an event of a campaign (contract/events#marketing)."""
    seconds, facts = int(occurrence.at.timestamp()), occurrence.campaign
    sent = facts.sent_at or occurrence.at - _SENT_BEFORE
    return {
        "event": name,
        "id": 0,
        "camp_id": facts.id,
        "email": occurrence.to,
        "campaign name": facts.name,
        "date_sent": _local(workspace, sent),
        "date_event": _local(workspace, occurrence.at),
        "tag": occurrence.tags[0] if occurrence.tags else "",
        "ts_sent": int(sent.timestamp()),
        "ts_event": seconds,
        "ts": seconds,
        "segment_ids": list(facts.segment_ids),
    }


def contact(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """Return the members for an event of a contact (contract/events#marketing)."""
    date, ts = _local(workspace, occurrence.at), int(occurrence.at.timestamp())
    return {"event": name, "id": 0, "email": occurrence.to, "date": date, "ts": ts}


def sms(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """Return the members for an event of a text message (contract/events#text-messages): no `event`, no `email`."""
    # An e-mail address has no telephone number.
    digits = "" if "@" in occurrence.to else "".join(sign for sign in occurrence.to if "0" <= sign <= "9")
    return {
        "id": 0,
        "to": digits or "33612345678",
        "sms_count": 1,
        "credits_used": 1,
        "messageId": int(workspace.state.random.digits("sms", 10)),
        "remaining_credit": 99,
        "msg_status": name,
        "date": _local(workspace, occurrence.at),
        "type": occurrence.category.type,
        "reference": occurrence.message_id.strip("<>"),
    }


def _local(workspace: Workspace, at: datetime) -> str:
    """Return a moment as `YYYY-MM-DD HH:MM:SS` in `behaviour.webhook_timezone`, omitting the zone."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # not needed for a start

    return f"{at.astimezone(ZoneInfo(workspace.state.behaviour.webhook_timezone)):%Y-%m-%d %H:%M:%S}"

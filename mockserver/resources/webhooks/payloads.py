"""What webhook calls carry, by type and event (ledger 3.3 to 3.7), odd names included."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from mockserver.core.workspace import Workspace

#: Names of payloads, where they are not those of the subscription: ledger 3.3.
_TRANSACTIONAL_NAMES = {
    "sent": "request",
    "hardBounce": "hard_bounce",
    "softBounce": "soft_bounce",
    "spam": "complaint",
    "invalid": "invalid_email",
    "uniqueOpened": "unique_opened",
    "proxyOpen": "proxy_open",
    "uniqueProxyOpen": "unique_proxy_open",
}
_MARKETING_NAMES = {
    "hardBounce": "hard_bounced",
    "softBounce": "soft_bounced",
    "proxyOpen": "proxy_open",
    "listAddition": "list_addition",
    "contactUpdated": "contact_updated",
    "contactDeleted": "contact_deleted",
}
#: Names that other sources give otherwise: spam, hard_bounce, soft_bounce, unsubscribe (ledger 3.3).
OTHER_NAMES = ("complaint", "hard_bounced", "soft_bounced", "unsubscribed")

_USER_AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0"
#: How long before its events a campaign is sent.
_SENT_BEFORE = timedelta(minutes=5)
#: Documentation addresses, RFC 5737.
_SENDING_IP = "198.51.100.7"
_REASONS = {
    "request": "sent",
    "delivered": "sent",
    "hard_bounce": "550 5.1.1 The email account that you tried to reach does not exist",
    "hard_bounced": "550 5.1.1 The email account that you tried to reach does not exist",
    "soft_bounce": "452 4.2.2 The recipient's inbox is out of storage space",
    "soft_bounced": "452 4.2.2 The recipient's inbox is out of storage space",
    "deferred": "421 4.7.0 Try again later",
    "blocked": "blocked : due to blacklist user",
    "error": "error while sending",
    "spam": "complaint of the recipient",
}

_SENT_FROM = {"sending_ip": _SENDING_IP}
_SEEN = {"user_agent": _USER_AGENT, "device_used": "DESKTOP"}
_OPENED = {**_SENT_FROM, "link": "", **_SEEN}
#: What a transactional event adds to the members that all have: the table of ledger 3.4.
_TRANSACTIONAL_MEMBERS: Mapping[str, Mapping[str, Any]] = {
    "request": _SENT_FROM,
    "delivered": _SENT_FROM,
    "soft_bounce": _SENT_FROM,
    "deferred": _SENT_FROM,
    "opened": _OPENED,
    "unique_opened": _OPENED,
    "proxy_open": _OPENED,
    "unique_proxy_open": _OPENED,
    "click": {"link": "https://acme.test/offer", **_SENT_FROM, **_SEEN},
    "unsubscribed": {**_SENT_FROM, "is_returnpath": False, **_SEEN},
}
#: The same of a campaign's: ledger 3.5.
_MARKETING_MEMBERS: Mapping[str, Mapping[str, Any]] = {
    "click": {"URL": "https://acme.test/offer"},
    "hard_bounced": _SENT_FROM,
    "soft_bounced": _SENT_FROM,
    "delivered": _SENT_FROM,
    "unsubscribed": {"list_id": [8], **_SENT_FROM},
}


class Happening(NamedTuple):
    """Something that a webhook may be told: what, to whom, when, and the e-mail that it happened to."""

    event: str
    to: str
    at: datetime
    message_id: str
    subject: str = "Hello"
    tags: tuple[str, ...] = ()


def transactional(workspace: Workspace, happening: Happening) -> dict[str, Any]:
    """The payload of an event of a transactional e-mail; the webhook's own id is still to come."""
    name = _TRANSACTIONAL_NAMES.get(happening.event, happening.event)
    found: dict[str, Any] = {
        "event": _told(workspace, name),
        "email": happening.to,
        "id": 0,
        **_moments(workspace, happening.at),
        "message-id": happening.message_id,
    }
    if name != "complaint":
        found["subject"] = happening.subject
    if happening.tags:
        # A list, written as a string: that is what the service sends.
        found |= {"tag": json.dumps(list(happening.tags), separators=(",", ":")), "tags": list(happening.tags)}
    if name in _REASONS:
        found["reason"] = _REASONS[name]
    found |= {"contact_id": 0, "mirror_link": _mirror(happening)}
    return {**found, **_TRANSACTIONAL_MEMBERS.get(name, {})}


def marketing(workspace: Workspace, happening: Happening) -> dict[str, Any]:
    """The payload of an event of a campaign, or of a contact."""
    name = _MARKETING_NAMES.get(happening.event, happening.event)
    if name in _CONTACT_EVENTS:
        return _CONTACT_EVENTS[name](workspace, happening)
    seconds, sent = int(happening.at.timestamp()), happening.at - _SENT_BEFORE
    found: dict[str, Any] = {
        "event": _told(workspace, name),
        "id": 0,
        "camp_id": 31,
        "email": happening.to,
        "campaign name": "June",
        "date_sent": _local(workspace, sent),
        "date_event": _local(workspace, happening.at),
        "tag": happening.tags[0] if happening.tags else "",
        "ts_sent": int(sent.timestamp()),
        "ts_event": seconds,
        "ts": seconds,
        "segment_ids": [1],
    }
    if name in ("spam", "hard_bounced", "soft_bounced"):
        found["reason"] = _REASONS[name]
    return {**found, **_MARKETING_MEMBERS.get(name, {})}


def _list_addition(workspace: Workspace, happening: Happening) -> dict[str, Any]:
    return {**_of_contact(workspace, happening, "list_addition"), "list_id": [8]}


def _contact_updated(workspace: Workspace, happening: Happening) -> dict[str, Any]:
    content = [{"email": happening.to, "attributes": {"FIRSTNAME": "Bob"}}]
    return {**_of_contact(workspace, happening, "contact_updated"), "content": content}


def _contact_deleted(workspace: Workspace, happening: Happening) -> dict[str, Any]:
    # The service sends a list here, and a moment of another form: both were captured.
    date = happening.at.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return {**_of_contact(workspace, happening, "contact_deleted"), "email": [happening.to], "date": date}


def _of_contact(workspace: Workspace, happening: Happening, name: str) -> dict[str, Any]:
    date, ts = _local(workspace, happening.at), int(happening.at.timestamp())
    return {"event": name, "id": 0, "email": happening.to, "date": date, "ts": ts}


_CONTACT_EVENTS: Mapping[str, Callable[[Workspace, Happening], dict[str, Any]]] = {
    "list_addition": _list_addition,
    "contact_updated": _contact_updated,
    "contact_deleted": _contact_deleted,
}


def sms(workspace: Workspace, happening: Happening, kind: str) -> dict[str, Any]:
    """The payload of an event of a text message (ledger 3.7): it has neither `event` nor `email`."""
    statuses = {"softBounce": "soft_bounce", "hardBounce": "hard_bounce"}
    return {
        "id": 0,
        "to": _digits(happening.to) or "33612345678",
        "sms_count": 1,
        "credits_used": 1,
        "messageId": int(workspace.random.digits("sms", 10)),
        "remaining_credit": 99,
        "msg_status": statuses.get(happening.event, happening.event),
        "date": _local(workspace, happening.at),
        "type": kind,
        "reference": happening.message_id.strip("<>"),
    }


def _digits(to: str) -> str:
    """A telephone number without its plus and blanks; nothing of what is none."""
    return "" if "@" in to else "".join(sign for sign in to if "0" <= sign <= "9")


def _told(workspace: Workspace, name: str) -> str:
    """The name of an event as this world's service tells it: the sources contradict each other (ledger 3.3)."""
    return workspace.behaviour.webhook_names.get(name, name)


def _mirror(happening: Happening) -> str:
    """Where the e-mail can be looked at: an address of the same form for all that happens to it."""
    return f"https://app-smtp.brevo.com/log/preview/{uuid.uuid5(uuid.NAMESPACE_URL, happening.message_id)}"


def _moments(workspace: Workspace, at: datetime) -> dict[str, Any]:
    seconds = int(at.timestamp())
    return {
        "date": _local(workspace, at),
        "ts": seconds,
        "ts_event": seconds,
        "ts_epoch": seconds * 1000 + at.microsecond // 1000,
    }


def _local(workspace: Workspace, at: datetime) -> str:
    """`YYYY-MM-DD HH:MM:SS` without its zone."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # the start needs it not

    return f"{at.astimezone(ZoneInfo(workspace.behaviour.webhook_timezone)):%Y-%m-%d %H:%M:%S}"

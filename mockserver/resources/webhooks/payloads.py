"""What the payloads of webhook calls have in common, by what it happens to (contract/events), odd names included."""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timedelta
from typing import Any

from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.webhooks.event import Occurrence

#: How long before its events a campaign is sent.
_SENT_BEFORE = timedelta(minutes=5)


def email(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """What all events of transactional e-mails have: contract/events#transactional."""
    return {**_email(workspace, occurrence, name), **_tags(occurrence)}


def email_with_uuid(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """What some events of transactional e-mails have: the service's id of the e-mail as well
    (contract/events#transactional).
    """
    return {**_email(workspace, occurrence, name), "uuid": str(_uuid(occurrence)), **_tags(occurrence)}


def _email(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    return {
        "event": name,
        "email": occurrence.to,
        "id": 0,
        **_moments(workspace, occurrence.at),
        "message-id": occurrence.message_id,
        "subject": occurrence.subject,
        "sender_email": occurrence.sender,
        "contact_id": 0,
        "mirror_link": f"https://app-smtp.brevo.com/log/preview/{_uuid(occurrence)}",
    }


def _tags(occurrence: Occurrence) -> dict[str, Any]:
    """The tags of an e-mail that has some, twice: the list written as a string is what the service sends as well."""
    tags = list(occurrence.tags)
    return {"tag": json.dumps(tags, separators=(",", ":")), "tags": tags} if tags else {}


def campaign(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """What all events of campaigns have: contract/events#marketing."""
    seconds, sent = int(occurrence.at.timestamp()), occurrence.at - _SENT_BEFORE
    return {
        "event": name,
        "id": 0,
        "camp_id": 31,
        "email": occurrence.to,
        "campaign name": "June",
        "date_sent": _local(workspace, sent),
        "date_event": _local(workspace, occurrence.at),
        "tag": occurrence.tags[0] if occurrence.tags else "",
        "ts_sent": int(sent.timestamp()),
        "ts_event": seconds,
        "ts": seconds,
        "segment_ids": [1],
    }


def contact(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """What all events of contacts have: contract/events#marketing."""
    date, ts = _local(workspace, occurrence.at), int(occurrence.at.timestamp())
    return {"event": name, "id": 0, "email": occurrence.to, "date": date, "ts": ts}


def sms(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """What all events of text messages have, which is neither `event` nor `email`: contract/events#text-messages."""
    return {
        "id": 0,
        "to": _digits(occurrence.to) or "33612345678",
        "sms_count": 1,
        "credits_used": 1,
        "messageId": int(workspace.state.random.digits("sms", 10)),
        "remaining_credit": 99,
        "msg_status": name,
        "date": _local(workspace, occurrence.at),
        "type": occurrence.category.type,
        "reference": occurrence.message_id.strip("<>"),
    }


def _digits(to: str) -> str:
    """A telephone number without its plus and blanks; nothing of what is none."""
    return "" if "@" in to else "".join(sign for sign in to if "0" <= sign <= "9")


def _uuid(occurrence: Occurrence) -> uuid.UUID:
    """The service's id of an e-mail: the same for all that happens to it, and part of its mirror's address."""
    return uuid.uuid5(uuid.NAMESPACE_URL, occurrence.message_id)


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

    return f"{at.astimezone(ZoneInfo(workspace.state.behaviour.webhook_timezone)):%Y-%m-%d %H:%M:%S}"

"""The members that payloads of webhook calls have in common, by what the events happen to (contract/events).

Odd names, such as `campaign name`, are the service's.
"""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timedelta
from typing import Any

from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.webhooks.event import Occurrence

#: How long before its events a campaign counts as sent; chosen: long enough to tell both moments apart.
_SENT_BEFORE = timedelta(minutes=5)


def email(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """The members for an event of a transactional e-mail (contract/events#transactional)."""
    return {**_email(workspace, occurrence, name), **_tags(occurrence)}


def email_with_uuid(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """The members for those events of a transactional e-mail that have `uuid`, the service's id of the e-mail.

    See contract/events#transactional.
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
    """The tags of an e-mail as a list, and as a text with this list in JSON; the service sends both, or neither."""
    tags = list(occurrence.tags)
    return {"tag": json.dumps(tags, separators=(",", ":")), "tags": tags} if tags else {}


def campaign(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """The members for an event of a campaign (contract/events#marketing)."""
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
    """The members for an event of a contact (contract/events#marketing)."""
    date, ts = _local(workspace, occurrence.at), int(occurrence.at.timestamp())
    return {"event": name, "id": 0, "email": occurrence.to, "date": date, "ts": ts}


def sms(workspace: Workspace, occurrence: Occurrence, name: str) -> dict[str, Any]:
    """The members for an event of a text message; unlike others, it has no `event` and no `email`.

    See contract/events#text-messages.
    """
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
    """The digits of a telephone number, or an empty text for an e-mail address."""
    return "" if "@" in to else "".join(sign for sign in to if "0" <= sign <= "9")


def _uuid(occurrence: Occurrence) -> uuid.UUID:
    """The service's id of an e-mail, the same for all of its events; the address of its mirror has it too."""
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
    """A moment as `YYYY-MM-DD HH:MM:SS` in the time zone `behaviour.webhook_timezone`, which is not written."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415  # not needed for a start

    return f"{at.astimezone(ZoneInfo(workspace.state.behaviour.webhook_timezone)):%Y-%m-%d %H:%M:%S}"

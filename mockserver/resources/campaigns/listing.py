"""Campaigns as the API shows them, and their selection (contract/campaigns#getEmailCampaigns)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mockserver.core.contract.errors import INVALID_PARAMETER, OUT_OF_RANGE
from mockserver.core.state import reasons
from mockserver.core.time.duration import months_later
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.campaigns import sharing, statistics
from mockserver.resources.campaigns.campaign import IN_PROCESS, IN_REVIEW, SENT, Campaign
from mockserver.resources.campaigns.model import AB_TEST, DEFAULTS
from mockserver.resources.senders.model import find_sender
from mockserver.resources.templates.model import sender_of

#: The statuses of a query that are named otherwise in rows.
_STATES: Mapping[str, str] = {"inProcess": IN_PROCESS, "inReview": IN_REVIEW}
#: The longest period of a query (brevo-python 5.1.0), in months.
_LONGEST = 24
#: The members of answers that options give, with their values by default: documented by example, or proposed.
_DEFAULTS: Mapping[str, Any] = {
    **DEFAULTS,
    **dict.fromkeys(("abTesting", "sendAtBestTime", "inlineImageActivation", "recurring"), False),
    **dict.fromkeys(("previewText", *AB_TEST)),
    "mirrorActive": True,
}


def select(caller: Caller, query: Mapping[str, Any]) -> list[Campaign]:
    """Return the campaigns that a query asks for, oldest first, or refuse its period."""
    start, end = query.get("startDate"), query.get("endDate")
    _check_period(caller, query, start, end)
    status = query.get("status") or (SENT if start is not None else None)
    if query.get("type") == "trigger":
        return []
    return [
        row
        for row in caller.account.rows_of(Campaign).values()
        if (status is None or row.state == _STATES.get(status, status)) and _is_within(row, start, end)
    ]


def _is_within(row: Campaign, start: datetime | None, end: datetime | None) -> bool:
    return start is None or end is None or (row.sent_at is not None and start <= row.sent_at <= end)


def _check_period(caller: Caller, query: Mapping[str, Any], start: datetime | None, end: datetime | None) -> None:
    reasons.check_period(start, end)
    if start is None or end is None:
        return
    if query.get("status", SENT) != SENT:
        message = "startDate and endDate are for sent campaigns only"
        raise INVALID_PARAMETER(message).because(f"{message}: the status is {query['status']}")
    clock = caller.workspace.state.clock
    if end > clock.now():
        reason = f"{reasons.period(start, end)}; {reasons.clock(clock)}"
        raise OUT_OF_RANGE("startDate and endDate must not be in the future").because(reason)
    if months_later(start, _LONGEST) < end:
        message = "The period from startDate to endDate must not be longer than 2 years"
        raise OUT_OF_RANGE(message).because(reasons.period(start, end))


def shown(caller: Caller, campaign: Campaign, query: Mapping[str, Any]) -> dict[str, Any]:
    """Return a campaign as the API shows it."""
    account, options = caller.account, campaign.options
    sender = sender_of(account, campaign)
    owner = find_sender(account, sender.email)
    created = campaign.created_at or caller.workspace.state.clock.start
    return {
        "id": campaign.id, "name": campaign.name, "type": "classic",
        "status": IN_PROCESS if campaign.state == IN_REVIEW else campaign.state,
        "subject": None if options.get("abTesting") else campaign.subject or campaign.name,
        "scheduledAt": campaign.scheduled_at, "sentDate": campaign.sent_at,
        "createdAt": created, "modifiedAt": campaign.modified_at or created, "testSent": campaign.is_tested,
        "sender": {"email": sender.email, "name": sender.name or None, "id": None if owner is None else owner.id},
        "replyTo": campaign.reply_to or sender.email, "toField": campaign.to_field, "tag": campaign.tag,
        "htmlContent": "" if query["excludeHtmlContent"] else campaign.html or "",
        "shareLink": campaign.share and sharing.address(caller, campaign.share),
        "utmCampaignValue": options.get("utmCampaign"),
        **{name: options.get(name, default) for name, default in _DEFAULTS.items()},
        "recipients": {"lists": campaign.list_ids, "exclusionLists": campaign.excluded_list_ids},
        "statistics": statistics.shown(account, campaign, query.get("statistics")),
    }  # fmt: skip

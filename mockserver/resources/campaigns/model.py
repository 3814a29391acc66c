"""E-mail campaigns: creation, changes, deletion and states (contract/campaigns)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mockserver.core.contract.errors import (
    CAMPAIGN_ID_NOT_FOUND,
    CAMPAIGN_PROCESSING,
    CAMPAIGN_SENT,
    DOCUMENT_NOT_FOUND,
    INVALID_PARAMETER,
    MISSING_PARAMETER,
    PERMISSION_DENIED,
    ErrorCode,
    ServiceError,
    no_room,
)
from mockserver.core.state import reasons
from mockserver.core.text.addresses import comparable
from mockserver.core.traffic.mail import Party
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.campaigns import sending
from mockserver.resources.campaigns.campaign import (
    ARCHIVE,
    CAMPAIGN,
    DRAFT,
    IN_PROCESS,
    IN_REVIEW,
    QUEUED,
    SENT,
    SUSPENDED,
    Campaign,
)
from mockserver.resources.contacts.rows import ContactList, check_bytes
from mockserver.resources.senders.model import Addresses, Sender, why_not_valid
from mockserver.resources.templates.model import Template, send_tests
from mockserver.resources.webhooks.events import default_sender

#: The members of a body that a campaign has, by their names in its row.
_MEMBERS: Mapping[str, str] = {
    "name": "name", "replyTo": "reply_to", "toField": "to_field", "tag": "tag", "attachmentUrl": "attachment_url",
    "scheduledAt": "scheduled_at", "params": "params",
}  # fmt: skip
#: The members of a body that are kept in `options`, of A/B tests first, which count with `abTesting` only.
_AB_TEST = ("subjectA", "subjectB", "splitRule", "winnerCriteria", "winnerDelay")
_OPTIONS = (
    "abTesting", *_AB_TEST, "sendAtBestTime", "previewText", "header", "footer", "inlineImageActivation",
    "mirrorActive", "recurring", "utmCampaign", "emailExpirationDate", "ipWarmupEnable", "initialQuota",
    "increaseRate", "unsubscriptionPageId", "updateFormId",
)  # fmt: skip
_SEGMENTS = ("segmentIds", "exclusionSegmentIds")
_CONTENTS = ("htmlContent", "htmlUrl", "templateId")
#: The most characters of a content that is refused as too short (documented).
_TOO_SHORT = 10
_PROCESSING = (IN_PROCESS, IN_REVIEW)
#: The statuses that a request can set, with their events (proposed, contract/campaigns#updateCampaignStatus).
_EVENTS: Mapping[str, tuple[str, ...]] = {
    "suspended": ("suspend",), "archive": ("archive",), "darchive": ("restore", "restore_sent"),
    "sent": ("send", "fall_due"), "queued": ("schedule", "send"), "draft": ("withdraw",),
}  # fmt: skip
REPLICATE, REPLICATE_TEMPLATE = "replicate", "replicateTemplate"


def get(caller: Caller, number: int) -> Campaign:
    """Return a campaign to read, or refuse with 404."""
    found = caller.account.rows_of(Campaign).get(number)
    if found is None:
        reason = reasons.absent(caller.workspace.state, caller.account, "e-mail campaign", Campaign, number)
        raise DOCUMENT_NOT_FOUND("Campaign ID not found", sentence=CAMPAIGN_ID_NOT_FOUND).because(reason)
    return found


def create(caller: Caller, body: Mapping[str, Any]) -> Campaign:
    """Create a campaign: a draft, or queued until `scheduledAt`."""
    state = caller.workspace.state
    values = _values(caller, Campaign(0, body["name"]), body)
    now = state.clock.now()
    check_bytes(caller.workspace, body)
    campaign = Campaign(state.next_id("campaign"), **values, created_at=now, modified_at=now)
    CAMPAIGN.begin(caller.workspace, caller.account, campaign)
    caller.account.weigh_stored(campaign.size)
    if campaign.scheduled_at is not None:
        CAMPAIGN.fire(caller.workspace, caller.account, campaign, "schedule")
    return campaign


def update(caller: Caller, number: int, body: Mapping[str, Any]) -> None:
    """Change a campaign that is not sent; `scheduledAt` queues it."""
    workspace, account = caller.workspace, caller.account
    before = get(caller, number)
    _refuse_state(before, "changed")
    if not body:
        raise MISSING_PARAMETER("Input must not be empty").because("the body of updateEmailCampaign has no field")
    values = _values(caller, before, body)
    check_bytes(workspace, body)
    campaign = account.table(Campaign)[number]
    size = campaign.size
    if "scheduledAt" in body and campaign.state != DRAFT:
        CAMPAIGN.fire(workspace, account, campaign, "withdraw")
    for name, value in {**values, "modified_at": workspace.state.clock.now()}.items():
        setattr(campaign, name, value)
    account.weigh_stored(campaign.size - size)
    if "scheduledAt" in body:
        CAMPAIGN.fire(workspace, account, campaign, "schedule")


def delete(caller: Caller, number: int) -> None:
    """Delete a campaign that is neither queued nor in process."""
    campaign = get(caller, number)
    if campaign.state in _PROCESSING:
        raise _refused(campaign, "deleted")
    if campaign.state == QUEUED:
        raise PERMISSION_DENIED("A scheduled campaign cannot be deleted").because(
            f"{_described(campaign)}: set its status to draft or suspended first"
        )
    row = caller.account.table(Campaign)[number]
    caller.account.weigh_stored(-row.size)
    CAMPAIGN.fire(caller.workspace, caller.account, row, "delete")


def send_now(caller: Caller, number: int) -> None:
    """Send a draft, or a campaign that is queued or suspended."""
    campaign = get(caller, number)
    _refuse_state(campaign, "sent")
    _check_sendable(caller, campaign)
    sending.check_means(caller, campaign)
    row = caller.account.table(Campaign)[number]
    if row.state == QUEUED:
        CAMPAIGN.fire(caller.workspace, caller.account, row, "withdraw")
    CAMPAIGN.fire(caller.workspace, caller.account, row, "send")


def send_test(caller: Caller, number: int, addresses: list[str] | None) -> None:
    campaign = get(caller, number)
    if campaign.html is None:
        raise _lacks(campaign, "htmlContent", "a test")
    send_tests(caller, caller.account.table(Campaign)[number], addresses)


# ---------------------------------------------------------------------- states


def set_status(caller: Caller, number: int, status: str | None) -> None:
    """Change a campaign's state, or copy it."""
    if status is None:
        raise MISSING_PARAMETER("status is missing").because("missing field `status` in the body")
    if status == REPLICATE_TEMPLATE:
        _copy_template(caller, number)
        return
    campaign = get(caller, number)
    if status == REPLICATE:
        _copy(caller, campaign)
    elif status == "sent":
        send_now(caller, number)
    else:
        _move(caller, campaign, status)


def _move(caller: Caller, campaign: Campaign, status: str) -> None:
    event = next((name for name in _EVENTS[status] if CAMPAIGN.applies(campaign, name)), None)
    if event is None:
        allowed = [name for name, events in _EVENTS.items() if any(CAMPAIGN.applies(campaign, each) for each in events)]
        raise _refused(campaign, f"set to {status}", f"; allowed: {reasons.listed([*allowed, REPLICATE])}")
    if event == "restore" and campaign.sent_at is not None:
        event = "restore_sent"
    workspace, account, due = caller.workspace, caller.account, campaign.scheduled_at
    if status == "queued":
        _check_sendable(caller, campaign)
        if due is None or due <= workspace.state.clock.now():
            raise _refused(campaign, "set to queued", "; it needs a `scheduledAt` in the future")
    row = account.table(Campaign)[campaign.id]
    if status == "queued" and row.state == SUSPENDED:
        CAMPAIGN.fire(workspace, account, row, "withdraw")
        event, row.scheduled_at = "schedule", due
    CAMPAIGN.fire(workspace, account, row, event)
    row.modified_at = workspace.state.clock.now()


def _copy(caller: Caller, campaign: Campaign) -> None:
    """Create a draft with the content, options and lists of a campaign."""
    workspace, now = _with_room(caller), caller.workspace.state.clock.now()
    copied = replace(
        campaign, id=workspace.state.next_id("campaign"), state=DRAFT, share=None, created_at=now, modified_at=now,
        scheduled_at=None, sent_at=None, is_tested=False, list_ids=[*campaign.list_ids],
        excluded_list_ids=[*campaign.excluded_list_ids], options={**campaign.options},
    )  # fmt: skip
    check_bytes(workspace, [campaign.html, campaign.params, campaign.options])
    CAMPAIGN.begin(workspace, caller.account, copied)
    caller.account.weigh_stored(copied.size)

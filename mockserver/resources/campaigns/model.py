"""E-mail campaigns: creation, changes, deletion and states (contract/campaigns)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mockserver.core.contract import errors
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.campaigns import sending
from mockserver.resources.campaigns.campaign import CAMPAIGN, DRAFT, IN_PROCESS, IN_REVIEW, QUEUED, SUSPENDED, Campaign
from mockserver.resources.contacts.rows import ContactList, check_bytes
from mockserver.resources.senders.model import check_verified, chosen
from mockserver.resources.sending.request import missing, wrong
from mockserver.resources.templates import model as templates
from mockserver.resources.templates.template import Template

#: The members of a body that a row has, with their names there.
_MEMBERS: Mapping[str, str] = {
    "name": "name", "replyTo": "reply_to", "toField": "to_field", "tag": "tag", "attachmentUrl": "attachment_url",
    "scheduledAt": "scheduled_at", "params": "params",
}  # fmt: skip
#: The members that are kept in `options`: those of A/B tests, which count with `abTesting` only, segments, and others.
AB_TEST = ("subjectA", "subjectB", "splitRule", "winnerCriteria", "winnerDelay")
_SEGMENTS = ("segmentIds", "exclusionSegmentIds")
#: The placeholders of the account's own header and footer (documented by example), which count as none.
DEFAULTS: Mapping[str, str] = {"header": "[DEFAULT_HEADER]", "footer": "[DEFAULT_FOOTER]"}
_OPTIONS = (
    "abTesting", *AB_TEST, "sendAtBestTime", "previewText", "header", "footer", "inlineImageActivation",
    "mirrorActive", "recurring", "utmCampaign", "emailExpirationDate", "ipWarmupEnable", "initialQuota",
    "increaseRate", "unsubscriptionPageId", "updateFormId",
)  # fmt: skip
#: The members with a content, of which a body may have one, and the most characters of one that is too short
#: (brevo-python 5.1.0).
_CONTENTS, _TOO_SHORT = ("htmlContent", "htmlUrl", "templateId"), 10
#: The size of test groups that leaves nobody for a winning version.
_ALL_IN_TEST = 50
#: The statuses that a request can set, with their events (proposed, contract/campaigns#updateCampaignStatus).
_EVENTS: Mapping[str, tuple[str, ...]] = {
    "suspended": ("suspend",), "archive": ("archive",), "darchive": ("restore",), "sent": ("send", "fall_due"),
    "queued": ("schedule", "send"), "draft": ("withdraw",),
}  # fmt: skip
#: The options that would change to whom or when the campaign goes.
_NOT_PLAYED = ("abTesting", "sendAtBestTime", "ipWarmupEnable")
#: What the service says of a sender (contract/campaigns#sender), with the specification's sentence.
_BAD_SENDER = "Sender is invalid / inactive: a sender must be verified before a campaign may use it"
_REPLICATE, _REPLICATE_TEMPLATE = "replicate", "replicateTemplate"


def get(caller: Caller, number: int) -> Campaign:
    """Return a campaign for reading, or refuse with 404."""
    found = caller.account.rows_of(Campaign).get(number)
    if found is None:
        reason = reasons.absent(caller.workspace.state, caller.account, "e-mail campaign", Campaign, number)
        raise errors.DOCUMENT_NOT_FOUND("Campaign ID not found", sentence=errors.CAMPAIGN_ID_NOT_FOUND).because(reason)
    return found


def create(caller: Caller, body: Mapping[str, Any]) -> Campaign:
    """Create a draft; `scheduledAt` queues it."""
    values = _values(caller, Campaign(0, body["name"]), body)
    check_bytes(caller.workspace, body)
    return _begin(caller, Campaign(0, **values))


def _begin(caller: Caller, campaign: Campaign) -> Campaign:
    campaign.id = caller.workspace.state.next_id("campaign")
    campaign.created_at = campaign.modified_at = caller.workspace.state.clock.now()
    CAMPAIGN.begin(caller.workspace, caller.account, campaign)
    caller.account.weigh_stored(campaign.size)
    if campaign.scheduled_at is not None:
        CAMPAIGN.fire(caller.workspace, caller.account, campaign, "schedule")
    return campaign


def update(caller: Caller, number: int, body: Mapping[str, Any]) -> None:
    """Change a campaign that is not sent; `scheduledAt` queues it, or moves its sending."""
    before = get(caller, number)
    _check_unsent(before, "changed")
    if not body:
        message = "At least one field is required to update the campaign"
        raise errors.MISSING_PARAMETER(message).because(f"{message}: the body of updateEmailCampaign has none")
    values = _values(caller, before, body)
    check_bytes(caller.workspace, body)
    campaign = caller.account.table(Campaign)[number]
    lists = (campaign.list_ids, campaign.excluded_list_ids)
    templates.change(caller, campaign, values)
    if (campaign.list_ids, campaign.excluded_list_ids) != lists:
        sending.take_again(caller.workspace, caller.account, campaign)
    if "scheduledAt" in body:
        _schedule(caller, campaign)


def _schedule(caller: Caller, campaign: Campaign) -> None:
    for event in ("schedule",) if campaign.state == DRAFT else ("withdraw", "schedule"):
        CAMPAIGN.fire(caller.workspace, caller.account, campaign, event)


def delete(caller: Caller, number: int) -> None:
    """Delete a campaign that is neither scheduled nor in process."""
    campaign = get(caller, number)
    if campaign.state in (IN_PROCESS, IN_REVIEW):
        raise _refusal(campaign, "deleted")
    if campaign.state == QUEUED:
        message = "A scheduled campaign cannot be deleted"
        raise errors.PERMISSION_DENIED(message).because(
            f"{message}: campaign {number} is queued; set its status to draft"
        )
    CAMPAIGN.fire(caller.workspace, caller.account, caller.account.table(Campaign)[number], "delete")


def send_now(caller: Caller, number: int) -> None:
    """Send a campaign that is a draft, queued or suspended."""
    campaign = get(caller, number)
    if caller.account.under_validation:
        raise errors.ACCOUNT_UNDER_VALIDATION().because(f"account {caller.account.name} is under validation")
    _check_unsent(campaign, "sent")
    _check_sendable(caller, campaign)
    sending.check_means(caller, campaign)
    row = caller.account.table(Campaign)[number]
    row.scheduled_at = caller.workspace.state.clock.now()  # as the service says (brevo-python 5.1.0)
    for event in ("withdraw", "send") if row.state == QUEUED else ("send",):
        CAMPAIGN.fire(caller.workspace, caller.account, row, event)


def send_test(caller: Caller, number: int, addresses: Sequence[str]) -> None:
    """Send test e-mails of a campaign (contract/templates#tests)."""
    campaign = get(caller, number)
    if campaign.html is None:
        raise missing("htmlContent")
    templates.send_tests(
        caller, templates.content_of(caller.account, campaign)._replace(params=campaign.params), addresses
    )
    caller.account.table(Campaign)[number].is_tested = True


# ---------------------------------------------------------------------- states


def set_status(caller: Caller, number: int, status: str | None) -> None:
    """Change the state of a campaign, or copy a campaign or template."""
    if status is None:
        raise missing("status")
    if status == _REPLICATE_TEMPLATE:
        _copy_template(caller, number)
    elif status == _REPLICATE:
        _copy(caller, get(caller, number))
    elif status == "sent":
        send_now(caller, number)
    else:
        _move(caller, get(caller, number), status)


def _move(caller: Caller, campaign: Campaign, status: str) -> None:
    event = next((name for name in _EVENTS[status] if CAMPAIGN.applies(campaign, name)), "")
    if not event:
        allowed = [name for name, events in _EVENTS.items() if any(CAMPAIGN.applies(campaign, row) for row in events)]
        raise _refusal(campaign, f"set to {status}", f"; allowed: {', '.join([*allowed, _REPLICATE])}")
    if status == "queued":
        if campaign.state == SUSPENDED and not _is_ahead(caller, campaign):
            send_now(caller, campaign.id)
            return
        _check_sendable(caller, campaign)
        _check_ahead(caller, campaign)
    row = caller.account.table(Campaign)[campaign.id]
    row.modified_at = caller.workspace.state.clock.now()
    if status == "queued":
        _schedule(caller, row)
    else:
        event = "restore_sent" if event == "restore" and row.sent_at is not None else event
        CAMPAIGN.fire(caller.workspace, caller.account, row, event)


def _copy(caller: Caller, campaign: Campaign) -> None:
    """Create a draft with the content, options and lists of a campaign."""
    _check_room(caller, campaign)
    _begin(caller, replace(campaign, state=DRAFT, share=None, scheduled_at=None, sent_at=None, is_tested=False))


def _copy_template(caller: Caller, number: int) -> None:
    """Create a template with the content of another one; campaigns are refused (brevo-python 5.1.0)."""
    template = caller.account.rows_of(Template).get(number)
    if template is None:
        get(caller, number)
        message = "replicateTemplate is available for templates only"
        raise errors.INVALID_PARAMETER(message).because(
            f"{message}: {number} is a campaign, whose status is {_REPLICATE}"
        )
    _check_room(caller, template)
    templates.add(caller, replace(template, share=None, is_tested=False))


def _check_room(caller: Caller, row: Campaign | Template) -> None:
    if full := caller.workspace.state.full():
        raise errors.no_room(full)
    check_bytes(caller.workspace, row.html)


def _check_unsent(campaign: Campaign, done: str) -> None:
    if campaign.state not in (DRAFT, QUEUED, SUSPENDED):
        raise _refusal(campaign, done)


def _refusal(campaign: Campaign, done: str, more: str = "") -> errors.ServiceError:
    """Return the error of a campaign whose state does not allow a change."""
    reason = f"campaign {campaign.id} is {campaign.state} and cannot be {done}{more}"
    if campaign.state in (IN_PROCESS, IN_REVIEW):
        return errors.CAMPAIGN_PROCESSING().because(reason)
    if campaign.is_over:
        return errors.CAMPAIGN_SENT().because(reason)
    return errors.INVALID_PARAMETER(f"The campaign is {campaign.state} and cannot be {done}").because(reason)


# ---------------------------------------------------------------------- bodies


def _values(caller: Caller, campaign: Campaign, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a row that a body gives to a new or changed campaign, or refuse the body."""
    values = {attribute: body[name] for name, attribute in _MEMBERS.items() if name in body}
    recipients = body.get("recipients")
    if "sender" in body:
        if body["sender"].keys().isdisjoint(("id", "email")):
            raise missing("email", "sender")
        values["sender"] = chosen(caller.account, body["sender"], _BAD_SENDER)
    values |= _content(caller, campaign, body)
    if recipients is not None:
        values["list_ids"] = _known(caller.account, recipients.get("listIds", ()))
        values["excluded_list_ids"] = _known(caller.account, recipients.get("exclusionListIds", ()))
    values["options"] = _options(campaign.options, body)
    if values["options"].get("abTesting"):
        values["subject"] = values["options"].get("subjectA")
    changed = replace(campaign, **values)
    _check_options(changed)
    if "scheduledAt" in body or (changed.state == QUEUED and recipients is not None):
        _check_sendable(caller, changed)
    if "scheduledAt" in body:
        _check_ahead(caller, changed)
    for name in (*_NOT_PLAYED, *_SEGMENTS):
        if body.get(name) or (recipients or {}).get(name):
            caller.warn(f"{name} is kept without an effect (contract/campaigns#kept)")
    return values


def _is_ahead(caller: Caller, campaign: Campaign) -> bool:
    return campaign.scheduled_at is not None and campaign.scheduled_at > caller.workspace.state.clock.now()


def _check_ahead(caller: Caller, campaign: Campaign) -> None:
    """Refuse a campaign whose moment is missing or has passed."""
    if campaign.scheduled_at is None:
        raise missing("scheduledAt")
    if not _is_ahead(caller, campaign):
        clock = reasons.clock(caller.workspace.state.clock)
        raise wrong("scheduledAt", why=f"{reasons.instant(campaign.scheduled_at)} is not in the future; {clock}")


def _content(caller: Caller, campaign: Campaign, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return content and subject of a body; a new campaign needs both."""
    given = [name for name in _CONTENTS if name in body]
    if len(given) > 1:
        message = f"Only one of {', '.join(_CONTENTS)} can be passed"
        raise errors.INVALID_PARAMETER(message).because(f"{message}: the body has {' and '.join(given)}")
    values: dict[str, Any] = {}
    if "templateId" in body:
        template = _template(caller.account, body["templateId"])
        values = {"html": template.html or "", "subject": template.subject or template.name}
    elif "htmlUrl" in body:
        values["html"] = templates.html_at(caller, body["htmlUrl"])
    elif "htmlContent" in body:
        if len(body["htmlContent"]) <= _TOO_SHORT:
            raise wrong("htmlContent", why=f"expected more than {_TOO_SHORT} characters")
        values["html"] = body["htmlContent"]
    elif not campaign.id:
        message = f"One of {', '.join(_CONTENTS)} is required"
        raise errors.MISSING_PARAMETER(message).because(f"{message}: the body has none")
    if body.get("subject", "").strip():
        values["subject"] = body["subject"]
    elif "subject" in body or not (campaign.id or "subject" in values or body.get("abTesting")):
        raise missing("subject")
    return values


def _template(account: Account, number: int) -> Template:
    templates = account.rows_of(Template)
    template = templates.get(number)
    if template is None or not template.is_active:
        why = "is inactive" if template is not None else f"is unknown (it has {reasons.nearest(templates, number)})"
        reason = f"template {number} of account {account.name} {why}"
        raise errors.INVALID_PARAMETER("Invalid template id").because(f"invalid templateId: {reason}")
    return template


def _known(account: Account, numbers: Iterable[int]) -> list[int]:
    lists = account.rows_of(ContactList)
    for number in numbers:
        if number not in lists:
            reason = f"account {account.name} has no list {number} (it has {reasons.nearest(lists, number)})"
            raise errors.INVALID_PARAMETER("List ID does not exist").because(reason)
    return list(dict.fromkeys(numbers))


def _options(before: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    found = {**before, **{name: body[name] for name in _OPTIONS if name in body}}
    if "recipients" in body:
        found |= {name: body["recipients"].get(name, []) for name in _SEGMENTS}
    if found.get("sendAtBestTime") and found.get("ipWarmupEnable"):
        found["ipWarmupEnable"] = False
    left_out = () if found.get("abTesting") else AB_TEST
    return {
        name: value
        for name, value in found.items()
        if name not in left_out and value not in ([], DEFAULTS.get(name, ()))
    }


def _check_options(campaign: Campaign) -> None:
    """Refuse an incomplete A/B test or warm-up."""
    options = campaign.options
    is_test, subjects = options.get("abTesting"), [options.get("subjectA"), options.get("subjectB")]
    if is_test and options.get("sendAtBestTime"):
        raise wrong("abTesting", why="not possible with sendAtBestTime")
    for name in _needed_options(campaign):
        if options.get(name) in (None, ""):
            raise missing(name)
    if is_test and subjects[0] == subjects[1]:
        raise wrong("subjectB", why="the same text as subjectA")


def _needed_options(campaign: Campaign) -> Iterator[str]:
    options = campaign.options
    if options.get("abTesting"):
        yield from ("subjectA", "subjectB")
        if campaign.list_ids or options.get("segmentIds"):
            yield "splitRule"
        if options.get("splitRule", _ALL_IN_TEST) < _ALL_IN_TEST:
            yield from ("winnerCriteria", "winnerDelay")
    if options.get("ipWarmupEnable"):
        yield from ("initialQuota", "increaseRate")


def _check_sendable(caller: Caller, campaign: Campaign) -> None:
    """Refuse a campaign without content, without lists, or with a sender that is not valid."""
    if campaign.html is None:
        raise missing("htmlContent")
    lists = caller.account.rows_of(ContactList)
    if not campaign.options.get("segmentIds") and not any(number in lists for number in campaign.list_ids):
        raise missing("listIds", "recipients")
    if campaign.sender is not None:
        check_verified(caller.account, campaign.sender.email, _BAD_SENDER)

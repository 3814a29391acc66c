"""Campaigns and templates, and their shared addresses (contract/campaigns)."""

from __future__ import annotations

import string
from dataclasses import dataclass

from mockserver.core.contract.errors import CAMPAIGN_ID_NOT_FOUND, DOCUMENT_NOT_FOUND, METHOD_NOT_ALLOWED
from mockserver.core.state import reasons
from mockserver.core.workspaces.caller import AnonymousCaller, Caller

EMAIL_TEMPLATE = "email_template"
CAMPAIGN_KINDS = ("email_campaign", EMAIL_TEMPLATE, "sms_campaign", "whatsapp_campaign")
#: Path of shared campaigns and templates below a workspace's root.
SHARED = "/shared"
#: Kinds with shared addresses.
SHAREABLE = frozenset({"email_campaign", EMAIL_TEMPLATE})


@dataclass(slots=True, eq=False)
class Campaign:
    """A campaign or a template, by `kind`."""

    id: int
    name: str
    kind: str = "email_campaign"
    #: Content of the shared page; None: a page with instructions.
    html: str | None = None
    #: Subject of e-mails sent by a template; None: the name.
    subject: str | None = None
    #: Last segment of the shared address; None before the first request.
    share: str | None = None


def shared_url(caller: Caller, campaign_id: int) -> str:
    """Return the shared address of a campaign or template, drawn at the first call.

    The last segment looks like the service's (contract/campaigns#getSharedTemplateUrl).
    """
    campaign = caller.account.table(Campaign).get(campaign_id)
    if campaign is None:
        reason = reasons.absent(caller.workspace.state, caller.account, "campaign or template", Campaign, campaign_id)
        raise DOCUMENT_NOT_FOUND("Campaign/Template ID not found", sentence=CAMPAIGN_ID_NOT_FOUND).because(reason)
    if campaign.kind not in SHAREABLE:
        kinds = " and ".join(sorted(SHAREABLE))
        reason = f"campaign {campaign_id} is of kind {campaign.kind}; only {kinds} can be shared"
        raise METHOD_NOT_ALLOWED("Only email campaigns or templates are allowed").because(reason)
    if campaign.share is None:
        alphabet = string.ascii_letters + string.digits + "_-"
        campaign.share = caller.workspace.state.random.secret(f"share/{campaign_id}", 58, alphabet) + "-"
    return f"{caller.visit.root}{SHARED}/{campaign.share}"


def shared(caller: AnonymousCaller, share: str) -> Campaign:
    """Return the campaign or template with a shared address."""
    for account in caller.workspace.state.accounts.values():
        for campaign in account.table(Campaign).values():
            if campaign.share == share:
                return campaign
    reason = f"no campaign or template of workspace {caller.workspace.name} has this shared address"
    raise DOCUMENT_NOT_FOUND("There is no shared template at this address").because(reason)

"""Campaigns and templates, and the addresses under which they are shared (contract/campaigns)."""

from __future__ import annotations

import string
from dataclasses import dataclass

from mockserver.core.contract.errors import CAMPAIGN_ID_NOT_FOUND, DOCUMENT_NOT_FOUND, METHOD_NOT_ALLOWED
from mockserver.core.state import reasons
from mockserver.core.workspaces.caller import AnonymousCaller, Caller

EMAIL_TEMPLATE = "email_template"
CAMPAIGN_KINDS = ("email_campaign", EMAIL_TEMPLATE, "sms_campaign", "whatsapp_campaign")
#: The path below a workspace's root under which shared campaigns and templates are shown.
SHARED = "/shared"
#: The kinds that can be shared.
SHAREABLE = frozenset({"email_campaign", EMAIL_TEMPLATE})


@dataclass(slots=True, eq=False)
class Campaign:
    """A campaign or a template, which of them says `kind`."""

    id: int
    name: str
    kind: str = "email_campaign"
    #: What its shared page shows; None: a page that says how to give it a content.
    html: str | None = None
    #: That of the e-mails that are sent by a template; None: its name.
    subject: str | None = None
    #: The last segment of its shared address; None until that is first asked for.
    share: str | None = None


def shared_url(caller: Caller, campaign_id: int) -> str:
    """The address at the mock under which anybody sees a campaign or template; the same one each time.

    Its last segment looks like the service's (contract/campaigns#getSharedTemplateUrl).

    Raises:
        ServiceError: 404 for an unknown campaign; 405 for one that is no e-mail campaign or template.
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
    """The campaign or template whose shared address ends in this segment.

    Raises:
        ServiceError: 404; there is none.
    """
    for account in caller.workspace.state.accounts.values():
        for campaign in account.table(Campaign).values():
            if campaign.share == share:
                return campaign
    reason = f"no campaign or template of workspace {caller.workspace.name} has this shared address"
    raise DOCUMENT_NOT_FOUND("There is no shared template at this address").because(reason)

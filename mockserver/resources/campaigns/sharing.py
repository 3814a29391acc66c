"""Shared addresses of campaigns and templates (contract/campaigns#getSharedTemplateUrl)."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import TypeAlias

from mockserver.core.contract.errors import CAMPAIGN_ID_NOT_FOUND, DOCUMENT_NOT_FOUND, METHOD_NOT_ALLOWED
from mockserver.core.state import reasons
from mockserver.core.state.state import Account, State
from mockserver.core.workspaces.caller import AnonymousCaller, Caller
from mockserver.resources.campaigns.campaign import EMAIL_CAMPAIGN, Campaign, OtherCampaign
from mockserver.resources.templates.template import EMAIL_TEMPLATE, Template

#: Path of shared campaigns and templates below a workspace's root.
SHARED = "/shared"
#: Kinds with shared addresses.
SHAREABLE = frozenset({EMAIL_CAMPAIGN, EMAIL_TEMPLATE})

Document: TypeAlias = Campaign | Template | OtherCampaign
#: The types of rows that share one space of ids.
TYPES: tuple[type[Document], ...] = (Campaign, Template, OtherCampaign)


def documents(account: Account) -> Mapping[int, Document]:
    """Return an account's campaigns and templates by id, to read them."""
    return {number: row for kind in TYPES for number, row in account.rows_of(kind).items()}


def shared_url(caller: Caller, number: int) -> str:
    """Return the shared address of a campaign or template, drawn at the first call.

    The last segment looks like the service's (contract/campaigns#getSharedTemplateUrl).
    """
    account, state = caller.account, caller.workspace.state
    kind = next((kind for kind in TYPES if number in account.rows_of(kind)), None)
    if kind is None:
        raise DOCUMENT_NOT_FOUND("Campaign/Template ID not found", sentence=CAMPAIGN_ID_NOT_FOUND).because(
            _why_absent(state, account, number)
        )
    document = account.table(kind)[number]
    if document.kind not in SHAREABLE:
        kinds = " and ".join(sorted(SHAREABLE))
        reason = f"campaign {number} is of kind {document.kind}; only {kinds} can be shared"
        raise METHOD_NOT_ALLOWED("Only email campaigns or templates are allowed").because(reason)
    if document.share is None:
        alphabet = string.ascii_letters + string.digits + "_-"
        document.share = state.random.secret(f"share/{number}", 58, alphabet) + "-"
    return address(caller, document.share)


def address(caller: Caller, share: str) -> str:
    """Return the shared address with a last segment."""
    return f"{caller.visit.root}{SHARED}/{share}"


def shared(caller: AnonymousCaller, share: str) -> Document:
    """Return the campaign or template with a shared address."""
    for account in caller.workspace.state.accounts.values():
        for document in documents(account).values():
            if document.share == share:
                return document
    reason = f"no campaign or template of workspace {caller.workspace.name} has this shared address"
    raise DOCUMENT_NOT_FOUND("There is no shared template at this address").because(reason)


def _why_absent(state: State, account: Account, number: int) -> str:
    owner = next((other.name for other in state.accounts.values() if number in documents(other)), None)
    instead = f"account {owner} has it" if owner else f"it has {reasons.nearest(documents(account), number)}"
    return f"account {account.name} has no campaign or template {number} ({instead})"

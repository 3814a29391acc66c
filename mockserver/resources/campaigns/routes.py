"""The operation on shared template addresses, contract/campaigns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from werkzeug.wrappers import Request

from mockserver.core.contract import errors
from mockserver.core.contract.operation import Audience, Mark, chosen_error, documented_error, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.traffic.exchange import Reply
from mockserver.core.workspaces.caller import AnonymousCaller, Caller
from mockserver.resources.campaigns import sharing
from mockserver.web.endpoints.operations import Operations
from mockserver.web.pages.page import content, page, rendered

if TYPE_CHECKING:
    from mockserver.resources.campaigns import schemas
else:
    (schemas,) = lazy(__package__, "schemas")

CAMPAIGNS = Operations("campaigns")


@CAMPAIGNS.operation(
    "getSharedTemplateUrl", "GET", "/v3/emailCampaigns/{campaignId}/sharedUrl",
    summary="Shared template URL",
    source="specification 4.7, contract/campaigns#getSharedTemplateUrl",
    params=schemas.CampaignPath,
    answer=schemas.SharedUrl,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "campaignId is not an integer"),
        documented_error(errors.DOCUMENT_NOT_FOUND, "unknown campaign or template",
            "specification 4.7, contract/errors#codes"),
        chosen_error(errors.CAMPAIGN_ID_NOT_FOUND, "sentences", Mark.PROPOSED),
        proposed_error(errors.METHOD_NOT_ALLOWED, "it is not an e-mail campaign or template",
            "specification 4.7, but for the code"),
    ),
)  # fmt: skip
def get_shared_template_url(caller: Caller, campaign_id: int) -> dict[str, str]:
    return {"sharedUrl": sharing.shared_url(caller, campaign_id)}


_NOT_SHARED = (proposed_error(errors.DOCUMENT_NOT_FOUND, "nothing was shared at this address", "the mock's own"),)


@CAMPAIGNS.operation(
    "showSharedTemplate", "GET", f"{sharing.SHARED}/{{share}}",
    summary="See a shared template",
    source="specification 2.10, contract/campaigns#showSharedTemplate",
    audience=Audience.PAGE,
    params=schemas.SharePath,
    errors=_NOT_SHARED,
)  # fmt: skip
def show_shared_template(caller: AnonymousCaller, request: Request, share: str) -> Reply:
    campaign = sharing.shared(caller, share)
    # Relative to the page's address, for any host and workspace prefix.
    source = f"{share}/content"
    kind = campaign.kind.replace("_", " ")
    return page("shared.html", caller, frames=True, name=campaign.name, kind=kind, source=source)


@CAMPAIGNS.operation(
    "showSharedContent", "GET", f"{sharing.SHARED}/{{share}}/content",
    summary="The HTML of a shared template, as its page shows it",
    source="specification 2.10, contract/campaigns#showSharedContent",
    audience=Audience.PAGE,
    params=schemas.SharePath,
    errors=_NOT_SHARED,
)  # fmt: skip
def show_shared_content(caller: AnonymousCaller, request: Request, share: str) -> Reply:
    campaign = sharing.shared(caller, share)
    return content(campaign.html or rendered("template.html", name=campaign.name))

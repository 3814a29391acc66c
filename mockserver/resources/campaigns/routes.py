"""The operations on campaigns and on shared addresses, contract/campaigns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Request

from mockserver.core.contract import errors
from mockserver.core.contract.operation import (
    Audience,
    Mark,
    chosen_error,
    documented_error,
    error_observed_in_code,
    proposed_error,
)
from mockserver.core.lazy import lazy
from mockserver.core.traffic.exchange import Reply
from mockserver.core.workspaces.caller import AnonymousCaller, Caller
from mockserver.resources.campaigns import sharing
from mockserver.web.endpoints.operations import Operations
from mockserver.web.pages.page import content, page, rendered
from mockserver.web.schemas.evidence import CLIENT, OPENAPI

if TYPE_CHECKING:
    from mockserver.resources.campaigns import campaign, listing, model, schemas
else:
    campaign, listing, model, schemas = lazy(__package__, "campaign", "listing", "model", "schemas")

#: The operation of the specification with its pages, and the further ones.
CAMPAIGNS = Operations("campaigns")
FURTHER = Operations("campaigns", OPENAPI, are_further=True)

_BAD_ID = proposed_error(errors.INVALID_PARAMETER, "campaignId is not an integer")


@CAMPAIGNS.operation(
    "getSharedTemplateUrl", "GET", "/v3/emailCampaigns/{campaignId}/sharedUrl",
    summary="Shared template URL",
    source="specification 4.7, contract/campaigns#getSharedTemplateUrl",
    params=schemas.CampaignPath, answer=schemas.SharedUrl,
    errors=(
        _BAD_ID,
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
    audience=Audience.PAGE, params=schemas.SharePath, errors=_NOT_SHARED,
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
    audience=Audience.PAGE, params=schemas.SharePath, errors=_NOT_SHARED,
)  # fmt: skip
def show_shared_content(caller: AnonymousCaller, request: Request, share: str) -> Reply:
    campaign = sharing.shared(caller, share)
    return content(campaign.html or rendered("template.html", name=campaign.name))


_NO_CAMPAIGN = (
    documented_error(errors.DOCUMENT_NOT_FOUND, "the campaign does not exist", OPENAPI),
    chosen_error(errors.CAMPAIGN_ID_NOT_FOUND, "sentences", Mark.DOCUMENTED),
)
_BAD_VIEW = proposed_error(errors.INVALID_PARAMETER, "campaignId is not an integer; a parameter outside its values")
_BAD_MEMBER = error_observed_in_code(
    errors.INVALID_PARAMETER, "a member is not valid, such as a sender that is not verified",
    "contract/campaigns#createEmailCampaign", programs=4,
)  # fmt: skip
_OUT_OF_RANGE = documented_error(errors.OUT_OF_RANGE, "a number outside its bounds", f"{OPENAPI}, but for the code")
_IS_SENT = documented_error(errors.CAMPAIGN_SENT, "the campaign is sent", "specification 7.3, but for the condition")
_IS_PROCESSED = documented_error(
    errors.CAMPAIGN_PROCESSING, "the campaign is in process or in review", "specification 7.3, but for the condition"
)
_INCOMPLETE = proposed_error(errors.MISSING_PARAMETER, "the campaign has no content or no list")


@FURTHER.operation(
    "getEmailCampaigns", "GET", "/v3/emailCampaigns",
    summary="List e-mail campaigns",
    query=schemas.CampaignFilter, answer=schemas.Campaigns,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "a parameter outside its values; dates beside another status"),
        documented_error(errors.MISSING_PARAMETER, "one of the dates only", f"{OPENAPI}, but for the code"),
        documented_error(errors.OUT_OF_RANGE,
            "limit outside 0 to 100, a negative offset; dates in the future or over 2 years apart",
            f"{CLIENT}, but for the code"),
    ),
)  # fmt: skip
def get_email_campaigns(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    found = listing.select(caller, query)
    ordered = found if query["sort"] == "asc" else found[::-1]
    page = ordered[query["offset"] : query["offset"] + query["limit"]]
    return {"campaigns": [listing.shown(caller, row, query) for row in page], "count": len(found)}


@FURTHER.operation(
    "createEmailCampaign", "POST", "/v3/emailCampaigns",
    summary="Create an e-mail campaign",
    adds=True, status=201, body=schemas.NewCampaign, answer=schemas.MessageCreated,
    errors=(
        documented_error(errors.MISSING_PARAMETER, "no name, sender, subject, content or other required member",
            f"{CLIENT}, but for the code"),
        _BAD_MEMBER, _OUT_OF_RANGE,
    ),
)  # fmt: skip
def create_email_campaign(caller: Caller, body: dict[str, Any]) -> campaign.Campaign:
    return model.create(caller, body)


@FURTHER.operation(
    "getEmailCampaign", "GET", "/v3/emailCampaigns/{campaignId}",
    summary="Read an e-mail campaign",
    params=schemas.CampaignPath, query=schemas.CampaignView, answer=schemas.CampaignOut,
    errors=(_BAD_VIEW, *_NO_CAMPAIGN),
)  # fmt: skip
def get_email_campaign(caller: Caller, campaign_id: int, query: dict[str, Any]) -> dict[str, Any]:
    return listing.shown(caller, model.get(caller, campaign_id), query)


@FURTHER.operation(
    "updateEmailCampaign", "PUT", "/v3/emailCampaigns/{campaignId}",
    summary="Change an e-mail campaign",
    status=204, params=schemas.CampaignPath, body=schemas.CampaignChanges,
    errors=(
        documented_error(errors.MISSING_PARAMETER, "no member, or a member without another one that it needs",
            f"{CLIENT}, but for the code"),
        _BAD_MEMBER, _OUT_OF_RANGE, _IS_SENT, _IS_PROCESSED, *_NO_CAMPAIGN,
    ),
)  # fmt: skip
def update_email_campaign(caller: Caller, campaign_id: int, body: dict[str, Any]) -> None:
    model.update(caller, campaign_id, body)


@FURTHER.operation(
    "deleteEmailCampaign", "DELETE", "/v3/emailCampaigns/{campaignId}",
    summary="Delete an e-mail campaign",
    status=204, params=schemas.CampaignPath,
    errors=(
        _BAD_ID, _IS_PROCESSED, documented_error(errors.PERMISSION_DENIED, "the campaign is scheduled", CLIENT),
        *_NO_CAMPAIGN,
    ),
)  # fmt: skip
def delete_email_campaign(caller: Caller, campaign_id: int) -> None:
    model.delete(caller, campaign_id)


@FURTHER.operation(
    "sendEmailCampaignNow", "POST", "/v3/emailCampaigns/{campaignId}/sendNow",
    summary="Send an e-mail campaign now",
    sweeps=True, status=204, params=schemas.CampaignPath,
    errors=(
        error_observed_in_code(errors.INVALID_PARAMETER,
            "campaignId is not an integer; the sender is not verified; the campaign is in the archive",
            "contract/campaigns#createEmailCampaign", programs=4),
        _INCOMPLETE, _IS_SENT, _IS_PROCESSED,
        documented_error(errors.NOT_ENOUGH_CREDITS, "fewer credits than recipients", CLIENT, status=402),
        *_NO_CAMPAIGN,
    ),
)  # fmt: skip
def send_email_campaign_now(caller: Caller, campaign_id: int) -> None:
    model.send_now(caller, campaign_id)


@FURTHER.operation(
    "updateCampaignStatus", "PUT", "/v3/emailCampaigns/{campaignId}/status",
    summary="Change the status of an e-mail campaign",
    sweeps=True, status=204, params=schemas.CampaignPath, body=schemas.CampaignStatus,
    errors=(
        proposed_error(errors.MISSING_PARAMETER, "no status; to be sent, the campaign has no content, list or moment"),
        proposed_error(errors.INVALID_PARAMETER,
            "a status outside its values, or not possible in the present one; replicateTemplate of a campaign"),
        _IS_SENT, _IS_PROCESSED,
        proposed_error(errors.NOT_ENOUGH_CREDITS, "fewer credits than recipients", status=402),
        *_NO_CAMPAIGN,
    ),
)  # fmt: skip
def update_campaign_status(caller: Caller, campaign_id: int, body: dict[str, Any]) -> None:
    model.set_status(caller, campaign_id, body.get("status"))


@FURTHER.operation(
    "sendTestEmail", "POST", "/v3/emailCampaigns/{campaignId}/sendTest",
    summary="Send a test of an e-mail campaign",
    status=204, params=schemas.CampaignPath, body=schemas.TestAddresses,
    errors=(
        documented_error(errors.INVALID_PARAMETER,
            "an address that is not valid, or of no contact in a list; the sender is not verified",
            f"{OPENAPI}, but for the code"),
        proposed_error(errors.MISSING_PARAMETER, "the campaign has no content"),
        documented_error(errors.OUT_OF_RANGE, "more than 50 tests on a day", f"{CLIENT}, but for the code"),
        *_NO_CAMPAIGN,
    ),
)  # fmt: skip
def send_test_email(caller: Caller, campaign_id: int, body: dict[str, Any]) -> None:
    model.send_test(caller, campaign_id, body.get("email_to", []))

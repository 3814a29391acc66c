"""The operation on shared template addresses, SPEC 4.7."""

from __future__ import annotations

from mockserver.core import errors
from mockserver.core.caller import Caller
from mockserver.core.contract import documented, proposed
from mockserver.resources.campaigns import model, schemas
from mockserver.web.operation import Endpoints

CAMPAIGNS = Endpoints("campaigns")


@CAMPAIGNS.operation(
    "getSharedTemplateUrl", "GET", "/v3/emailCampaigns/{campaignId}/sharedUrl",
    summary="Shared template URL",
    source="SPEC 4.7, ledger 2.32",
    params=schemas.CampaignPath,
    answer=schemas.SharedUrl,
    errors=(
        proposed(errors.INVALID_PARAMETER, "campaignId is not a positive integer", "ledger 2.32"),
        documented(errors.DOCUMENT_NOT_FOUND, "unknown campaign or template", "SPEC 4.7, ledger 1.4"),
        documented(errors.METHOD_NOT_ALLOWED, "it is not an e-mail campaign or template", "SPEC 4.7"),
    ),
    scope="campaigns.email",
)  # fmt: skip
def get_shared_template_url(caller: Caller, campaign_id: int) -> dict[str, str]:
    return {"sharedUrl": model.shared_url(caller, campaign_id)}

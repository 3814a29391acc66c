"""Campaigns and templates on the wire."""

from __future__ import annotations

from mockserver.web.schemas.evidence import documented, proposed
from mockserver.web.schemas.fields import Text, Url, identifier
from mockserver.web.schemas.schema import Input, Output


class CampaignPath(Input):
    campaign_id = identifier("campaignId")


class SharePath(Input):
    share = Text(required=True, **proposed("the last part of a sharedUrl", source="the mock's own"))


class SharedUrl(Output):
    names_from = "specification 2.10"

    sharedUrl = Url(required=True, **documented("shows the template to whoever has it"))

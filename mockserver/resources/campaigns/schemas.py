"""Campaigns and templates on the wire, and in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import fields, validate

from mockserver.core.account import Account
from mockserver.core.workspace import Workspace
from mockserver.resources.campaigns.model import KINDS, Campaign
from mockserver.resources.room import Section
from mockserver.resources.section import Item, Taken
from mockserver.web.fields import Url, identifier
from mockserver.web.schema import Input, Output, documented


class CampaignPath(Input):
    campaign_id = identifier("campaignId")


class SharedUrl(Output):
    sharedUrl = Url(required=True, **documented("shows the template to whoever has it"))


# ---------------------------------------------------------------------- scenario


class CampaignItem(Item):
    id = fields.Integer(strict=True, validate=validate.Range(min=1, max=2**62))
    name = fields.String(required=True)
    kind = fields.String(validate=validate.OneOf(KINDS), load_default="email_campaign")
    share = fields.String(allow_none=True)


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> None:
    items = data.get("campaigns", ())
    for item in items:
        workspace.claim_id("campaign", item.get("id", 0))
    for index, item in enumerate(items):
        number = item["id"] if "id" in item else workspace.next_id("campaign")
        if any(number in other.table(Campaign) for other in workspace.accounts.values()):
            raise Taken(("campaigns", index, "id"), f"campaign {number} is there already")
        account.table(Campaign)[number] = Campaign(number, item["name"], item["kind"], item.get("share"))


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    rows = account.table(Campaign).values()
    return {"campaigns": [_CAMPAIGN_ITEM.dump(row) for row in rows]} if rows else {}


_CAMPAIGN_ITEM = CampaignItem()

SECTION = Section(
    fields={"campaigns": fields.List(fields.Nested(CampaignItem))},
    load=_load,
    dump=_dump,
    generators={
        "campaigns": lambda people, workspace, account: {"name": people.sentence(), "kind": people.choice(KINDS)}
    },
)

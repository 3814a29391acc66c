"""Campaigns and templates in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields, validate

from mockserver.core.state.state import Account
from mockserver.core.state.tables import shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.campaigns.model import CAMPAIGN_KINDS, Campaign
from mockserver.resources.section import (
    ID_RANGE,
    Item,
    Section,
    SectionError,
    TakenError,
    about,
    claim,
    dump_rows,
    once_per_load,
)
from mockserver.web.schemas.fields import List


class CampaignItem(Item):
    """A campaign or a template."""

    id = fields.Integer(strict=True, validate=ID_RANGE, **about("counts up from the largest one if left out"))
    name = fields.String(required=True, **about("its name"))
    kind = fields.String(
        validate=validate.OneOf(CAMPAIGN_KINDS),
        load_default="email_campaign",
        **about("whether it is a campaign or a template, and of which channel"),
    )
    html = fields.String(
        allow_none=True,
        **about(
            "what its shared page shows, or what a template sends; null: a page that says how to give it a content"
        ),
    )
    subject = fields.String(
        allow_none=True, **about("the subject of e-mails that are sent by a template; null: its name")
    )
    share = fields.String(
        allow_none=True,
        validate=validate.Regexp(
            r"[0-9A-Za-z._~-]{1,200}\Z", error="must be 1 to 200 letters, digits, dots, hyphens, underscores and tildes"
        ),
        **about("the last segment of its shared address; drawn when that is first asked for"),
    )


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    items, last = data.get("campaigns", ()), workspace.state.last_ids.get("campaign", 0)
    for item in items:
        workspace.state.claim_id("campaign", item.get("id", 0))
    has_shares = any(item.get("share") for item in items)
    shares = once_per_load(workspace, "shares", lambda: _taken_shares(workspace)) if has_shares else set()
    for index, item in enumerate(items):
        number = item["id"] if "id" in item else workspace.state.next_id("campaign")
        if not claim(workspace, Campaign, number, is_next=number > last):
            yield TakenError(("campaigns", index, "id"), f"duplicate campaign id {number}")
            continue
        share = item.get("share")
        if share is not None and share in shares:
            yield TakenError(("campaigns", index, "share"), "duplicate share: another campaign has it")
        shares.add(share)
        texts = {name: item.get(name) for name in ("html", "subject")}
        account.table(Campaign)[number] = Campaign(number, item["name"], item["kind"], **texts, share=share)


def _taken_shares(workspace: Workspace) -> set[str | None]:
    return {row.share for _, rows in workspace.state.tables(Campaign) for _, row in shown(rows)}


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    return dump_rows("campaigns", _CAMPAIGN_ITEM, account.rows_of(Campaign).values())


_CAMPAIGN_ITEM = CampaignItem()

SECTION = Section(
    fields={"campaigns": List(fields.Nested(CampaignItem), **about("its campaigns and templates"))},
    load=_load,
    dump=_dump,
    generators={
        "campaigns": lambda people, workspace, account: {
            "name": people.sentence(),
            "kind": people.choice(CAMPAIGN_KINDS),
        }
    },
)

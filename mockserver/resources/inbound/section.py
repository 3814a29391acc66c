"""Received e-mails in a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from marshmallow import fields

from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.inbound.model import InboundEvent
from mockserver.resources.section import Instant, Item, Section, about, dump_rows
from mockserver.web.schemas.fields import Email, List


class InboundEventItem(Item):
    date = Instant(required=True, **about("when it came in"))
    uuid = fields.UUID(**about("its id; drawn if left out"))
    sender = Email(required=True, **about("who has sent it"))
    recipient = Email(required=True, **about("the address at which it came in"))


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> tuple[()]:
    account.timeline(InboundEvent).extend(
        InboundEvent(
            item["date"],
            str(item.get("uuid") or workspace.state.random.uuid("inbound")),
            item["sender"],
            item["recipient"],
        )
        for item in data.get("inbound_events", ())
    )
    return ()


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    return dump_rows("inbound_events", _INBOUND_ITEM, account.timeline_of(InboundEvent))


_INBOUND_ITEM = InboundEventItem()

SECTION = Section(
    fields={
        "inbound_events": List(
            fields.Nested(InboundEventItem), **about("mails that have come in, which getInboundEmailEvents lists")
        )
    },
    load=_load,
    dump=_dump,
    generators={
        "inbound_events": lambda people, workspace, account: {
            "date": workspace.state.clock.before(timedelta(seconds=people.number(1, 60 * 24 * 3600))),
            "sender": people.email(),
            "recipient": "reply@in.acme.test",
        }
    },
)

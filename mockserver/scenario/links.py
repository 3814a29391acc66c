"""What a document says of causes: of the deliveries and the pending timers of a running workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from marshmallow import fields, validate

from mockserver.core.traffic.causes import DELIVERY, KINDS, TIMER, Cause
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.resources.section import Item, about
from mockserver.web.schemas.errors import Longest
from mockserver.web.schemas.fields import List

#: The most characters of an id; chosen: those of timers hold the keys of instances, such as names of domains.
_LONGEST = Longest(10_000)


class CauseItem(Item):
    kind = fields.String(required=True, validate=validate.OneOf(KINDS), **about("what kind of thing it is"))
    id = fields.String(required=True, validate=_LONGEST, **about("its id"))


class LinkItem(CauseItem):
    """Something that was caused, with what has caused it."""

    caused_by = List(fields.Nested(CauseItem), required=True, **about("what has caused it"))


def dump_links(workspace: Workspace) -> list[dict[str, Any]]:
    """The links from and to the deliveries and pending timers of a workspace, oldest first, by what was caused."""
    timers = workspace.state.timers
    deliveries = {str(key) for _, rows in workspace.state.tables(Delivery) for key in rows}

    def is_kept(thing: Cause) -> bool:
        if thing.kind == DELIVERY:
            return thing.id in deliveries
        return thing.kind == TIMER and timers.get(thing.id) is not None

    found: dict[Cause, dict[Cause, None]] = {}
    for cause, effect in workspace.links:
        if is_kept(cause) or is_kept(effect):
            found.setdefault(effect, {})[cause] = None
    return [{**_item(effect), "caused_by": list(map(_item, causes))} for effect, causes in found.items()]


def load_links(workspace: Workspace, items: Iterable[Mapping[str, Any]]) -> None:
    """Note what a document says was caused by what."""
    for item in items:
        for cause in item["caused_by"]:
            workspace.links.add(Cause(cause["kind"], cause["id"]), item["kind"], item["id"])


def _item(cause: Cause) -> dict[str, str]:
    return {"kind": cause.kind, "id": cause.id}

"""Deliveries in a scenario, finished and unfinished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from mockserver.core.state.state import Account
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import (
    MACHINE,
    RETRYING,
    SCHEDULED,
    Attempt,
    Delivery,
    Finished,
    Target,
    await_attempt,
    evict_excess,
    update_size,
)
from mockserver.resources.deliveries.model import RETRIES
from mockserver.resources.deliveries.trial import SENT_AS
from mockserver.resources.section import ID_RANGE, Instant, Item, Section, SectionError, TakenError, about, claim
from mockserver.web.schemas.fields import Dict, Flag, JsonObject, List, Url

#: How many levels of JSON a call has around the members that a client gives: an inbound call has a list in an object.
_WRAPPER_LEVELS = 2


class TargetItem(Item):
    """A webhook call's address, credentials and headers."""

    url = Url(required=True, **about("where the call goes"))
    auth = Dict(
        keys=fields.String(),
        values=fields.String(),
        allow_none=True,
        load_default=None,
        **about("the webhook's credentials"),
    )
    headers = List(
        List(fields.String(), validate=validate.Length(equal=2)),
        load_default=list,
        **about("further headers, as pairs of name and value"),
    )

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Target:
        return Target(data["url"], data["auth"], tuple((name, value) for name, value in data["headers"]))


class AttemptItem(Item):
    at = Instant(required=True, **about("when it began"))
    status = fields.Integer(strict=True, allow_none=True, load_default=None, **about("the status of the answer"))
    error = fields.String(allow_none=True, load_default=None, **about("why there was no answer"))
    target = fields.Nested(TargetItem, allow_none=True, load_default=None, **about("where it went, if changed since"))

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Attempt:
        return Attempt(**data)


class DeliveryItem(Item):
    """A delivery with all attempts."""

    id = fields.Integer(required=True, strict=True, validate=ID_RANGE, **about("its number"))
    target = fields.Nested(TargetItem, required=True, **about("where the call goes, and with which headers"))
    payloads = List(
        JsonObject(around=_WRAPPER_LEVELS),
        required=True,
        validate=validate.Length(min=1),
        **about("what the call carries: one for each event of a batch"),
    )
    events = List(
        fields.String(),
        required=True,
        **about("the event of each payload"),
    )
    created_at = Instant(required=True, **about("when the event happened"))
    next_at = Instant(allow_none=True, load_default=None, **about("the next attempt; null: none"))
    webhook = fields.Integer(
        strict=True,
        allow_none=True,
        load_default=None,
        **about("the id of the webhook; null: an export or import"),
    )
    kind = fields.String(load_default="", **about("the webhook's type; empty for an export or import"))
    export = fields.Integer(strict=True, allow_none=True, load_default=None, **about("the id of its export"))
    batched = Flag(load_default=False, **about("whether the call carries the events of some seconds"))
    sent_as = fields.String(
        allow_none=True,
        validate=validate.OneOf(SENT_AS),
        load_default=None,
        **about("the trial of the receiver that sent it; null: the service"),
    )
    state = fields.String(validate=validate.OneOf(MACHINE.states), load_default=SCHEDULED, **about("its state"))
    attempts = List(fields.Nested(AttemptItem), load_default=list, **about("the attempts so far, oldest first"))
    attempts_evicted = fields.Integer(
        strict=True,
        validate=validate.Range(min=0, max=2**62),
        load_default=0,
        **about("attempts dropped for newer ones"),
    )
    failures = fields.Integer(
        strict=True,
        validate=validate.Range(0, len(RETRIES)),
        load_default=0,
        **about("failed attempts since it was made or last redelivered"),
    )

    @validates_schema
    def _check_events(self, data: dict[str, Any], **_: Any) -> None:
        if len(data["events"]) != len(data["payloads"]):
            raise ValidationError("must be as many as there are payloads", "events")


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    finished = account.record(Finished)
    last = workspace.state.last_ids.get("delivery", 0)
    for index, item in enumerate(data.get("deliveries", ())):
        if not claim(workspace, Delivery, item["id"], is_next=item["id"] > last):
            yield TakenError(("deliveries", index, "id"), f"duplicate delivery id {item['id']}")
            continue
        workspace.state.claim_id("delivery", item["id"])
        row = account.table(Delivery)[item["id"]] = Delivery(**item)
        row.payloads_size = sum(map(weight, row.payloads))
        update_size(account, row)
        if row.state in (SCHEDULED, RETRYING):
            row.next_at = row.next_at or workspace.state.clock.now()
            await_attempt(workspace, account, row)
        else:
            finished.add(row)
    evict_excess(workspace, account)


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    found = []
    for row in account.rows_of(Delivery).values():
        found.append(_DELIVERY_ITEM.dump(row))
        if row.in_flight:
            # A state that is loaded makes the attempt again, at the moment at which it began.
            found[-1]["next_at"] = _DELIVERY_ITEM.fields["next_at"].serialize("began_at", row)
    return {"deliveries": found} if found else {}


_DELIVERY_ITEM = DeliveryItem()

SECTION = Section(
    fields={
        "deliveries": List(
            fields.Nested(DeliveryItem), **about("webhook calls with their attempts, of a written state")
        )
    },
    load=_load,
    dump=_dump,
)

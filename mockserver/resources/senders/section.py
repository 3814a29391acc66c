"""Senders in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields, validate

from mockserver.core.contract.errors import ServiceError
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import comparable
from mockserver.core.text.messages import shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account.model import DedicatedIp
from mockserver.resources.people import People
from mockserver.resources.section import (
    ID_RANGE,
    Instant,
    Item,
    Section,
    SectionError,
    TakenError,
    about,
    claim,
    once_per_load,
)
from mockserver.resources.senders.model import AWAITING, OTP_RANGE, VERIFIED, Addresses, Sender, allot, await_code
from mockserver.web.schemas.fields import Email, List


class IpShareItem(Item):
    domain = fields.String(required=True, **about("the domain of the dedicated IP"))
    ip = fields.String(required=True, **about("a dedicated IP of the account"))
    weight = fields.Integer(
        strict=True,
        validate=validate.Range(min=1, max=100),
        **about("its share of the e-mails in percent; equal shares if left out"),
    )


class SenderItem(Item):
    """A sender, possibly awaiting a one-time code."""

    id = fields.Integer(strict=True, validate=ID_RANGE, **about("counts up from the largest one if left out"))
    name = fields.String(required=True, **about("the name that recipients see"))
    email = Email(required=True, **about("the address, each once in an account"))
    state = fields.String(
        validate=validate.OneOf((AWAITING, VERIFIED)),
        load_default=VERIFIED,
        **about("whether its one-time code was given"),
    )
    otp = fields.Integer(
        strict=True,
        allow_none=True,
        validate=validate.Range(*OTP_RANGE),
        **about("the one-time code, six digits; drawn if it awaits one"),
    )
    otp_expires_at = Instant(allow_none=True, **about("the end of the code; by default after behaviour.otp_lifetime"))
    ips = List(fields.Nested(IpShareItem), load_default=list, **about("the dedicated IPs that its e-mails leave by"))


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    items, last = data.get("senders", ()), workspace.state.last_ids.get("sender", 0)
    for item in items:
        workspace.state.claim_id("sender", item.get("id", 0))
    for index, item in enumerate(items):
        yield from _load_sender(workspace, account, index, item, last)


def _load_sender(
    workspace: Workspace, account: Account, index: int, item: Mapping[str, Any], last: int
) -> Iterator[SectionError]:
    sender = Sender(
        item["id"] if "id" in item else workspace.state.next_id("sender"),
        item["name"],
        item["email"],
        item["state"],
        otp=item.get("otp"),
        otp_expires_at=item.get("otp_expires_at"),
    )
    try:
        sender.ips = allot(account, item["ips"])  # none is fine: an account can get its IPs later than its senders
    except ServiceError as error:
        wanted = tuple(share["ip"] for share in item["ips"])
        yield SectionError(("senders", index, "ips"), str(error.reason), wanted=wanted)
    addresses = account.record(Addresses)
    if not claim(workspace, Sender, sender.id, is_next=sender.id > last):
        yield TakenError(("senders", index, "id"), f"duplicate sender id {sender.id}")
        return
    if comparable(sender.email) in addresses:
        yield TakenError(("senders", index, "email"), f"duplicate sender e-mail {shown(sender.email)} in the account")
        return
    addresses[comparable(sender.email)] = sender.id
    account.table(Sender)[sender.id] = sender
    if sender.state == AWAITING:
        await_code(workspace, account, sender)


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    rows = account.rows_of(Sender).values()
    return {"senders": [_SENDER_ITEM.dump(row) for row in rows]} if rows else {}


_SENDER_ITEM = SenderItem()
#: How many dedicated IPs a made-up sender has at most; chosen: one and more than one are worth seeing.
_MOST_MADE_UP = 2


def _made_up_ips(people: People, workspace: Workspace, account: Account) -> list[dict[str, Any]]:
    """Return some of the account's active dedicated IPs, in equal shares."""

    def active_ips() -> list[DedicatedIp]:
        return [row for row in account.rows_of(DedicatedIp).values() if row.active]

    active = once_per_load(workspace, (DedicatedIp, account.id), active_ips)
    if not active:
        return []
    first = people.number(0, len(active) - 1)
    amount = people.number(1, min(_MOST_MADE_UP, len(active)))
    chosen = [active[(first + step) % len(active)] for step in range(amount)]
    return [{"ip": row.ip, "domain": row.domain} for row in chosen]


SECTION = Section(
    fields={"senders": List(fields.Nested(SenderItem), **about("its senders"))},
    load=_load,
    dump=_dump,
    generators={
        "senders": lambda people, workspace, account: {
            "name": people.name(),
            "email": people.unique_email(),
            "state": people.choice((VERIFIED, VERIFIED, VERIFIED, AWAITING)),
            "ips": _made_up_ips(people, workspace, account),
        }
    },
)

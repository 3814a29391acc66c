"""Campaigns and templates in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields as dataclass_fields
from typing import Any

import msgspec
from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.core.state.state import Account
from mockserver.core.state.tables import shown
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.campaigns.audience import Audience
from mockserver.resources.campaigns.campaign import (
    EMAIL_CAMPAIGN,
    MACHINE,
    OTHER_KINDS,
    QUEUED,
    SENT,
    Campaign,
    OtherCampaign,
)  # fmt: skip
from mockserver.resources.campaigns.sending import resume
from mockserver.resources.campaigns.sharing import TYPES, Document, documents
from mockserver.resources.campaigns.statistics import Progress
from mockserver.resources.contacts.rows import ContactList
from mockserver.resources.scheduled_emails.section import PartyField
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
from mockserver.resources.templates.template import EMAIL_TEMPLATE, Template
from mockserver.web.schemas.fields import Email, Flag, JsonObject, List, Url

_ROWS: Mapping[str, type[Document]] = {
    EMAIL_CAMPAIGN: Campaign, EMAIL_TEMPLATE: Template, **dict.fromkeys(OTHER_KINDS, OtherCampaign),
}  # fmt: skip
CAMPAIGN_KINDS = tuple(_ROWS)
#: The members of a campaign that are rows of their own.
_PARTS: Mapping[str, type[Audience | Progress]] = {"audience": Audience, "progress": Progress}


def _members(kind: str) -> set[str]:
    """Return the members that a row of a kind may have."""
    row = _ROWS[kind]
    return {"kind", *(member.name for member in dataclass_fields(row)), *(_PARTS if row is Campaign else ())}


def _list_ids(text: str) -> List:
    return List(fields.Integer(strict=True, validate=ID_RANGE), **about(text))


class Stored(JsonObject):
    """A row as the mock keeps it, which a state has and nobody writes by hand."""

    def __init__(self, kind: type[Audience | Progress], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._kind = kind

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        found = super()._deserialize(value, attr, data, **kwargs)
        try:
            return msgspec.convert(found, self._kind, str_keys=True)
        except msgspec.ValidationError as error:
            raise ValidationError(str(error)) from error

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else msgspec.to_builtins(value, str_keys=True)


class CampaignItem(Item):
    """A campaign or a template."""

    id = fields.Integer(strict=True, validate=ID_RANGE, **about("counts up from the largest one if left out"))
    name = fields.String(required=True, **about("its name"))
    kind = fields.String(
        validate=validate.OneOf(CAMPAIGN_KINDS),
        load_default=EMAIL_CAMPAIGN,
        **about("campaign or template, by channel"),
    )
    html = fields.String(allow_none=True, **about("with `{{ params.NAME }}`, `{{ contact.NAME }}`, `{{ mirror }}`"))
    subject = fields.String(allow_none=True, **about("the subject of its e-mails; null: its name"))
    share = fields.String(
        allow_none=True,
        validate=validate.Regexp(
            r"[0-9A-Za-z._~-]{1,200}\Z", error="must be 1 to 200 letters, digits, dots, hyphens, underscores and tildes"
        ),
        **about("the last segment of its shared address; drawn at the first request"),
    )
    created_at = Instant(**about("its creation; the clock's start if left out"))
    modified_at = Instant(**about("its last change; its creation if left out"))
    sender = PartyField(**about("who sends it; the account's first verified sender if left out"))
    reply_to = Email(**about("where answers arrive; the sender if left out"))
    to_field = fields.String(**about("the name of its recipients, with attributes"))
    tag = fields.String(**about("its tag"))
    attachment_url = Url(**about("its attachment, which is not fetched"))
    is_tested = Flag(data_key="tested", **about("whether a test was sent"))
    is_active = Flag(data_key="active", **about("whether a template may be used; true if left out"))
    state = fields.String(validate=validate.OneOf(MACHINE.states), **about("of a campaign; a draft if left out"))
    scheduled_at = Instant(**about("when a campaign is due"))
    sent_at = Instant(**about("when the last e-mail of a campaign left"))
    list_ids = _list_ids("the lists that get a campaign")
    excluded_list_ids = _list_ids("the lists that do not get a campaign")
    params = JsonObject(**about("the values of `{{ params.NAME }}` in a campaign"))
    options = JsonObject(**about("members of a campaign that are only kept, such as `previewText`"))

    audience = Stored(Audience, **about("the recipients of a campaign that was due"))
    progress = Stored(Progress, **about("how far a campaign is sent, and the counts of its events"))

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        for name in data.keys() - _members(data["kind"]):
            member = self.fields[name].data_key or name
            raise ValidationError(f"a row of kind {data['kind']} has no such member", member)
        if "progress" in data and not data["progress"].fits(data.get("audience") or Audience(0)):
            raise ValidationError("turns, recipients and moments contradict each other", "progress")
        if data.get("state") == QUEUED and "scheduled_at" not in data:
            raise ValidationError("missing: a campaign in state queued needs it", "scheduled_at")


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    items, last = data.get("campaigns", ()), workspace.state.last_ids.get("campaign", 0)
    for item in items:
        workspace.state.claim_id("campaign", item.get("id", 0))
    has_shares = any(item.get("share") for item in items)
    shares = once_per_load(workspace, "shares", lambda: _taken_shares(workspace)) if has_shares else set()
    for index, item in enumerate(items):
        number = item["id"] if "id" in item else workspace.state.next_id("campaign")
        if not all(claim(workspace, row, number, is_next=number > last) for row in TYPES):
            yield TakenError(("campaigns", index, "id"), f"duplicate campaign id {number}")
            continue
        share = item.get("share")
        if share is not None and share in shares:
            yield TakenError(("campaigns", index, "share"), "duplicate share: another campaign has it")
        shares.add(share)
        yield from _check_lists(workspace, account, index, item)
        _add(workspace, account, {**item, "id": number})


def _check_lists(workspace: Workspace, account: Account, index: int, item: Mapping[str, Any]) -> Iterator[SectionError]:
    """Refuse lists that the account has not; deleted ones stay in campaigns."""
    for member in ("list_ids", "excluded_list_ids"):
        unknown = (number for number in item.get(member, ()) if number not in account.rows_of(ContactList))
        missing = [number for number in unknown if not _is_deleted(workspace, number)]
        if missing:
            message = f"the account has no list {missing[0]}"
            yield SectionError(("campaigns", index, member), message, wanted=tuple(missing))


def _is_deleted(workspace: Workspace, list_id: int) -> bool:
    is_used = any(list_id in account.rows_of(ContactList) for account in workspace.state.accounts.values())
    return list_id <= workspace.state.last_ids.get("contact_list", 0) and not is_used


def _add(workspace: Workspace, account: Account, item: dict[str, Any]) -> None:
    kind = _ROWS[item["kind"]]
    row = kind(**{member.name: item[member.name] for member in dataclass_fields(kind) if member.name in item})
    if isinstance(row, OtherCampaign):
        account.table(OtherCampaign)[row.id] = row
    else:
        account.table(type(row))[row.id] = row
        account.weigh_stored(row.size)
    if isinstance(row, Campaign):
        if row.state == SENT and row.sent_at is None:
            row.sent_at = workspace.state.clock.start
        for part in (item[name] for name in _PARTS if name in item):
            part.id = row.id
            account.table(type(part))[row.id] = part
        resume(workspace, account, row)


def _taken_shares(workspace: Workspace) -> set[str | None]:
    return {row.share for kind in TYPES for _, rows in workspace.state.tables(kind) for _, row in shown(rows)}


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    items = [_ITEM.dump(_written(account, row)) for row in documents(account).values()]
    return {"campaigns": items} if items else {}


def _written(account: Account, row: Document) -> dict[str, Any]:
    """Return the members of a row that a scenario needs: those with other values than the defaults."""
    plain = OtherCampaign(0, "", "") if isinstance(row, OtherCampaign) else type(row)(0, "")
    values = {"kind": row.kind, **{member.name: getattr(row, member.name) for member in dataclass_fields(row)}}
    needed = {name: value for name, value in values.items() if name == "kind" or value != getattr(plain, name)}
    if isinstance(row, Campaign):
        needed |= {
            name: account.rows_of(part)[row.id] for name, part in _PARTS.items() if row.id in account.rows_of(part)
        }
    return {"name": row.name, **needed}


_ITEM = CampaignItem()

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

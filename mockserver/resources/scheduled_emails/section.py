"""Scheduled e-mails in a scenario; e-mail contents in scenarios and stubs."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, ClassVar

from marshmallow import ValidationError, fields, post_load, pre_dump, validate, validates_schema

from mockserver.core.state.state import Account
from mockserver.core.text import addresses
from mockserver.core.text.messages import shown, too_many
from mockserver.core.traffic.mail import KINDS, Attachment, MailContent, Party, Recipient
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.scheduled_emails import model
from mockserver.resources.scheduled_emails.model import MACHINE, REJECTED, SCHEDULED, SENT, ScheduledEmail
from mockserver.resources.section import Instant, Item, Section, SectionError, TakenError, about, claim
from mockserver.resources.webhooks.events import draw_message_id
from mockserver.web.schemas.errors import Longest
from mockserver.web.schemas.fields import LONGEST_HEADER_VALUE, Dict, Email, JsonObject, List, Url

#: The most recipients of an e-mail (proposed: with all versions of a call, contract/sending#sendTransacEmail).
MOST_RECIPIENTS = 2_000
#: The most headers, tags and attachments of an e-mail, and the most characters of their names; chosen: far above use.
_MOST_PARTS, _LONGEST_NAME = 1_000, 1_000
_LONGEST = Longest(_LONGEST_NAME)


class PartyField(fields.Field[Party]):
    """`ada@acme.test`, `Ada <ada@acme.test>` or `{email: ada@acme.test, name: Ada}`."""

    _email = Email(required=True)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Party:
        if isinstance(value, Mapping):
            found: Party = _PARTY.load(value)
            return found
        if not isinstance(value, str):
            raise ValidationError("must be an e-mail address, or have an email and a name")
        name, bracket, rest = value.strip().rpartition("<")
        is_whole = bracket and rest.endswith(">")
        email: Any = self._email.deserialize(rest[:-1] if is_whole else value.strip())
        return Party(email, _named(name) if is_whole else "")

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        if value is None:
            return None
        return {"email": value.email, "name": value.name} if value.name else value.email


class PartiesField(fields.Field[list[Party]]):
    """A party, or a list of parties."""

    _party = PartyField()
    _parties = List(_party, validate=Longest(MOST_RECIPIENTS))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Party]:
        found: Any = self._parties.deserialize(value if isinstance(value, list) else [value])
        return found  # type: ignore[no-any-return]  # deserialize may give None, but not for a value

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return self._parties._serialize(value, attr, obj)  # noqa: SLF001  # a field within a field


def _named(text: str) -> str:
    """Return a name without surrounding quotes."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


class _PartyItem(Item):
    email = Email(required=True, **about("the address"))
    name = fields.String(load_default="", validate=_LONGEST, allow_none=True, **about("the name before it"))

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Party:
        return Party(data["email"], data["name"] or "")


_PARTY = _PartyItem()


class Base64(fields.Field[bytes]):
    """Bytes in Base64."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bytes:
        try:
            return b64decode(value if isinstance(value, str) else "!", validate=True)
        except (Base64Error, ValueError) as error:
            raise ValidationError("must be a string in Base64") from error

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else b64encode(value).decode()


class AttachmentItem(Item):
    """A file, given by content or address."""

    constraints: ClassVar[dict[str, Any]] = {"oneOf": [{"required": ["content"]}, {"required": ["url"]}]}

    name = fields.String(validate=_LONGEST, **about("the name of the file; from the url if left out"))
    content = Base64(**about("the file, in Base64"))
    url = Url(**about("the address of the file, which is not fetched"))

    @validates_schema
    def _check_source(self, data: dict[str, Any], **_: Any) -> None:
        if ("content" in data) is ("url" in data):
            raise ValidationError("give the content or the url of an attachment")

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Attachment:
        content, url = data.get("content"), data.get("url")
        name = data.get("name") or (url or "").partition("?")[0].rpartition("/")[2] or "attachment"
        return Attachment(name, content, None if content is None else len(content), url)

    @pre_dump
    def _as_members(self, row: Attachment, **_: Any) -> dict[str, Any]:
        return {name: value for name, value in row._asdict().items() if value is not None}


def _check_header_name(value: str) -> None:
    if not addresses.is_header_name(value):
        raise ValidationError("not the name of a header")


class MailItem(Item):
    """The content of an e-mail; the default of `from` is the account's first verified sender."""

    constraints: ClassVar[dict[str, Any]] = {"anyOf": [{"required": [kind]} for kind in KINDS]}

    sender = PartyField(
        data_key="from",
        **about("who sends it: an address, Name <address>, or both as members"),
    )
    to = PartiesField(**about("its recipients: one, or a list"))
    cc = PartiesField(**about("copies"))
    bcc = PartiesField(**about("blind copies"))
    reply_to = PartyField(**about("where answers go"))
    subject = fields.String(**about("its subject"))
    text = fields.String(allow_none=True, **about("its body as text"))
    html = fields.String(allow_none=True, **about("its body as HTML"))
    headers = Dict(
        keys=fields.String(validate=[_LONGEST, _check_header_name]),
        values=fields.String(validate=Longest(LONGEST_HEADER_VALUE)),
        validate=Longest(_MOST_PARTS),
        **about("further headers, by their names"),
    )
    tags = List(fields.String(validate=_LONGEST), validate=Longest(_MOST_PARTS), **about("tags that webhooks report"))
    message_id = fields.String(validate=_LONGEST, **about("its message id; drawn if left out"))
    attachments = List(fields.Nested(AttachmentItem), validate=Longest(_MOST_PARTS), **about("its files"))
    template_id = fields.Integer(strict=True, allow_none=True, **about("the template by which it is sent"))
    params = JsonObject(allow_none=True, **about("what the template is filled with"))

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> MailContent:
        parties = {kind: data.pop(kind, None) or [] for kind in KINDS}
        recipients = tuple(Recipient(kind, party) for kind in KINDS for party in parties[kind])
        if not recipients:
            raise ValidationError("an e-mail needs a recipient", "to")
        if len(recipients) > MOST_RECIPIENTS:
            raise ValidationError(too_many(len(recipients), MOST_RECIPIENTS, "recipients"), "to")
        lists = {name: tuple(data.pop(name, ())) for name in ("tags", "attachments")}
        params = data.pop("params", None) or {}
        return MailContent(**{"sender": Party(""), **data, **lists, "recipients": recipients, "params": params})

    @pre_dump
    def _as_members(self, content: MailContent, **_: Any) -> dict[str, Any]:
        defaults = {**MailContent._field_defaults, "sender": Party("")}
        members = {name: value for name, value in content._asdict().items() if value != defaults.get(name)}
        parties = {kind: [row.party for row in content.recipients if row.kind == kind] for kind in KINDS}
        return {**members, **{kind: found for kind, found in parties.items() if found}}


def _check_message_id(value: str) -> None:
    if not model.is_message_id(value):
        raise ValidationError("must be an id in angle brackets with an @, such as <1@acme.test>")


def _check_batch_id(value: str) -> None:
    if not model.is_batch_id(value):
        raise ValidationError("must be a UUID of version 4")


class ScheduledEmailItem(Item):
    """An e-mail that is scheduled, or was sent, rejected or cancelled."""

    message_id = fields.String(validate=_check_message_id, **about("its id, <id@host>; drawn if left out"))
    batch_id = fields.String(validate=_check_batch_id, allow_none=True, **about("the id of its batch, a UUIDv4"))
    to = Email(required=True, **about("the recipient that lists show"))
    subject = fields.String(load_default="", **about("its subject"))
    scheduled_at = Instant(required=True, **about("when it falls due"))
    state = fields.String(validate=validate.OneOf(MACHINE.states), load_default=SCHEDULED, **about("its state"))
    mail = fields.Nested(MailItem, **about("what is sent; without it only the recipient is known"))
    rejected = fields.String(**about("why the service rejects it when it is due; by sender and credits if left out"))
    request = fields.String(**about("the id of the request that has scheduled it"))
    created_at = Instant(**about("when it was scheduled"))

    @pre_dump
    def _as_members(self, row: ScheduledEmail, **_: Any) -> dict[str, Any]:
        members = {name: getattr(row, name) for name in self.fields}
        return {name: value for name, value in members.items() if value is not None or name == "batch_id"}


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    for index, item in enumerate(data.get("scheduled_emails", ())):
        message_id = item.get("message_id") or draw_message_id(workspace)
        if not claim(workspace, ScheduledEmail, message_id):
            yield TakenError(("scheduled_emails", index, "message_id"), f"duplicate message_id {shown(message_id)}")
            continue
        batch_id = item["batch_id"].lower() if item.get("batch_id") else None
        row = ScheduledEmail(**{**item, "message_id": message_id, "batch_id": batch_id})
        account.table(ScheduledEmail)[message_id] = row
        if row.state != SCHEDULED:
            if row.state == SENT and row.rejected is not None:  # written before there was the state `rejected`
                row.state = REJECTED
            row.mail = None
            continue
        if row.mail is not None:
            row.mail = row.mail._replace(message_id=message_id)
            model.count(account, row)
        model.await_moment(workspace, account, row)


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    rows = account.rows_of(ScheduledEmail).values()
    return {"scheduled_emails": [_SCHEDULED_ITEM.dump(row) for row in rows]} if rows else {}


_SCHEDULED_ITEM = ScheduledEmailItem()

SECTION = Section(
    fields={
        "scheduled_emails": List(fields.Nested(ScheduledEmailItem), **about("e-mails that are to be sent at a moment"))
    },
    load=_load,
    dump=_dump,
    generators={
        "scheduled_emails": lambda people, workspace, account: {
            "to": people.email(),
            "subject": people.sentence(),
            "scheduled_at": workspace.state.clock.after(timedelta(minutes=people.number(60, 60 * 24 * 3))),
            "state": SCHEDULED,
        }
    },
)

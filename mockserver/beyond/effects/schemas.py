"""Effects as stubs write them, once the templates are rendered."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from marshmallow import ValidationError, fields, post_load, pre_load, validate, validates_schema

from mockserver.beyond.effects.effect import (
    AttributeEffect,
    CreditsEffect,
    EventEffect,
    MailEffect,
    ScheduleEffect,
    WarnEffect,
)
from mockserver.beyond.effects.parameters import filled_in
from mockserver.core.text.domain_name import LONGEST_EMAIL
from mockserver.core.text.given import shown
from mockserver.core.text.spelling import nearest
from mockserver.core.time import duration
from mockserver.core.traffic.mail import Party
from mockserver.resources.account.spending import KINDS
from mockserver.resources.attributes.model import CATEGORIES
from mockserver.resources.scheduled_emails import model
from mockserver.resources.scheduled_emails.section import MOST_RECIPIENTS, MailItem
from mockserver.resources.section import Duration, Item, parse_instant
from mockserver.resources.webhooks.catalogue import raisable
from mockserver.resources.webhooks.event import CHANNELS, EMAIL, INBOUND, TRANSACTIONAL, TYPES, Category
from mockserver.web.schemas.fields import JsonObject, List
from mockserver.web.schemas.length import Longest

#: The most credits that one effect uses. Chosen: far above what an e-mail costs, and exact as a number of JSON.
_MOST_CREDITS = 10**9
#: The longest name of an attribute, in characters. Chosen: twice as long as the service takes.
_LONGEST_ATTRIBUTE = 100
#: The longest warning, in characters. Chosen: as long as a line of the log shows it.
_LONGEST_WARNING = 1_000
#: The longest time before an event. Chosen: a hundred years.
_LONGEST_WAIT = validate.Range(max=timedelta(days=36_525), error="must be P36525D at most")


class TextMailItem(MailItem):
    """The content of an e-mail, in which `params` fill the places that its texts have for them."""

    @pre_load
    def _fill_in(self, data: Any, **_: Any) -> Any:
        if not isinstance(data, Mapping) or not isinstance(data.get("params"), Mapping):
            return data
        texts = {name: data[name] for name in ("subject", "text", "html") if isinstance(data.get(name), str)}
        return {**data, **{name: filled_in(text, data["params"]) for name, text in texts.items()}}


class _TextsField(fields.Field[tuple[str, ...]]):
    """One text, or a list of them."""

    _texts = List(fields.String(validate=validate.Length(min=1, max=LONGEST_EMAIL)), validate=Longest(MOST_RECIPIENTS))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> tuple[str, ...]:
        found: Any = self._texts.deserialize(value if isinstance(value, list) else [value])
        return tuple(found)


class _MomentField(fields.Field[datetime | timedelta]):
    """A moment as RFC 3339 has it, or how long after now it is: `1h`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime | timedelta:
        try:
            found = (
                duration.parse(value)
                if duration.is_duration(value)
                else parse_instant(value if isinstance(value, str) else "")
            )
        except ValueError as error:
            raise ValidationError(str(error)) from error
        if isinstance(found, timedelta) and found < timedelta():
            raise ValidationError("must not be negative")
        return found


class EventItem(Item):
    """An event of an e-mail, of which webhooks are told, at once or later."""

    event = fields.String(required=True)
    after = Duration(validate=_LONGEST_WAIT, load_default=timedelta())
    type = fields.String(validate=validate.OneOf(tuple(name for name in TYPES if name != INBOUND)))
    channel = fields.String(validate=validate.OneOf(CHANNELS))
    to = _TextsField()
    message_id = fields.String(validate=Longest(1_000))
    subject = fields.String()
    tags = List(fields.String(), validate=Longest(1_000))
    sender = fields.String(validate=Longest(LONGEST_EMAIL))
    payload = JsonObject()

    @validates_schema
    def _check_event(self, data: dict[str, Any], **_: Any) -> None:
        known = raisable(_category(data))
        if data["event"] not in known:
            raise ValidationError(f"unknown event; {nearest(data['event'], known)}", "event")

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> EventEffect:
        members: dict[str, Any] = {name: data[name] for name in ("message_id", "subject") if name in data}
        if "sender" in data:
            members["sender"] = Party(data["sender"])
        if "tags" in data:
            members["tags"] = tuple(data["tags"])
        to, payload = data.get("to"), data.get("payload", {})
        return EventEffect(_category(data), data["event"], data["after"], to, members, payload)


def _category(data: Mapping[str, Any]) -> Category:
    return Category(data.get("type", TRANSACTIONAL), data.get("channel", EMAIL))


class CreditsField(fields.Field[CreditsEffect]):
    """`-1`, or `{sms: -1}`: how many credits are used, as a negative number."""

    _amount = fields.Integer(
        strict=True,
        validate=validate.Range(-_MOST_CREDITS, 0, error="must be a negative number: an effect uses credits"),
    )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> CreditsEffect:
        amounts = value if isinstance(value, Mapping) else {"email": value}
        if unknown := [name for name in amounts if name not in KINDS]:
            raise ValidationError(f"unknown credits {shown(unknown[0])}; {nearest(unknown[0], KINDS)}")
        found: dict[str, Any] = {name: self._amount.deserialize(amount) for name, amount in amounts.items()}
        if any(isinstance(amount, bool) for amount in amounts.values()):
            raise ValidationError("Not a valid integer.")
        return CreditsEffect({name: -amount for name, amount in found.items()})


def _check_batch_id(value: str) -> None:
    if not model.is_batch_id(value):
        raise ValidationError("must be a UUID of version 4")


class ScheduleItem(Item):
    """An e-mail that is sent at a moment to come."""

    at = _MomentField(required=True)
    batch_id = fields.String(validate=_check_batch_id, allow_none=True)
    mail = fields.Nested(TextMailItem, required=True)
    rejected = fields.String(validate=Longest(1_000), allow_none=True)

    @validates_schema
    def _check_message_id(self, data: dict[str, Any], **_: Any) -> None:
        message_id = data["mail"].message_id
        if message_id and not model.is_message_id(message_id):
            raise ValidationError(
                {"mail": {"message_id": ["must be an id in angle brackets with an @, such as <1@acme.test>"]}}
            )

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> ScheduleEffect:
        batch_id = data["batch_id"].lower() if data.get("batch_id") else None
        return ScheduleEffect(data["mail"], data["at"], batch_id, data.get("rejected"))


class MailEffectItem(Item):
    mail = fields.Nested(TextMailItem, required=True)

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> MailEffect:
        return MailEffect(data["mail"])


class CreditsItem(Item):
    credits = CreditsField(required=True)

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> CreditsEffect:
        effect: CreditsEffect = data["credits"]
        return effect


class ScheduleEffectItem(Item):
    schedule = fields.Nested(ScheduleItem, required=True)

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> ScheduleEffect:
        effect: ScheduleEffect = data["schedule"]
        return effect


class AttributeItem(Item):
    category = fields.String(required=True, validate=validate.OneOf(CATEGORIES))
    name = fields.String(required=True, validate=validate.Length(min=1, max=_LONGEST_ATTRIBUTE))


class AttributeEffectItem(Item):
    attribute = fields.Nested(AttributeItem, required=True)

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> AttributeEffect:
        return AttributeEffect(**data["attribute"])


class WarnItem(Item):
    warn = fields.String(required=True, validate=Longest(_LONGEST_WARNING))

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> WarnEffect:
        return WarnEffect(data["warn"])


#: The schema of an effect, by the member that tells which it is.
ITEMS: dict[str, Item] = {
    "mail": MailEffectItem(),
    "event": EventItem(),
    "credits": CreditsItem(),
    "schedule": ScheduleEffectItem(),
    "attribute": AttributeEffectItem(),
    "warn": WarnItem(),
}

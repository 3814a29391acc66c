"""Reading effects: what a stub has written, once the values of its expressions are in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from marshmallow import ValidationError, fields, post_load, validate, validates_schema
from marshmallow.exceptions import SCHEMA

from mockserver.core.text.addresses import LONGEST_EMAIL
from mockserver.core.text.messages import nearest, shown
from mockserver.core.traffic.mail import MailContent, Party
from mockserver.core.traffic.ring import weight
from mockserver.resources.account.spending import KINDS
from mockserver.resources.scheduled_emails.section import MOST_RECIPIENTS, MailItem
from mockserver.resources.section import Duration, Item
from mockserver.resources.webhooks.catalogue import raisable
from mockserver.resources.webhooks.event import CHANNELS, EMAIL, INBOUND, TRANSACTIONAL, TYPES, Category
from mockserver.web.schemas.errors import Longest
from mockserver.web.schemas.fields import JsonObject, List, OneOrMany

#: The most credits that one effect uses. Chosen: far above what an e-mail costs, and exact as a number of JSON.
_MOST_CREDITS = 10**9
#: The longest time before an event. Chosen: a hundred years.
_LONGEST_WAIT = validate.Range(max=timedelta(days=36_525), error="must be P36525D at most")


class MailEffect(NamedTuple):
    """`mail`: an e-mail into the mailbox, and out by SMTP where a server is set."""

    content: MailContent


class EventEffect(NamedTuple):
    """`event`: webhooks are told of an event, as soon as it is due."""

    category: Category
    name: str
    after: timedelta
    #: To whom it happens; None: to the recipients of the e-mails before it.
    to: tuple[str, ...] | None
    #: What the event tells of the e-mail, as members of its content, if it is not what the e-mail has.
    members: Mapping[str, Any]
    #: What replaces members of the payload, or is added to it.
    payload: Mapping[str, Any]


class CreditsEffect(NamedTuple):
    """`credits`: so many credits are used, by their kind."""

    amounts: Mapping[str, int]


Effect = MailEffect | EventEffect | CreditsEffect


def size_of(effect: Effect) -> int:
    """Return the most bytes that an effect takes in memory."""
    if isinstance(effect, MailEffect):
        return effect.content.size
    if isinstance(effect, EventEffect):
        return weight(effect.to) + weight(effect.payload) + weight(list(effect.members.values()))
    return 0


class _MailEffectItem(Item):
    mail = fields.Nested(MailItem, required=True)

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> MailEffect:
        return MailEffect(data["mail"])


class _EventItem(Item):
    """An event of an e-mail, of which webhooks are told, at once or later."""

    event = fields.String(required=True)
    after = Duration(validate=_LONGEST_WAIT, load_default=timedelta())
    type = fields.String(validate=validate.OneOf(tuple(name for name in TYPES if name != INBOUND)))
    channel = fields.String(validate=validate.OneOf(CHANNELS))
    to = OneOrMany(fields.String(validate=validate.Length(min=1, max=LONGEST_EMAIL)), validate=Longest(MOST_RECIPIENTS))
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
        to = tuple(data["to"]) if "to" in data else None
        return EventEffect(_category(data), data["event"], data["after"], to, members, data.get("payload", {}))


def _category(data: Mapping[str, Any]) -> Category:
    return Category(data.get("type", TRANSACTIONAL), data.get("channel", EMAIL))


class _CreditsField(fields.Field[CreditsEffect]):
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


class _CreditsItem(Item):
    credits = _CreditsField(required=True)

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> CreditsEffect:
        effect: CreditsEffect = data["credits"]
        return effect


#: The schema of an effect, by the member that tells which it is.
ITEMS: dict[str, Item] = {"mail": _MailEffectItem(), "event": _EventItem(), "credits": _CreditsItem()}


def read(written: Mapping[str, Any]) -> Effect:
    """Return the effect that a stub has written: `{"event": "delivered", "after": ...}`.

    Raises:
        ValueError: it is no effect; the message is a sentence that names the member.
    """
    names = [name for name in ITEMS if name in written]
    if len(names) != 1:
        raise ValueError(f"an effect has one of the members {', '.join(ITEMS)}")
    try:
        effect: Effect = ITEMS[names[0]].load(written)
    except ValidationError as error:
        path, message = next(_mistakes(error.messages, ()))
        raise ValueError(f"{'.'.join(path) or names[0]}: {message}") from None
    return effect


def _mistakes(messages: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(messages, Mapping):
        for name, inner in messages.items():
            yield from _mistakes(inner, path if name == SCHEMA else (*path, str(name)[:80]))
    elif isinstance(messages, list):
        for inner in messages:
            yield from _mistakes(inner, path)
    else:
        yield path, str(messages)

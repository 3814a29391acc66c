"""Effects of stubs: e-mails, events and credits. Read from a stub, checked together, then performed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from mockserver.core.text.addresses import LONGEST_EMAIL
from mockserver.core.text.messages import nearest, shown
from mockserver.core.traffic.mail import TO, MailContent, Party, Recipient
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.account import spending
from mockserver.resources.account.spending import KINDS
from mockserver.resources.scheduled_emails import model as sending
from mockserver.resources.scheduled_emails.section import MOST_RECIPIENTS, MailItem
from mockserver.resources.section import Duration, Item
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.catalogue import raisable
from mockserver.resources.webhooks.event import CHANNELS, EMAIL, INBOUND, TRANSACTIONAL, TYPES, Category
from mockserver.web.schemas.errors import Longest, messages_in
from mockserver.web.schemas.fields import JsonObject, List, OneOrMany

#: The most credits that one effect uses. Chosen: far above what an e-mail costs, and exact as a number of JSON.
_MOST_CREDITS = 10**9
#: The longest time before an event. Chosen: a hundred years.
_LONGEST_WAIT = validate.Range(max=timedelta(days=36_525), error="must be P36525D at most")


class EventEffect(NamedTuple):
    """`event`: an event for webhooks, immediate or delayed."""

    category: Category
    name: str
    after: timedelta
    #: The recipients; None for the recipients of the preceding e-mails.
    to: tuple[str, ...] | None
    #: What the event tells of the e-mail, as members of its content, if it is not what the e-mail has.
    members: Mapping[str, Any]
    #: What replaces members of the payload, or is added to it.
    payload: Mapping[str, Any]


#: An e-mail for mailbox and SMTP server, an event, or the used credits by kind.
Effect = MailContent | EventEffect | dict[str, int]


def size_of(effect: Effect) -> int:
    """Return the most bytes that an effect takes in memory."""
    if isinstance(effect, MailContent):
        return effect.size
    if isinstance(effect, EventEffect):
        return weight(effect.to) + weight(effect.payload) + weight(list(effect.members.values()))
    return 0


class _MailEffectItem(Item):
    mail = fields.Nested(MailItem, required=True)


class _EventItem(Item):
    """An e-mail event for webhooks, immediate or delayed."""

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


class _CreditsField(fields.Field[dict[str, int]]):
    """`-1` or `{sms: -1}`: the number of used credits, negative."""

    _amount = fields.Integer(
        strict=True,
        validate=validate.Range(-_MOST_CREDITS, 0, error="must be a negative number: an effect uses credits"),
    )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[str, int]:
        amounts = value if isinstance(value, Mapping) else {"email": value}
        if unknown := [name for name in amounts if name not in KINDS]:
            raise ValidationError(f"unknown credits {shown(unknown[0])}; {nearest(unknown[0], KINDS)}")
        found: dict[str, Any] = {name: self._amount.deserialize(amount) for name, amount in amounts.items()}
        if any(isinstance(amount, bool) for amount in amounts.values()):
            raise ValidationError("Not a valid integer.")
        return {name: -amount for name, amount in found.items()}


class _CreditsItem(Item):
    credits = _CreditsField(required=True)


#: The schemas of effects by their distinctive member.
ITEMS: dict[str, Item] = {"mail": _MailEffectItem(), "event": _EventItem(), "credits": _CreditsItem()}


def read(written: Mapping[str, Any]) -> Effect:
    """Return the effect in a stub, or raise a ValueError that names the wrong member."""
    names = [name for name in ITEMS if name in written]
    if len(names) != 1:
        raise ValueError(f"an effect has one of the members {', '.join(ITEMS)}")
    try:
        loaded = ITEMS[names[0]].load(written)
    except ValidationError as error:
        path, message = next(messages_in(error.messages))
        raise ValueError(f"{'.'.join(str(name)[:80] for name in path) or names[0]}: {message}") from None
    effect: Effect = loaded if isinstance(loaded, EventEffect) else loaded[names[0]]
    return effect


#: To whom an event happens of which neither the effect nor an e-mail before it says that.
_RECIPIENT = "recipient@example.test"
#: The most events that the effects of a request tell of. Chosen: two for each recipient of the largest call that sends
#: (contract/sending#sendTransacEmail), and as many again.
_MOST_OCCURRENCES = 4 * MOST_RECIPIENTS


def check(effects: Sequence[Effect], caller: Caller) -> None:
    """Check that all effects can be performed in sequence, without changing anything."""
    count = sum(_occurrences(effect, emails) for effect, emails in _with_emails(effects))
    if count > _MOST_OCCURRENCES:
        raise ValueError(f"the effects of a request raise {count:,} events, expected at most {_MOST_OCCURRENCES:,}")
    wanted: Counter[str] = Counter()
    for effect in effects:
        if isinstance(effect, dict):
            wanted.update(effect)
    for kind, amount in wanted.items():
        spending.check(caller.workspace, caller.account, kind, amount)


def perform(effects: Sequence[Effect], caller: Caller) -> None:
    """Perform checked effects, in the same step as `check`."""
    completed = (
        sending.completed(caller.workspace, caller.account, effect) if isinstance(effect, MailContent) else effect
        for effect in effects
    )
    for effect, emails in _with_emails(completed):
        match effect:
            case MailContent():
                request = caller.workspace.cause_request
                if not sending.deliver(caller.workspace, caller.account, effect, request=request):
                    known = "the attachments are too large for the mailbox: their contents are not kept"
                    caller.warn(f"{known} (--mailbox-bytes-limit)")
            case EventEffect():
                _tell(effect, emails, caller)
            case dict():
                for kind, amount in effect.items():
                    spending.use(caller.workspace, caller.account, kind, amount)


def _with_emails(effects: Iterable[Effect]) -> Iterator[tuple[Effect, Sequence[MailContent]]]:
    """Yield each effect with the e-mails for an event: the e-mails since the previous event."""
    emails: list[MailContent] = []
    are_told = False
    for effect in effects:
        if isinstance(effect, MailContent):
            emails, are_told = [*([] if are_told else emails), effect], False
        are_told = are_told or isinstance(effect, EventEffect)
        yield effect, emails


def _occurrences(effect: Effect, emails: Sequence[MailContent]) -> int:
    if not isinstance(effect, EventEffect):
        return 0
    return (sum(len(content.recipients) for content in emails) or 1) if effect.to is None else len(effect.to)


def _tell(effect: EventEffect, emails: Sequence[MailContent], caller: Caller) -> None:
    """Raise an event for the named recipients with the last e-mail's content, or for the recipients of all e-mails."""
    if effect.to is not None or not emails:
        content = emails[-1] if emails else MailContent(Party(""), (), "Hello")
        named = (_RECIPIENT,) if effect.to is None else effect.to
        emails = [content._replace(recipients=tuple(Recipient(TO, Party(to)) for to in named))]
    for content in emails:
        told = content._replace(**effect.members)
        if not told.message_id:
            told = told._replace(message_id=events.draw_message_id(caller.workspace))
        events.raise_for_recipients(
            caller.workspace, caller.account, told, effect.name,
            category=effect.category, after=effect.after, overrides=effect.payload,
        )  # fmt: skip

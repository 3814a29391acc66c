"""Performing effects: all of a request are checked together, before the first one changes anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from mockserver.beyond.effects.effect import CreditsEffect, Effect, EventEffect, MailEffect, ScheduleEffect
from mockserver.core.contract.errors import NOT_ENOUGH_CREDITS
from mockserver.core.traffic.mail import MailContent
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.account import spending
from mockserver.resources.scheduled_emails import model as scheduled
from mockserver.resources.scheduled_emails import sending
from mockserver.resources.scheduled_emails.model import ScheduledEmail
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.blocked import as_it_happens
from mockserver.resources.webhooks.event import Occurrence

#: To whom an event happens of which neither the effect nor an e-mail before it says that.
_RECIPIENT = "recipient@example.test"


def check(effects: Sequence[Effect], caller: Caller) -> None:
    """Check that all these effects can be performed, one after another; changes nothing.

    Raises:
        ServiceError: 402 `not_enough_credits`, or 400 `out_of_range` if the workspace is full.
        ValueError: an e-mail of the same message id is scheduled already.
    """
    _check_credits(effects, caller)
    emails = [effect.content for effect in effects if isinstance(effect, ScheduleEffect)]
    if emails:
        _check_message_ids(emails, caller)
        scheduled.check_room(caller.workspace, emails)


def _check_credits(effects: Sequence[Effect], caller: Caller) -> None:
    wanted: Counter[str] = Counter()
    for effect in effects:
        if isinstance(effect, CreditsEffect):
            wanted.update(effect.amounts)
    for kind, amount in wanted.items():
        if not spending.are_left(caller.workspace, caller.account, kind, amount):
            left = spending.left(caller.workspace, caller.account, kind)
            reason = f"{amount:,} credits of kind {kind} are needed, and account {caller.account.name} has {left:,}"
            raise NOT_ENOUGH_CREDITS(status=402).because(reason)


def _check_message_ids(emails: Sequence[MailContent], caller: Caller) -> None:
    given = Counter(content.message_id for content in emails if content.message_id)
    for message_id, count in given.items():
        if count > 1 or scheduled.is_taken(caller.workspace, message_id):
            raise ValueError(f"an e-mail of the message id {message_id} is scheduled already")


def perform(effects: Sequence[Effect], caller: Caller) -> None:
    """Perform effects that were checked under the same hold of the lock."""
    #: The e-mails to whose recipients an event happens that names none: those before it, back to the event before.
    emails: list[MailContent] = []
    is_told = False
    for effect in effects:
        match effect:
            case MailEffect(content):
                emails = [*([] if is_told else emails), _send(content, caller)]
                is_told = False
            case EventEffect():
                _tell(effect, emails, caller)
                is_told = True
            case CreditsEffect(amounts):
                _use(amounts, caller)
            case ScheduleEffect():
                _schedule(effect, caller)


def _send(content: MailContent, caller: Caller) -> MailContent:
    """Send an e-mail now; returns it with what it has by default."""
    content = sending.completed(caller.workspace, caller.account, content)
    if not sending.deliver(caller.workspace, caller.account, content, request=caller.workspace.cause):
        caller.warn(
            "the attachments are too large for the mailbox: their contents are not kept (--mailbox-bytes-limit)"
        )
    return content


def _use(amounts: Mapping[str, int], caller: Caller) -> None:
    for kind, amount in amounts.items():
        spending.use(caller.workspace, caller.account, kind, amount)


def _schedule(effect: ScheduleEffect, caller: Caller) -> None:
    """Schedule an e-mail; one whose moment is over is sent at once."""
    workspace, clock = caller.workspace, caller.workspace.state.clock
    content = sending.completed(workspace, caller.account, effect.content)
    while scheduled.is_taken(workspace, content.message_id):  # drawn: `check` has looked at those that are given
        content = content._replace(message_id=events.draw_message_id(workspace))
    at = clock.after(effect.at) if isinstance(effect.at, timedelta) else max(effect.at, clock.now())
    row = ScheduledEmail(
        content.message_id, at, content.recipients[0].party.email, content.subject, effect.batch_id,
        mail=content, rejected=effect.rejected, request=workspace.cause,
    )  # fmt: skip
    scheduled.schedule(workspace, caller.account, row)


def _tell(effect: EventEffect, emails: Sequence[MailContent], caller: Caller) -> None:
    at = caller.workspace.state.clock.after(effect.after)
    for occurrence in _occurrences(effect, emails, at):
        members = {"message_id": occurrence.message_id or events.draw_message_id(caller.workspace), **effect.members}
        happening = as_it_happens(caller.account, occurrence._replace(**members))
        events.raise_event(caller.workspace, caller.account, happening, effect.payload)


def _occurrences(effect: EventEffect, emails: Sequence[MailContent], at: datetime) -> Iterator[Occurrence]:
    """One for each recipient: those that the effect names, else those of the e-mails."""
    happens = partial(Occurrence, effect.category, effect.name)
    last = emails[-1] if emails else None
    named = effect.to or (() if emails else (_RECIPIENT,))
    for to in named:
        yield happens(to, at, "") if last is None else happens(to, at, *_of(last))
    if not named:
        for content in emails:
            for row in content.recipients:
                yield happens(row.party.email, at, *_of(content))


def _of(content: MailContent) -> tuple[str, str, tuple[str, ...], str]:
    """What the events of an e-mail tell of it."""
    return content.message_id, content.subject, content.tags, content.sender.email

"""Performing effects: all of a request are checked together, before the first one changes anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from mockserver.beyond.effects.reading import CreditsEffect, Effect, EventEffect, MailEffect
from mockserver.core.contract.errors import NOT_ENOUGH_CREDITS
from mockserver.core.traffic.mail import TO, MailContent, Party, Recipient
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.account import spending
from mockserver.resources.scheduled_emails import model as sending
from mockserver.resources.scheduled_emails.section import MOST_RECIPIENTS
from mockserver.resources.webhooks import events

#: To whom an event happens of which neither the effect nor an e-mail before it says that.
_RECIPIENT = "recipient@example.test"
#: The most events that the effects of a request tell of. Chosen: two for each recipient of the largest call that sends
#: (contract/sending#sendTransacEmail), and as many again.
_MOST_OCCURRENCES = 4 * MOST_RECIPIENTS


def check(effects: Sequence[Effect], caller: Caller) -> None:
    """Check that all these effects can be performed, one after another; changes nothing.

    Raises:
        ServiceError: 402 `not_enough_credits`.
        ValueError: there are too many events.
    """
    count = sum(_occurrences(effect, emails) for effect, emails in _with_emails(effects))
    if count > _MOST_OCCURRENCES:
        raise ValueError(f"the effects of a request raise {count:,} events, expected at most {_MOST_OCCURRENCES:,}")
    wanted: Counter[str] = Counter()
    for effect in effects:
        if isinstance(effect, CreditsEffect):
            wanted.update(effect.amounts)
    for kind, amount in wanted.items():
        if not spending.are_left(caller.workspace, caller.account, kind, amount):
            left = spending.left(caller.workspace, caller.account, kind)
            reason = f"not enough {kind} credits: {amount:,} required, account {caller.account.name} has {left:,}"
            raise NOT_ENOUGH_CREDITS(status=402).because(reason)


def perform(effects: Sequence[Effect], caller: Caller) -> None:
    """Perform effects that were checked under the same hold of the lock."""
    for effect, emails in _with_emails([_completed(effect, caller) for effect in effects]):
        match effect:
            case MailEffect(content):
                _send(content, caller)
            case EventEffect():
                _tell(effect, emails, caller)
            case CreditsEffect(amounts):
                for kind, amount in amounts.items():
                    spending.use(caller.workspace, caller.account, kind, amount)


def _with_emails(effects: Iterable[Effect]) -> Iterator[tuple[Effect, Sequence[MailContent]]]:
    """Yield each effect with the e-mails of which an event tells: those before it, back to the event before."""
    emails: list[MailContent] = []
    are_told = False
    for effect in effects:
        if isinstance(effect, MailEffect):
            emails, are_told = [*([] if are_told else emails), effect.content], False
        are_told = are_told or isinstance(effect, EventEffect)
        yield effect, emails


def _occurrences(effect: Effect, emails: Sequence[MailContent]) -> int:
    """Count the events that an effect tells of: one for each recipient."""
    if not isinstance(effect, EventEffect):
        return 0
    return (sum(len(content.recipients) for content in emails) or 1) if effect.to is None else len(effect.to)


def _completed(effect: Effect, caller: Caller) -> Effect:
    """Return an effect, with what its e-mail has by default."""
    if isinstance(effect, MailEffect):
        return MailEffect(sending.completed(caller.workspace, caller.account, effect.content))
    return effect


def _send(content: MailContent, caller: Caller) -> None:
    if not sending.deliver(caller.workspace, caller.account, content, request=caller.workspace.cause_request):
        caller.warn(
            "the attachments are too large for the mailbox: their contents are not kept (--mailbox-bytes-limit)"
        )


def _tell(effect: EventEffect, emails: Sequence[MailContent], caller: Caller) -> None:
    """Tell of an event to whom the effect names, with what the last e-mail has, or to the recipients of all e-mails."""
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

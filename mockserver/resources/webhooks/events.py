"""Raising events: the webhooks that subscribe, and the calls that carry the payloads (contract/deliveries)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from operator import itemgetter
from types import MappingProxyType
from typing import Any

from mockserver.core.state.identifiers import Randomness
from mockserver.core.state.state import LAST_ID, Account
from mockserver.core.text.addresses import domain_of
from mockserver.core.time.clock import LATEST
from mockserver.core.traffic.causes import DELIVERY
from mockserver.core.traffic.mail import EmailEvent, MailContent
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries import model as deliveries
from mockserver.resources.deliveries.delivery import SCHEDULED, Delivery, add_payload, keep_within_limits
from mockserver.resources.senders.model import Sender
from mockserver.resources.webhooks import blocked
from mockserver.resources.webhooks.catalogue import STORIES, raised
from mockserver.resources.webhooks.event import INBOUND, TRANSACTIONAL_EMAIL, Category, Occurrence
from mockserver.resources.webhooks.event_table import RECEIVED, SENT_REASON
from mockserver.resources.webhooks.model import OpenWindows, Webhook

#: How long a window of a batched webhook collects events, and the most events of one call. Calls are made at its end.
BATCH_WINDOW = timedelta(minutes=5)
BATCH_SIZE = 500
#: How much later a call arrives with `behaviour.webhook_calls`. Chosen: behind the next event of an e-mail.
LATER = timedelta(seconds=3)
#: The header of an e-mail that payloads repeat.
_CUSTOM = "X-Mailin-custom"
_end_of = itemgetter(0)


def raise_event(
    workspace: Workspace, account: Account, occurrence: Occurrence, overrides: Mapping[str, Any] = MappingProxyType({})
) -> list[Delivery]:
    """Schedule calls to all subscribing webhooks of the account; return them.

    `overrides` replace or add members of the payload. Calls stop when the workspace runs out of ids.
    """
    tags, sender = overrides.get("tags"), overrides.get("sender_email")
    if isinstance(tags, list):
        # The tags are in two members of a payload, of which an override gives only one.
        occurrence = occurrence._replace(tags=tuple(str(tag) for tag in tags))
    if not (isinstance(sender, str) and sender):
        sender = occurrence.sender or default_sender(account)
    occurrence = occurrence._replace(sender=sender)
    row = raised(occurrence.category, occurrence.event)
    blocked.block_after(workspace, account, row, occurrence)
    payload = {**row.payload(workspace, occurrence), "id": 0, **overrides}
    if row.reported is not None:
        workspace.state.email_events.add(_reported(account, row.reported, occurrence, payload))
    size, subscriptions = weight(payload), row.subscriptions
    return [
        _send(workspace, account, webhook, row.name, {**payload, "id": webhook.id, **overrides}, occurrence.at, size)
        for webhook in list(account.rows_of(Webhook).values())
        if webhook.category == occurrence.category
        and not subscriptions.isdisjoint(webhook.events)
        and workspace.has_another_id("delivery")
    ]


def _reported(account: Account, name: str, occurrence: Occurrence, payload: Mapping[str, Any]) -> EmailEvent:
    """Return an event as reports list it, with the payload's members."""

    def text(member: str, default: str = "") -> str:
        found = payload.get(member)
        return found if isinstance(found, str) else default

    template_id, reason = payload.get("template_id"), text("reason")
    return EmailEvent(
        account=account.id,
        date=occurrence.at,
        event=name,
        email=text("email", occurrence.to),
        message_id=text("message-id", occurrence.message_id),
        subject=text("subject"),
        sender=occurrence.sender,
        tags=occurrence.tags,
        template_id=template_id if type(template_id) is int and 1 <= template_id <= LAST_ID else None,
        reason="" if reason == SENT_REASON else reason,
        ip=text("sending_ip"),
        link=text("link"),
    )


def raise_story(
    workspace: Workspace, account: Account, story: str, to: str, message_id: str, subject: str
) -> list[Delivery]:
    """Raise a story's events at their future moments; return all calls."""
    start = workspace.state.clock.now()
    found: list[Delivery] = []
    for scene in STORIES[story]:
        at = min(start + scene.after, LATEST)
        occurrence = Occurrence(TRANSACTIONAL_EMAIL, scene.event, to, at, message_id, subject)
        found += raise_event(workspace, account, occurrence)
    return found


def raise_for_recipients(
    workspace: Workspace,
    account: Account,
    content: MailContent,
    event: str,
    *,
    category: Category = TRANSACTIONAL_EMAIL,
    after: timedelta = timedelta(),
    overrides: Mapping[str, Any] = MappingProxyType({}),
) -> list[Delivery]:
    """Raise an e-mail's event for each recipient, `after` from now; return all calls."""
    at = workspace.state.clock.after(after)
    custom = next((value for name, value in content.headers.items() if name.lower() == _CUSTOM.lower()), None)
    # Only some e-mails have these members (contract/events#transactional).
    rare = {_CUSTOM: custom, "template_id": content.template_id}
    overrides = {**{name: value for name, value in rare.items() if value is not None}, **overrides}
    found: list[Delivery] = []
    for row in content.recipients:
        occurrence = Occurrence(
            category, event, row.party.email, at, content.message_id, content.subject, content.tags,
            content.sender.email,
        )  # fmt: skip
        contact = blocked.blocked_from(account, occurrence)
        if contact is not None:
            occurrence = occurrence._replace(event=blocked.BLOCKED)
            if workspace.answering is not None:
                instead = f"webhooks get the event {blocked.BLOCKED} instead of {event}"
                workspace.answering.warn(f"{contact.why}: {instead}")
        found += raise_event(workspace, account, occurrence, overrides)
    return found


def receive(workspace: Workspace, account: Account, recipient: str, item: dict[str, Any]) -> list[Delivery]:
    """Call inbound webhooks for the recipient's domain once per received mail; return all calls.

    An answer to another mail counts as a reply as well (proposed). `item` is the mail in the form of the payload.
    """
    domain = domain_of(recipient)
    happened = [row.name for row in RECEIVED if item.get("InReplyTo") or not row.is_reply]
    found, content = [], {"items": [item]}
    size = weight(content)
    for webhook in list(account.rows_of(Webhook).values()):
        name = next((name for name in happened if name in webhook.events), None)
        if webhook.type != INBOUND or webhook.domain != domain or name is None:
            continue
        if workspace.has_another_id("delivery"):
            found.append(_send(workspace, account, webhook, name, {**content}, workspace.state.clock.now(), size))
    return found


def draw_message_id(workspace: Workspace) -> str:
    """Return a new message id in the service's form (contract/values)."""
    return message_id(workspace.state.random, workspace.state.clock.now())


def message_id(random: Randomness, moment: datetime) -> str:
    """Return a message id of a moment, with random digits."""
    return f"<{moment:%Y%m%d%H%M}.{random.digits('message', 11)}@smtp-relay.mailin.fr>"


def default_sender(account: Account) -> str:
    """Return the default sender of an account's e-mails: its first verified sender, else its own address."""
    return next((row.email for row in account.rows_of(Sender).values() if row.active), account.email)


def _send(
    workspace: Workspace, account: Account, webhook: Webhook, event: str, payload: dict[str, Any], at: datetime,
    size: int,
) -> Delivery:  # fmt: skip
    """Schedule an event's call, or extend a batch; return the call. `size` is the payload's memory in bytes."""
    last = _open_call(workspace, account, webhook, at) if webhook.batched else None
    has_room = last is not None and len(last.payloads) < BATCH_SIZE
    call = last if last is not None and has_room else _new_call(workspace, account, webhook, at, last)
    add_payload(workspace, call, event, payload, size)
    if not has_room:
        arrival = workspace.state.behaviour.webhook_calls
        if arrival != "once" and not webhook.batched:
            _let_arrive(workspace, account, call, arrival)
        return deliveries.schedule(workspace, account, call)
    workspace.link(DELIVERY, call.id)
    keep_within_limits(workspace, account, call)
    return call


def _let_arrive(workspace: Workspace, account: Account, call: Delivery, arrival: str) -> None:
    """Change how a call arrives, by `behaviour.webhook_calls`."""
    if arrival == "doubled" and workspace.has_another_id("delivery"):
        deliveries.schedule(workspace, account, replace(call, id=workspace.state.next_id("delivery"), attempts=[]))
    elif arrival == "late" or (arrival == "swapped" and call.id % 2):
        call.next_at = None if call.next_at is None else min(call.next_at + LATER, LATEST)


def resume_batches(account: Account) -> None:
    """Find the calls of a loaded account that still collect events."""
    account.record(OpenWindows).clear()
    for row in account.table(Delivery).values():
        if row.batched and _is_collecting(row):
            _note_open(account, row)


def _open_call(workspace: Workspace, account: Account, webhook: Webhook, at: datetime) -> Delivery | None:
    """Return the collecting call of the window around a moment, or None; the first window to end counts."""
    windows = account.record(OpenWindows).get(webhook.id, [])
    del windows[: bisect_right(windows, min(at, workspace.state.clock.now()), key=_end_of)]
    index = bisect_right(windows, at, key=_end_of)
    while index < len(windows) and windows[index][0] - BATCH_WINDOW <= at:
        call = account.table(Delivery).get(windows[index][1])
        if call is not None and _is_collecting(call):
            return call
        del windows[index]
    return None


def _new_call(
    workspace: Workspace, account: Account, webhook: Webhook, at: datetime, last: Delivery | None
) -> Delivery:  # fmt: skip
    """Return an empty call, due at `at`; if batched, at the end of the window of `last`, a full call, or a new one."""
    due = at if not webhook.batched else _end(last) if last is not None else _window_end(at)
    call = Delivery(
        workspace.state.next_id("delivery"), webhook.target, [], [], created_at=at, next_at=due, webhook=webhook.id,
        kind=webhook.type, batched=webhook.batched,
    )  # fmt: skip
    if webhook.batched:
        _note_open(account, call)
    return call


def _note_open(account: Account, call: Delivery) -> None:
    """Make a call the collecting call of its window."""
    windows, window = account.record(OpenWindows).setdefault(call.webhook or 0, []), (_end(call), call.id)
    index = bisect_left(windows, window[0], key=_end_of)
    windows[index : bisect_right(windows, window[0], lo=index, key=_end_of)] = [window]


def _end(call: Delivery) -> datetime:
    """Return the window's end of an unattempted call."""
    return call.next_at or _window_end(call.created_at)


def _window_end(start: datetime) -> datetime:
    return min(start + BATCH_WINDOW, LATEST)


def _is_collecting(call: Delivery) -> bool:
    """Return whether a call accepts events: scheduled, without any attempt."""
    return call.state == SCHEDULED and not call.attempts and not call.in_flight

"""Events and whom they are told: each webhook that subscribes to one gets a call, or a place in its batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from mockserver.core.account import Account
from mockserver.core.clock import LATEST
from mockserver.core.domain_name import domain_of
from mockserver.core.workspace import Workspace
from mockserver.resources.deliveries import model as deliveries
from mockserver.resources.deliveries.model import Delivery
from mockserver.resources.webhooks import payloads
from mockserver.resources.webhooks.model import (
    EMAIL,
    HELD_EVENTS,
    INBOUND,
    INBOUND_DEFAULT,
    MARKETING,
    REPLY,
    SMS,
    TRANSACTIONAL,
    Webhook,
)
from mockserver.resources.webhooks.payloads import Happening

#: Ledger 3.2: batches collect for so long, and hold no more than so many events.
BATCH_WINDOW = timedelta(minutes=5)
BATCH_SIZE = 500


class Scene(NamedTuple):
    """One event of a story, so long after its beginning."""

    after: timedelta
    event: str


def _scenes(*scenes: tuple[float, str]) -> tuple[Scene, ...]:
    return tuple(Scene(timedelta(seconds=seconds), event) for seconds, event in scenes)


#: What happens to a transactional e-mail, with gaps as they are seen in practice.
STORIES: Mapping[str, Sequence[Scene]] = MappingProxyType(
    {
        "delivered": _scenes((0, "request"), (2, "delivered")),
        "delivered_opened": _scenes((0, "request"), (2, "delivered"), (300, "opened"), (300, "uniqueOpened")),
        "delivered_opened_clicked": _scenes(
            (0, "request"), (2, "delivered"), (300, "opened"), (300, "uniqueOpened"), (320, "click")
        ),
        "delivered_unsubscribed": _scenes(
            (0, "request"), (2, "delivered"), (300, "opened"), (300, "uniqueOpened"), (340, "unsubscribed")
        ),
        "delivered_complaint": _scenes((0, "request"), (2, "delivered"), (3_600, "spam")),
        "deferred_delivered": _scenes((0, "request"), (5, "deferred"), (905, "delivered")),
        "soft_bounce": _scenes((0, "request"), (4, "softBounce")),
        "hard_bounce": _scenes((0, "request"), (3, "hardBounce")),
        "blocked": _scenes((0, "request"), (1, "blocked")),
        "invalid": _scenes((0, "request"), (0, "invalid")),
    }
)
#: Which subscriptions an event is told to, where it is not just that of its name: two mean the same, and some events
#: occur although nothing is subscribed to by their names (ledger 3.3; who is told of those is proposed).
_TOLD_TO: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "sent": ("sent", "request"),
        "request": ("sent", "request"),
        "proxyOpen": ("opened",),
        "uniqueProxyOpen": ("uniqueOpened",),
        "error": ("blocked",),
    }
)


def raisable(kind: str, channel: str) -> list[str]:
    """The events of which webhooks of a type and a channel can be told."""
    held = HELD_EVENTS[kind, channel]
    besides = {event for event, told in _TOLD_TO.items() if channel == EMAIL and held.intersection(told)}
    return sorted(held | besides)


def raise_event(
    workspace: Workspace,
    account: Account,
    kind: str,
    happening: Happening,
    *,
    channel: str = EMAIL,
    overrides: Mapping[str, Any] = MappingProxyType({}),
) -> list[Delivery]:
    """Tell an event to every webhook of the account that subscribes to it; answers the calls that it makes."""
    tags = overrides.get("tags")
    if isinstance(tags, list):
        # Whoever is tagged has two members that say so.
        happening = happening._replace(tags=tuple(str(tag) for tag in tags))
    payload = _payload(workspace, kind, channel, happening)
    return [
        _send(workspace, account, webhook, happening.event, {**payload, "id": webhook.id, **overrides}, happening.at)
        for webhook in _subscribers(account, kind, channel, happening.event)
    ]


def tell_story(
    workspace: Workspace, account: Account, scenes: Sequence[Scene], to: str, message_id: str, subject: str
) -> list[Delivery]:
    """Tell the events of a story, each at its own moment."""
    start = workspace.clock.now()
    found: list[Delivery] = []
    for scene in scenes:
        happening = Happening(scene.event, to, min(start + scene.after, LATEST), message_id, subject)
        found += raise_event(workspace, account, TRANSACTIONAL, happening)
    return found


def receive(workspace: Workspace, account: Account, recipient: str, item: dict[str, Any]) -> list[Delivery]:
    """Tell a received mail to every inbound webhook of its domain, once; it may also be a reply (proposed)."""
    domain = domain_of(recipient)
    happened = (INBOUND_DEFAULT, REPLY) if item.get("InReplyTo") else (INBOUND_DEFAULT,)
    found = []
    for webhook in list(account.table(Webhook).values()):
        event = next((name for name in happened if name in webhook.events), None)
        if webhook.type == INBOUND and domain_of(webhook.domain or "") == domain and event is not None:
            found.append(_send(workspace, account, webhook, event, {"items": [item]}, workspace.clock.now()))
    return found


def draw_message_id(workspace: Workspace) -> str:
    """The form of ledger 1.6."""
    digits = workspace.random.digits("message", 11)
    return f"<{workspace.clock.now():%Y%m%d%H%M}.{digits}@smtp-relay.mailin.fr>"


def _subscribers(account: Account, kind: str, channel: str, event: str) -> Iterator[Webhook]:
    names = set(_TOLD_TO.get(event, (event,)))
    for webhook in list(account.table(Webhook).values()):
        if (webhook.type, webhook.channel) == (kind, channel) and names & set(webhook.events):
            yield webhook


def _payload(workspace: Workspace, kind: str, channel: str, happening: Happening) -> dict[str, Any]:
    if channel == SMS:
        return payloads.sms(workspace, happening, kind)
    if kind == MARKETING:
        return payloads.marketing(workspace, happening)
    return payloads.transactional(workspace, happening)


# ---------------------------------------------------------------------- batches


def _send(
    workspace: Workspace, account: Account, webhook: Webhook, event: str, payload: dict[str, Any], at: datetime
) -> Delivery:
    """A call of its own, or a place in the webhook's batch."""
    found = _open_batch(account, webhook, at) if webhook.batched else None
    found = _begun(workspace, account, webhook, at) if found is None else found
    found.payloads.append(payload)
    found.events.append(event)
    found.until = max(found.until or at, at)
    if len(found.payloads) == BATCH_SIZE:
        # It is full with what has happened by its last event, which may be still to come in a story.
        found.next_at = found.until
        deliveries.await_attempt(workspace, account, found)
    return found


def _begun(workspace: Workspace, account: Account, webhook: Webhook, at: datetime) -> Delivery:
    """A new call, which a batch makes when it has collected long enough."""
    due = min(at + BATCH_WINDOW, LATEST) if webhook.batched else at
    found = Delivery(
        workspace.next_id("delivery"), webhook.target, [], [], created_at=at, next_at=due, webhook=webhook.id,
        kind=webhook.type, batched=webhook.batched,
    )  # fmt: skip
    if webhook.batched:
        account.record(OpenBatches).setdefault(webhook.id, []).append(found)
    return deliveries.schedule(workspace, account, found)


class OpenBatches(dict[int, list[Delivery]]):
    """The batches that still collect, by webhook; one record of each account."""


def _open_batch(account: Account, webhook: Webhook, at: datetime) -> Delivery | None:
    """The webhook's batch that collects at this moment."""
    batches = account.record(OpenBatches)
    still = [row for row in batches.get(webhook.id, ()) if _collects(account, row)]
    batches[webhook.id] = still
    return next((row for row in still if row.created_at <= at < row.created_at + BATCH_WINDOW), None)


def _collects(account: Account, row: Delivery) -> bool:
    untouched = row.state == deliveries.SCHEDULED and not row.attempts and not row.in_flight
    return untouched and len(row.payloads) < BATCH_SIZE and account.table(Delivery).get(row.id) is row


def resume_batches(account: Account) -> None:
    """Let the batches of a state that was loaded go on collecting."""
    batches = account.record(OpenBatches)
    batches.clear()
    for row in account.table(Delivery).values():
        if row.batched and row.webhook is not None and _collects(account, row):
            batches.setdefault(row.webhook, []).append(row)

"""Events and whom they are told: each webhook that subscribes to one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from mockserver.core.state.account import Account
from mockserver.core.text.domain_name import domain_of
from mockserver.core.time.clock import LATEST
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.model import Delivery
from mockserver.resources.senders.model import Sender
from mockserver.resources.webhooks.batches import send
from mockserver.resources.webhooks.event_table import (
    EMAIL,
    INBOUND,
    INBOUND_DEFAULT,
    REPLY,
    TABLE,
    TRANSACTIONAL,
    Event,
    Occurrence,
    event,
)
from mockserver.resources.webhooks.model import Webhook
from mockserver.resources.webhooks.payloads import payload


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


def raisable(kind: str, channel: str) -> list[str]:
    """The events of which webhooks of a type and a channel can be told."""
    return sorted(TABLE[kind, channel])


def raise_event(
    workspace: Workspace,
    account: Account,
    kind: str,
    occurrence: Occurrence,
    *,
    channel: str = EMAIL,
    overrides: Mapping[str, Any] = MappingProxyType({}),
) -> list[Delivery]:
    """Tell an event to every webhook of the account that subscribes to it; answers the calls that it makes."""
    tags = overrides.get("tags")
    if isinstance(tags, list):
        # Whoever is tagged has two members that say so.
        occurrence = occurrence._replace(tags=tuple(str(tag) for tag in tags))
    occurrence = occurrence._replace(sender=occurrence.sender or _sender(account))
    row, told = event((kind, channel), occurrence.event), payload(workspace, kind, channel, occurrence)
    size = weight({**told, "id": 0, **overrides})
    return [
        send(workspace, account, webhook, row.name, {**told, "id": webhook.id, **overrides}, occurrence.at, size=size)
        for webhook in _subscribers(account, kind, channel, row)
        if workspace.has_another_id("delivery")
    ]


def tell_story(
    workspace: Workspace, account: Account, scenes: Sequence[Scene], to: str, message_id: str, subject: str
) -> list[Delivery]:
    """Tell the events of a story, each at its own moment."""
    start = workspace.clock.now()
    found: list[Delivery] = []
    for scene in scenes:
        occurrence = Occurrence(scene.event, to, min(start + scene.after, LATEST), message_id, subject)
        found += raise_event(workspace, account, TRANSACTIONAL, occurrence)
    return found


def receive(workspace: Workspace, account: Account, recipient: str, item: dict[str, Any]) -> list[Delivery]:
    """Tell a received mail to every inbound webhook of its domain, once; it may also be a reply (proposed)."""
    domain = domain_of(recipient)
    happened = (INBOUND_DEFAULT, REPLY) if item.get("InReplyTo") else (INBOUND_DEFAULT,)
    found, content = [], {"items": [item]}
    size = weight(content)
    for webhook in list(account.table(Webhook).values()):
        name = next((name for name in happened if name in webhook.events), None)
        if webhook.type != INBOUND or webhook.domain != domain or name is None:
            continue
        if workspace.has_another_id("delivery"):
            found.append(send(workspace, account, webhook, name, {**content}, workspace.clock.now(), size=size))
    return found


def draw_message_id(workspace: Workspace) -> str:
    """The form of ledger 1.6."""
    digits = workspace.random.digits("message", 11)
    return f"<{workspace.clock.now():%Y%m%d%H%M}.{digits}@smtp-relay.mailin.fr>"


def _subscribers(account: Account, kind: str, channel: str, row: Event) -> Iterator[Webhook]:
    names = set(row.told_to or (row.name,))
    for webhook in list(account.table(Webhook).values()):
        if (webhook.type, webhook.channel) == (kind, channel) and names & set(webhook.events):
            yield webhook


def _sender(account: Account) -> str:
    """From where e-mails of an account come, if nothing says so."""
    return next((row.email for row in account.table(Sender).values() if row.active), account.email)

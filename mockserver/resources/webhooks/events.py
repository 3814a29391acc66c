"""How webhooks are told of events: which of them subscribe, and what the calls carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from mockserver.core.state.identifiers import Randomness
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import domain_of
from mockserver.core.time.clock import LATEST
from mockserver.core.traffic.mail import MailContent
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.resources.senders.sender import Sender
from mockserver.resources.webhooks import blocked
from mockserver.resources.webhooks.batches import send
from mockserver.resources.webhooks.catalogue import STORIES, raised
from mockserver.resources.webhooks.event import INBOUND, TRANSACTIONAL_EMAIL, Category, Occurrence, RaisedEvent
from mockserver.resources.webhooks.event_table import RECEIVED
from mockserver.resources.webhooks.model import Webhook

#: The header of an e-mail that payloads repeat.
_CUSTOM = "X-Mailin-custom"


def raise_event(
    workspace: Workspace,
    account: Account,
    occurrence: Occurrence,
    overrides: Mapping[str, Any] = MappingProxyType({}),
) -> list[Delivery]:
    """Tell every webhook of the account that subscribes to an event of an occurrence; returns the calls.

    `overrides` replace members of the payload, or are added to it. Calls stop when the workspace has no more ids.
    """
    tags = overrides.get("tags")
    if isinstance(tags, list):
        # The tags are in two members of a payload, of which an override gives only one.
        occurrence = occurrence._replace(tags=tuple(str(tag) for tag in tags))
    occurrence = occurrence._replace(sender=_sender(account, occurrence, overrides))
    row = raised(occurrence.category, occurrence.event)
    blocked.note(workspace, account, row, occurrence)
    members = payload(workspace, row, occurrence)
    size = weight({**members, "id": 0, **overrides})
    return [
        send(
            workspace, account, webhook, row.name, {**members, "id": webhook.id, **overrides}, occurrence.at, size=size
        )
        for webhook in _subscribers(account, occurrence, row)
        if workspace.has_another_id("delivery")
    ]


def _sender(account: Account, occurrence: Occurrence, overrides: Mapping[str, Any]) -> str:
    """Return the address from which the e-mail of an occurrence was sent."""
    given = overrides.get("sender_email")
    return given if isinstance(given, str) and given else occurrence.sender or default_sender(account)


def payload(workspace: Workspace, row: RaisedEvent, occurrence: Occurrence) -> dict[str, Any]:
    """The payload for an occurrence of an event, with 0 as the `id` of the webhook, which differs from call to call."""
    return {**row.members(workspace, occurrence, row.told_as.by(workspace)), **row.adds(occurrence)}


def tell_story(
    workspace: Workspace, account: Account, story: str, to: str, message_id: str, subject: str
) -> list[Delivery]:
    """Tell webhooks of the events of one of `STORIES`, each at its own moment from now on; returns the calls."""
    start = workspace.state.clock.now()
    found: list[Delivery] = []
    for scene in STORIES[story]:
        at = min(start + scene.after, LATEST)
        occurrence = Occurrence(TRANSACTIONAL_EMAIL, scene.event, to, at, message_id, subject)
        found += raise_event(workspace, account, occurrence)
    return found


def tell_recipients(
    workspace: Workspace,
    account: Account,
    content: MailContent,
    event: str,
    *,
    category: Category = TRANSACTIONAL_EMAIL,
    after: timedelta = timedelta(),
    overrides: Mapping[str, Any] = MappingProxyType({}),
) -> list[Delivery]:
    """Tell webhooks of an event of an e-mail, once for each recipient, so long after now; returns the calls."""
    at = workspace.state.clock.after(after)
    overrides = {**_of_content(content), **overrides}
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
                told = f"webhooks get the event {blocked.BLOCKED} instead of {event}"
                workspace.answering.warn(f"{contact.why}: {told}")
        found += raise_event(workspace, account, occurrence, overrides)
    return found


def _of_content(content: MailContent) -> dict[str, Any]:
    """The members of payloads that only some e-mails have (contract/events#transactional)."""
    custom = next((value for name, value in content.headers.items() if name.lower() == _CUSTOM.lower()), None)
    found = {_CUSTOM: custom, "template_id": content.template_id}
    return {name: value for name, value in found.items() if value is not None}


def receive(workspace: Workspace, account: Account, recipient: str, item: dict[str, Any]) -> list[Delivery]:
    """Tell each inbound webhook for the recipient's domain of a received mail, once; returns the calls.

    A mail that answers another one is a reply as well (proposed). `item` is the mail as the payload has it.
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
            found.append(send(workspace, account, webhook, name, {**content}, workspace.state.clock.now(), size=size))
    return found


def draw_message_id(workspace: Workspace) -> str:
    """A message id that looks like the service's (contract/values)."""
    return message_id(workspace.state.random, workspace.state.clock.now())


def message_id(random: Randomness, moment: datetime) -> str:
    """A message id of a moment, with digits that are drawn."""
    return f"<{moment:%Y%m%d%H%M}.{random.digits('message', 11)}@smtp-relay.mailin.fr>"


def _subscribers(account: Account, occurrence: Occurrence, row: RaisedEvent) -> Iterator[Webhook]:
    names = row.subscriptions
    for webhook in list(account.rows_of(Webhook).values()):
        if webhook.category == occurrence.category and not names.isdisjoint(webhook.events):
            yield webhook


def default_sender(account: Account) -> str:
    """The address from which an account's e-mails come by default: its first verified sender, else its own."""
    return next((row.email for row in account.rows_of(Sender).values() if row.active), account.email)

"""Received e-mails: date, sender and recipient, history and attachments (contract/inbound)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from heapq import merge
from itertools import islice
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND, INVALID_PARAMETER, OUT_OF_RANGE
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import LONGEST_EMAIL, domain_of, equals_address, registrable
from mockserver.core.traffic.causes import MAIL, Cause
from mockserver.core.traffic.mail import InboundContent, InboundFile
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.storage import OutageError, StorageError
from mockserver.core.workspaces.store import DEFAULT, Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.event import INBOUND
from mockserver.resources.webhooks.model import Webhook

if TYPE_CHECKING:
    from mockserver.resources.inbound.mail import ReceivedMail

#: Maximum and default length of a period (contract/inbound).
LONGEST = timedelta(days=30)
#: What the log of an event tells, in order: the e-mail has come, the payload was made, a webhook's call ended.
LOGS = _, _, FAILED, DELIVERED = "received", "processed", "webhookFailed", "webhookDelivered"
#: The statuses with which a webhook takes a call.
_SUCCESS = range(200, 300)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)


@dataclass(slots=True, eq=False)
class InboundEvent:
    """A received e-mail for one recipient; `date` is its arrival at the relay."""

    date: datetime
    uuid: str
    sender: str
    recipient: str


def select(caller: Caller, query: dict[str, Any]) -> list[InboundEvent]:
    """Return a page of the events of a period, by default the last 30 days."""
    start, end = _period(query, caller.workspace)
    is_wanted = equals_address(query["sender"]) if "sender" in query else None
    return caller.account.timeline_of(InboundEvent).page(
        start,
        end,
        offset=query["offset"],
        limit=query["limit"],
        oldest_first=query["sort"] == "asc",
        where=None if is_wanted is None else lambda row: is_wanted(row.sender),
    )


def newest(workspace: Workspace, *, offset: int, limit: int) -> list[tuple[Account, InboundEvent]]:
    """Return a page of a workspace's events with their accounts, newest first."""
    rows = [
        [(account, row) for row in account.timeline_of(InboundEvent).last(offset + limit)]
        for account in workspace.state.accounts.values()
    ]
    return list(islice(merge(*rows, key=lambda pair: pair[1].date, reverse=True), offset, offset + limit))


def find(workspace: Workspace, uuid: str) -> tuple[Account, InboundEvent] | None:
    rows = (
        (account, row) for account in workspace.state.accounts.values() for row in account.timeline_of(InboundEvent)
    )
    return next(((account, row) for account, row in rows if row.uuid == uuid), None)


def history(caller: Caller, uuid: str) -> dict[str, Any]:
    """Return an event as the API shows it: with the calls of webhooks, and with the content while that is kept."""
    event = _event(caller, uuid)
    content = caller.workspace.state.received.of(caller.account.id).get(event.uuid)
    attempts: list[dict[str, Any]] = [
        {"date": attempt.at, "type": DELIVERED if attempt.status in _SUCCESS else FAILED}
        for row in caller.account.rows_of(Delivery).values()
        if row.kind == INBOUND and any(_carries(payload, event.uuid) for payload in row.payloads)
        for attempt in row.attempts
    ]
    steps = LOGS[:1] if content is None and not attempts else LOGS[:2]
    found: dict[str, Any] = {
        "receivedAt": event.date,
        "deliveredAt": min((row["date"] for row in attempts if row["type"] == DELIVERED), default=None),
        "recipient": event.recipient,
        "sender": event.sender,
        "logs": [*({"date": event.date, "type": step} for step in steps), *sorted(attempts, key=itemgetter("date"))],
    }
    if content is not None:
        files = [_shown(file) for file in content.attachments]
        found |= {"messageId": content.message_id, "subject": content.subject, "attachments": files}
    return found


def _shown(file: InboundFile) -> dict[str, Any]:
    media = file.content_type.partition(";")[0]
    return {"name": file.name, "contentType": media, "contentId": file.content_id, "contentLength": file.size}


def _event(caller: Caller, uuid: str) -> InboundEvent:
    if not _UUID.fullmatch(uuid):
        raise INVALID_PARAMETER("uuid is not valid").because(f"uuid: {reasons.shown(uuid)} is not a UUID")
    wanted = uuid.lower()
    found = next((row for row in caller.account.timeline_of(InboundEvent) if row.uuid == wanted), None)
    if found is None:
        owner = find(caller.workspace, wanted)
        why = f"account {owner[0].name} has it" if owner else "GET /v3/inbound/events lists the events"
        raise DOCUMENT_NOT_FOUND().because(f"account {caller.account.name} has no received e-mail {wanted}; {why}")
    return found


def _carries(payload: dict[str, Any], uuid: str) -> bool:
    items = payload.get("items")
    return isinstance(items, list) and any(isinstance(item, dict) and item.get("Uuid") == [uuid] for item in items)


def attachment(caller: Caller, token: str) -> tuple[InboundFile, bytes]:
    """Return an attachment of a kept e-mail, and its bytes."""
    contents = caller.workspace.state.received.of(caller.account.id).values()
    found = next((file for content in contents for file in content.attachments if file.token == token), None)
    if found is None or found.content is None:
        account, kept = caller.account.name, "e-mails are kept up to --mailbox-limit and --mailbox-bytes-limit"
        why = f"account {account} has no attachment with this token" if found is None else "it was too large to keep"
        raise DOCUMENT_NOT_FOUND().because(f"download token ending in {reasons.shown(token[-4:])}: {why}; {kept}")
    return found, found.content


def take(store: Store, raw: bytes, sender: str, recipients: Sequence[str]) -> None:
    """Receive a mail, for each recipient in a workspace with an inbound webhook for the recipient's domain.

    The most recently used workspace comes first; without one, the first account of the default workspace receives it.

    Raises:
        StorageError: the mail cannot be saved.
    """
    from mockserver.resources.inbound.mail import parse  # noqa: PLC0415  # slow to import, and needed only for mails

    received = parse(raw)
    homes = [(recipient, _home_of(store, recipient)) for recipient in recipients]
    store.storage.run(partial(_receive, store, homes, received, sender))


def _home_of(store: Store, recipient: str) -> str:
    """Return the name of the workspace that receives mails for a recipient."""
    listens = (name for name in reversed(store.names()) if store.storage.run(partial(_listens, store, name, recipient)))
    return next(listens, DEFAULT)


def _listens(store: Store, name: str, recipient: str) -> bool:
    """Return whether a workspace has an inbound webhook for a recipient; a passivated one without it stays so."""
    was_passivated = store.peek(name) is None
    try:
        # What is read of a shared store is a copy, and costs no turn.
        seen = store.seen(name) if store.storage.is_shared else store.look(name)
        found = seen is not None and bool(_listening(seen, recipient))
    except OutageError:
        raise  # the sender tries again
    except StorageError:
        return False  # requests to this workspace report the error
    if was_passivated and not found:
        store.passivate(name)
    return found


def _receive(store: Store, homes: Sequence[tuple[str, str]], received: ReceivedMail, sender: str) -> None:
    # All are opened before the first one receives, as a step that waits for a second workspace may fail. In one order,
    # so that two mails do not wait for each other.
    opened = {home: store.get(home) for home in sorted({home for _, home in homes})}
    accounts = [_receiver(store, opened[home], recipient) for recipient, home in homes]
    for (recipient, _), (workspace, account) in zip(homes, accounts, strict=True):
        receive(workspace, account, received, sender, recipient)
        workspace.catch_up()


def _receiver(store: Store, home: Workspace | None, recipient: str) -> tuple[Workspace, Account]:
    """Return workspace and account of a recipient: the default ones if its home was removed or changed meanwhile."""
    accounts = [] if home is None else _listening(home, recipient)
    if home is not None and accounts:
        return home, accounts[0]
    return store.default, store.default.state.first_account


def receiving_account(workspace: Workspace, recipient: str, otherwise: Account) -> Account:
    """Return the first account with an inbound webhook for the recipient's domain, or `otherwise`.

    `otherwise` also takes precedence if it has such a webhook.
    """
    found = _listening(workspace, recipient)
    return otherwise if not found or any(account is otherwise for account in found) else found[0]


def _listening(workspace: Workspace, recipient: str) -> list[Account]:
    """Return the accounts with an inbound webhook for a recipient's domain."""
    domain = domain_of(recipient)
    return [
        account
        for account in workspace.state.accounts.values()
        if any(webhook.type == INBOUND and webhook.domain == domain for webhook in account.rows_of(Webhook).values())
    ]


def receive(
    workspace: Workspace,
    account: Account,
    received: ReceivedMail,
    sender: str,
    recipient: str,
    overrides: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[InboundEvent, list[Delivery]]:
    """Record a received mail, and call the account's inbound webhooks; return the record and the deliveries.

    An empty sender means the mailer of the recipient's domain, as the API requires an address.
    `overrides` replace members of the payload's item.
    """
    from mockserver.resources.inbound.mail import item  # noqa: PLC0415  # slow to import, and needed only for mails

    if not sender:
        domain = domain_of(recipient)
        sender = f"mailer-daemon@{domain}"
        sender = sender if len(sender) <= LONGEST_EMAIL else f"mailer-daemon@{registrable(domain)}"
    event = InboundEvent(workspace.state.clock.now(), workspace.state.random.uuid("inbound"), sender, recipient)
    account.timeline(InboundEvent).add(event)
    workspace.link(MAIL, event.uuid)
    members = item(workspace, received, event.uuid)
    files = zip(received.files, members["Attachments"], strict=True)
    attachments = [file._replace(token=row["DownloadToken"]) for file, row in files]
    workspace.state.received.add(
        InboundContent(event.uuid, account.id, members["MessageId"], members["Subject"], attachments)
    )
    item_members = {**members, **overrides}
    with workspace.caused_by(Cause(MAIL, event.uuid)):
        return event, events.receive(workspace, account, recipient, item_members)


def _period(query: dict[str, Any], workspace: Workspace) -> tuple[datetime, datetime]:
    """Return the first and the last moment of a query."""
    now = workspace.state.clock.now()
    start, end = query.get("startDate"), query.get("endDate")
    reasons.check_period(start, end)
    if start is None or end is None:
        return now - LONGEST, now
    if end > now:
        reason = f"the period ends in the future: {reasons.period(start, end)}; {reasons.clock(workspace.state.clock)}"
        raise OUT_OF_RANGE("startDate and endDate must not be in the future").because(reason)
    if end - start > LONGEST:
        reason = f"{reasons.period(start, end)}; endDate must be {reasons.instant(start + LONGEST)} or earlier"
        raise OUT_OF_RANGE("The period from startDate to endDate must not be longer than 30 days").because(reason)
    return start, end + query["grain"]

"""Received e-mails: when each reached the relay, from whom and for whom (contract/inbound)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER, OUT_OF_RANGE
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import LONGEST_EMAIL, domain_of, equals_address, registrable
from mockserver.core.traffic.causes import MAIL, Cause
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.event import INBOUND
from mockserver.resources.webhooks.model import Webhook

if TYPE_CHECKING:
    from mockserver.resources.inbound.mail import ReceivedMail

#: The longest period that may be asked for, and the one that counts without dates (contract/inbound).
LONGEST = timedelta(days=30)


@dataclass(slots=True, eq=False)
class InboundEvent:
    """The record of a received e-mail, once for each recipient; `date` is when it reached the relay."""

    date: datetime
    uuid: str
    sender: str
    recipient: str


def select(caller: Caller, query: dict[str, Any]) -> list[InboundEvent]:
    """A page of the events of a period; of the last 30 days, if the query has no dates.

    Raises:
        ServiceError: 400; the period is not allowed.
    """
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
    """Up to `limit` events of a workspace, each with its account, newest first, after the first `offset` of them."""
    rows = [
        [(account, row) for row in account.timeline_of(InboundEvent).last(offset + limit)]
        for account in workspace.state.accounts.values()
    ]
    return list(islice(merge(*rows, key=lambda pair: pair[1].date, reverse=True), offset, offset + limit))


def find(workspace: Workspace, uuid: str) -> tuple[Account, InboundEvent] | None:
    """The event with an id, with its account, or None if there is none."""
    rows = (
        (account, row) for account in workspace.state.accounts.values() for row in account.timeline_of(InboundEvent)
    )
    return next(((account, row) for account, row in rows if row.uuid == uuid), None)


def take(store: Store, raw: bytes, sender: str, recipients: Sequence[str]) -> None:
    """Receive a mail, for each recipient in a workspace with an inbound webhook for the recipient's domain.

    Of several such workspaces, the one that was used last gets the mail. If there is none, the first account of the
    default workspace gets it.

    Raises:
        StorageError: the default workspace cannot be read.
    """
    from mockserver.resources.inbound.mail import parse  # noqa: PLC0415  # slow to import, and needed only for mails

    received = parse(raw)
    for recipient in recipients:
        _take_for(store, received, sender, recipient)


def _take_for(store: Store, received: ReceivedMail, sender: str, recipient: str) -> None:
    """Receive a mail for one recipient.

    Raises:
        StorageError: the default workspace cannot be read.
    """
    used_last_first = reversed(store.names())
    if not any(_take_in(store, name, received, sender, recipient) for name in used_last_first):
        workspace = store.default
        with workspace.lock:
            receive(workspace, workspace.state.first_account, received, sender, recipient)


def _take_in(store: Store, name: str, received: ReceivedMail, sender: str, recipient: str) -> bool:
    """Receive a mail in the workspace of a name, as `_take`; one that rested and does not get the mail rests again."""
    has_rested = store.peek(name) is None
    try:
        if has_rested and store.storage.is_shared and not _is_listening(store.seen(name), recipient):
            return False
        workspace = store.look(name)
    except StorageError:
        return False  # whoever asks for it is told why
    has_taken = workspace is not None and _take(store, workspace, received, sender, recipient)
    del workspace  # nobody may refer to one that is to rest
    if has_rested and not has_taken:
        store.passivate(name)
    return has_taken


def _take(store: Store, workspace: Workspace, received: ReceivedMail, sender: str, recipient: str) -> bool:
    """Receive a mail in a workspace with an inbound webhook for the recipient's domain; returns whether it is one.

    The workspace then counts as used.
    """
    with workspace.lock:
        found = _listening(workspace, recipient)
        if not found or store.get(workspace.name) is not workspace:
            return False
        receive(workspace, found[0], received, sender, recipient)
        workspace.catch_up()
        return True


def _is_listening(seen: Workspace | None, recipient: str) -> bool:
    return seen is not None and bool(_listening(seen, recipient))


def receiving_account(workspace: Workspace, recipient: str, otherwise: Account) -> Account:
    """The account that gets a mail: the first one with an inbound webhook for the recipient's domain.

    It is `otherwise` if that account has such a webhook, or if none has.
    """
    found = _listening(workspace, recipient)
    return otherwise if not found or any(account is otherwise for account in found) else found[0]


def _listening(workspace: Workspace, recipient: str) -> list[Account]:
    """The accounts with an inbound webhook for a recipient's domain."""
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
    """Receive a mail: record it, and tell it to the account's inbound webhooks for the recipient's domain.

    Without a sender, the mail counts as sent by the mailer of the recipient's domain: the API always shows an address.
    `overrides` are members of the payload's item. Returns the record and the calls.
    """
    from mockserver.resources.inbound.mail import item  # noqa: PLC0415  # slow to import, and needed only for mails

    sender = sender or _mailer(domain_of(recipient))
    event = InboundEvent(workspace.state.clock.now(), workspace.state.random.uuid("inbound"), sender, recipient)
    account.timeline(InboundEvent).add(event)
    workspace.link(MAIL, event.uuid)
    item_members = {**item(workspace, received, event.uuid), **overrides}
    with workspace.caused_by(Cause(MAIL, event.uuid)):
        return event, events.receive(workspace, account, recipient, item_members)


def _mailer(domain: str) -> str:
    """The address of a domain's mailer, or of its registrable domain's if that address would be too long."""
    address = f"mailer-daemon@{domain}"
    return address if len(address) <= LONGEST_EMAIL else f"mailer-daemon@{registrable(domain)}"


def _period(query: dict[str, Any], workspace: Workspace) -> tuple[datetime, datetime]:
    """The first and the last moment that a query asks for.

    Raises:
        ServiceError: 400; only one date is given, they are in the wrong order, in the future, or too far apart.
    """
    now = workspace.state.clock.now()
    start, end = query.get("startDate"), query.get("endDate")
    if start is None and end is None:
        return now - LONGEST, now
    if start is None or end is None:
        missing = "startDate" if start is None else "endDate"
        reason = f"{reasons.period(start, end)}; give both or neither"
        raise MISSING_PARAMETER(f"Missing {missing} parameter in the request").because(reason)
    if start > end:
        reason = f"startDate is after endDate: {reasons.period(start, end)}"
        raise INVALID_PARAMETER("startDate must not be after endDate").because(reason)
    if end > now:
        reason = f"the period ends in the future: {reasons.period(start, end)}; {reasons.clock(workspace.state.clock)}"
        raise OUT_OF_RANGE("startDate and endDate must not be in the future").because(reason)
    if end - start > LONGEST:
        reason = f"{reasons.period(start, end)}; endDate must be {reasons.instant(start + LONGEST)} or earlier"
        raise OUT_OF_RANGE("The period from startDate to endDate must not be longer than 30 days").because(reason)
    return start, end + query["grain"]

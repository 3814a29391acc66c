"""Exports of the webhook history: requested, ready later, announced (contract/webhooks#exportWebhooksHistory)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from sys import getsizeof
from typing import Any

from mockserver.core.contract.errors import INVALID_PARAMETER, PERMISSION_DENIED
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.state.tables import Derived
from mockserver.core.text.addresses import equals_address
from mockserver.core.time.clock import EARLIEST, LATEST
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.causes import Changed
from mockserver.core.traffic.ring import Ring
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace, WorkspaceLimits
from mockserver.resources.deliveries import model as deliveries
from mockserver.resources.deliveries.delivery import Delivery
from mockserver.resources.deliveries.model import request_url
from mockserver.resources.webhooks.catalogue import ALL_EVENTS, EXPORTED

ACCEPTED, READY, NOTIFIED = "accepted", "ready", "notified"

MACHINE = StateMachine(
    "export",
    ("request", ABSENT, ACCEPTED),
    ("complete", ACCEPTED, READY),
    ("notify", READY, NOTIFIED),
    timed=frozenset({"complete"}),
)

#: The columns of an export's file, which no source documents (proposed, contract/webhooks#exportWebhooksHistory).
COLUMNS = ("webhook_id", "type", "event", "email", "message_id", "date", "state", "status", "attempts", "url")


@dataclass(slots=True, eq=False)
class Export:
    #: The id of the process.
    id: int
    requested_at: datetime
    #: The loaded body of the request.
    filters: dict[str, Any]
    #: The address of the file at the mock.
    url: str = ""
    state: str = ACCEPTED
    ready_at: datetime | None = None
    #: The file; None before it is ready, and after it was evicted for newer ones.
    content: str | None = None


EXPORT = Lifecycle(MACHINE, Export, key="id", parse=int, reveal=lambda row: {"url": row.url, "ready_at": row.ready_at})


def export(caller: Caller, filters: dict[str, Any]) -> int:
    """Request an export; return its process id."""
    if not caller.account.enterprise:
        reason = f"account {caller.account.name} is not an enterprise account, which exports of webhook history require"
        raise PERMISSION_DENIED(status=400).because(reason)
    check_period(filters, "attribute")
    workspace = caller.workspace
    number, token = workspace.state.next_id("process"), workspace.state.random.secret("export", 24)
    row = Export(
        number,
        workspace.state.clock.now(),
        filters,
        url=f"{caller.visit.root}/_mock/exports/{number}-{token}.csv",
        ready_at=workspace.state.clock.after(workspace.state.behaviour.export),
    )
    EXPORT.begin(workspace, caller.account, row)
    await_completion(workspace, caller.account, row)
    return row.id


def await_completion(workspace: Workspace, account: Account, row: Export) -> None:
    if row.ready_at is not None:
        workspace.set_timer(row.ready_at, account, MACHINE.name, row.id, "complete")


@EXPORT.on("complete")
def _complete(workspace: Workspace, account: Account, row: Export) -> None:
    """Write an export's file, announcing its address to `notifyURL` (proposed)."""
    workspace.state.timers.cancel(MACHINE.name, row.id)
    keep_file(workspace, row, _file(account, row))
    payload = {"processId": row.id, "url": row.url}
    deliveries.announce(workspace, account, row.filters["notifyURL"], payload, "export", row.id)


class Files(Derived):
    """A ring of exports with files; one workspace record."""

    def __init__(self) -> None:
        self.ring: Ring[Export] | None = None

    def follow(self, workspace: Workspace) -> None:
        kept = [row for _, rows in workspace.state.tables(Export) for row in rows.values() if row.content is not None]
        for row in sorted(kept, key=lambda row: (row.ready_at or row.requested_at, row.id)):
            self.add(row, workspace.limits)

    def add(self, row: Export, limits: WorkspaceLimits) -> None:
        self.ring = self.ring or Ring(limits.deliveries, limits.deliveries_bytes)
        for gone in self.ring.push(row, getsizeof(row.content)):
            gone.content = None


def keep_file(workspace: Workspace, row: Export, content: str) -> None:
    """Keep the file of an export, and evict old files; the limits of deliveries count."""
    row.content = content
    for account in workspace.state.accounts.values():
        account.table(Export)  # an export of any account may lose its file
    workspace.state.record(Files).add(row, workspace.limits)


def note_notified(workspace: Workspace, event: Changed) -> None:
    """Fire `notify` after a successful announcement; a listener of deliveries."""
    account = workspace.state.accounts.get(event.account)
    if account is None:  # removed while the call was under way
        return
    call = account.table(Delivery)[int(event.key)]
    row = account.table(Export).get(call.export) if call.export is not None else None
    if row is not None and EXPORT.applies(row, "notify"):
        EXPORT.fire(workspace, account, row, "notify")


def _file(account: Account, row: Export) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    lines = list(filter(_filter(row), _lines(account)))
    for line in lines if row.filters.get("sort") == "asc" else reversed(lines):
        date = line["date"].isoformat(timespec="milliseconds").replace("+00:00", "Z")
        writer.writerow({**line, "date": date})
    return text.getvalue()


def _lines(account: Account) -> Iterator[dict[str, Any]]:
    """Yield attempted events, ordered by first attempt."""
    sent = [call for call in account.rows_of(Delivery).values() if call.webhook is not None and call.attempts]
    for call in sorted(sent, key=lambda call: (call.attempts[0].at, call.id)):
        for event, payload in zip(call.events, call.payloads, strict=True):
            yield {
                "webhook_id": call.webhook,
                "type": call.kind,
                "event": event,
                "email": _email(payload),
                "message_id": payload.get("message-id", ""),
                "date": call.attempts[0].at,
                "state": call.state,
                "status": call.attempts[-1].status or "",
                "attempts": len(call.attempts) + call.attempts_evicted,
                "url": request_url(call.target),
            }


def _email(payload: dict[str, Any]) -> str:
    """Return the recipient in a payload; payloads about deleted contacts have a list, whose first item counts."""
    found = payload.get("email", payload.get("to"))
    if isinstance(found, list):
        found = next(iter(found), None)
    return "" if found is None else str(found)


def _filter(row: Export) -> Callable[[dict[str, Any]], bool]:
    """Return a predicate for lines, computing shared filter values once."""
    filters, event = row.filters, row.filters["event"]
    start, end = bounds(filters, row.requested_at)
    is_recipient = equals_address(filters["email"]) if "email" in filters else None

    def is_included(line: dict[str, Any]) -> bool:
        return (
            line["type"] == filters["type"]
            and (event == ALL_EVENTS or line["event"] in EXPORTED[event])
            and start <= line["date"] < end
            and (is_recipient is None or is_recipient(line["email"]))
            and bare_id(filters.get("messageId", line["message_id"])) == bare_id(line["message_id"])
            and filters.get("webhookId", line["webhook_id"]) == line["webhook_id"]
        )

    return is_included


def bare_id(message_id: object) -> str:
    """Return a message id without angle brackets, which filters may omit; older clients send a number."""
    return str(message_id).strip("<>")


def bounds(filters: dict[str, Any], now: datetime) -> tuple[datetime, datetime]:
    """Return a period's start and exclusive end; `days` include today."""
    if "days" in filters:
        today = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return today - timedelta(days=min(filters["days"] - 1, (today - EARLIEST).days)), LATEST
    if "startDate" in filters:
        return filters["startDate"], min(filters["endDate"], LATEST) + timedelta(days=1)
    return EARLIEST, LATEST


def check_period(filters: dict[str, Any], member: str = "parameter") -> None:
    """Refuse incomplete or reversed dates, and dates beside `days`."""
    start, end = filters.get("startDate"), filters.get("endDate")
    if "days" in filters and (start or end):
        reason = f"days is {filters['days']}, {reasons.period(start, end)}; give either days or both dates"
        raise INVALID_PARAMETER("days cannot be used together with startDate and endDate").because(reason)
    reasons.check_period(start, end, member)

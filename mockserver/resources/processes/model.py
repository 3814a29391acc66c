"""All processes of an account: imports of contacts, and exports of webhook history (contract/processes)."""

from __future__ import annotations

from typing import Any

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.processes.process import COMPLETED, COUNTS, PROCESSING, Process
from mockserver.resources.webhooks.history import ACCEPTED, Export

IMPORT, EXPORT = "IMPORTUSER", "CONTACT_EXPORT"
#: The documented names of processes; no process of the mock has one of the others.
NAMES = (
    IMPORT, "SEARCH_EXPORT_USERS", "TRANS-CALC", "TRANS-GLOBAL-CALC", "CAMPAIGN_PROCESSING", "LIST_EXPORT", EXPORT,
)  # fmt: skip


def select(account: Account, *, newest_first: bool = False) -> list[Process | Export]:
    found: dict[int, Process | Export] = {**account.rows_of(Process), **account.rows_of(Export)}
    return [found[number] for number in sorted(found, reverse=newest_first)]


def get(caller: Caller, process_id: int) -> Process | Export:
    """Return a process of the caller, or refuse with 404."""
    account = caller.account
    found = account.rows_of(Process).get(process_id) or account.rows_of(Export).get(process_id)
    if found is None:
        known = reasons.nearest([row.id for row in select(account)], process_id)
        reason = f"account {account.name} has no process {process_id} (it has {known})"
        raise DOCUMENT_NOT_FOUND("Process ID does not exist").because(reason)
    return found


def shown(row: Process | Export) -> dict[str, Any]:
    """Return the members of a process on the wire; `info` only of completed processes (brevo-python 5.1.0)."""
    if isinstance(row, Process):
        counts = {name: row.counts.get(name, 0) for name in COUNTS}
        return {
            "id": row.id, "name": IMPORT, "status": row.state, "error": row.error,
            "info": {"imported": counts} if row.state == COMPLETED else None,
            "created_at": row.requested_at, "completed_at": row.completed_at,
        }  # fmt: skip
    members = {"id": row.id, "name": EXPORT, "status": PROCESSING, "created_at": row.requested_at}
    if row.state != ACCEPTED:
        members |= {"status": COMPLETED, "completed_at": row.ready_at}
    if row.content is not None:
        # The first line is the header, and no cell has a line break.
        size = {"total_records": row.content.count("\n") - 1, "file_size": len(row.content.encode(errors="replace"))}
        members |= {"export_url": row.url, "info": {"export": size}}
    return members

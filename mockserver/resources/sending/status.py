"""How scheduled e-mails stand, by message and by batch (contract/sending#getScheduledEmailById)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mockserver.core.contract.errors import MISSING_PARAMETER
from mockserver.core.state import reasons
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.scheduled_emails import model as scheduled
from mockserver.resources.scheduled_emails.model import ScheduledEmail


def find(caller: Caller, identifier: str, query: dict[str, Any]) -> dict[str, Any]:
    """Return how the e-mail of a message id stands, or a page of what was scheduled under a batch id.

    Raises:
        ServiceError: 400 if the identifier is neither, or one day is missing; 404 if nothing is scheduled under it.
    """
    is_batch = scheduled.is_batch_id(identifier)
    if is_batch and ("startDate" in query) is not ("endDate" in query):
        period = reasons.period(query.get("startDate"), query.get("endDate"))
        raise MISSING_PARAMETER("startDate and endDate are required together").because(period)
    emails = scheduled.find(caller, identifier, scheduled.SCHEDULED, scheduled.SENT)
    rows = [_row(email, caller.workspace.state.clock.start) for email in emails]
    return _batches(rows, query) if is_batch else rows[0]


def _batches(rows: list[dict[str, Any]], query: dict[str, Any]) -> dict[str, Any]:
    """Return a page of batches: one for each request that has scheduled something, the newest first."""
    batches = {tuple(row.values()): row for row in rows if _is_wanted(row, query)}
    found = sorted(batches.values(), key=lambda row: row["createdAt"], reverse=query["sort"] == "desc")
    return {"count": len(found), "batches": found[query["offset"] : query["offset"] + query["limit"]]}


def _is_wanted(row: dict[str, Any], query: dict[str, Any]) -> bool:
    day = row["createdAt"].date()
    is_within = "startDate" not in query or query["startDate"].date() <= day <= query["endDate"].date()
    return bool(is_within and query.get("status", row["status"]) == row["status"])


def _row(email: ScheduledEmail, start: datetime) -> dict[str, Any]:
    """Return an e-mail as the API tells it; one that a scenario has without a moment was there from the start."""
    status = "error" if email.rejected is not None else "processed"
    return {
        "scheduledAt": email.scheduled_at,
        "createdAt": email.created_at or start,
        "status": "queued" if email.state == scheduled.SCHEDULED else status,
    }

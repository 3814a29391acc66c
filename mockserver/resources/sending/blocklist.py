"""The list of blocked contacts: read, and contacts taken off it (contract/sending#getTransacBlockedContacts)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from mockserver.core.contract.errors import (
    CONTACT_EMAIL_NOT_FOUND,
    DOCUMENT_NOT_FOUND,
    INVALID_PARAMETER,
    MISSING_PARAMETER,
    OUT_OF_RANGE,
)
from mockserver.core.state import reasons
from mockserver.core.text.addresses import comparable
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.webhooks.blocked import BlockedContact


def select(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    """Return a page of the blocked contacts of the account, and how many there are in all.

    Raises:
        ServiceError: 400; the period is not allowed.
    """
    _check_period(caller, query)
    senders = {comparable(sender.strip()) for sender in query.get("senders", "").split(",") if sender.strip()}
    rows = [row for row in caller.account.rows_of(BlockedContact).values() if _is_wanted(row, query, senders)]
    rows.sort(key=lambda row: row.blocked_at, reverse=query["sort"] == "desc")
    page = rows[query["offset"] : query["offset"] + query["limit"]]
    return {"count": len(rows), "contacts": [_told(row) for row in page]}


def _is_wanted(row: BlockedContact, query: dict[str, Any], senders: set[str]) -> bool:
    if senders and row.sender and comparable(row.sender) not in senders:
        return False
    start, end = query.get("startDate"), query.get("endDate")
    return start is None or end is None or start <= row.blocked_at < end + timedelta(days=1)


def _told(row: BlockedContact) -> dict[str, Any]:
    return {
        "email": row.email,
        "senderEmail": row.sender or None,
        "reason": {"code": row.reason, "message": row.why},
        "blockedAt": row.blocked_at,
    }


def unblock(caller: Caller, email: str) -> None:
    """Take a contact off the list, for all senders.

    Raises:
        ServiceError: 404; the contact is not blocked.
    """
    wanted = comparable(email)
    blocked = caller.account.rows_of(BlockedContact)
    keys = [key for key, row in blocked.items() if comparable(row.email) == wanted]
    if not keys:
        known = reasons.listed(row.email for row in blocked.values())
        reason = f"account {caller.account.name} has no blocked contact {reasons.shown(email)} (it has {known})"
        raise DOCUMENT_NOT_FOUND(sentence=CONTACT_EMAIL_NOT_FOUND).because(reason)
    for key in keys:
        del caller.account.table(BlockedContact)[key]


def _check_period(caller: Caller, query: dict[str, Any]) -> None:
    """Check the days that a query asks for.

    Raises:
        ServiceError: 400; only one is given, they are in the wrong order, or one is in the future.
    """
    start, end, clock = query.get("startDate"), query.get("endDate"), caller.workspace.state.clock
    period = reasons.period(start, end)
    if start is None and end is None:
        return
    if start is None or end is None:
        missing = "startDate" if start is None else "endDate"
        raise MISSING_PARAMETER(f"Missing {missing} parameter in the request").because(
            f"{period}; give both or neither"
        )
    if start > end:
        raise INVALID_PARAMETER("startDate must not be after endDate").because(f"startDate is after endDate: {period}")
    if end > clock.now():
        reason = f"the period ends in the future: {period}; {reasons.clock(clock)}"
        raise OUT_OF_RANGE("startDate and endDate must not be in the future").because(reason)

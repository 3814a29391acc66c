"""Received e-mails: when each reached the relay, from whom and for whom (SPEC 2.9)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mockserver.core import facts
from mockserver.core.caller import Caller
from mockserver.core.errors import INVALID_PARAMETER, MISSING_PARAMETER, OUT_OF_RANGE
from mockserver.core.workspace import Workspace

#: SPEC 8: the longest period, and the one without dates.
LONGEST = timedelta(days=30)


@dataclass(slots=True, eq=False)
class InboundEvent:
    """One received e-mail."""

    date: datetime
    uuid: str
    sender: str
    recipient: str


def select(caller: Caller, query: dict[str, Any]) -> list[InboundEvent]:
    """The events of a period; of the last 30 days, if none is given.

    Raises:
        ServiceError: 400 for a bad period.
    """
    start, end = _period(query, caller.workspace)
    sender = query.get("sender")
    return caller.account.timeline(InboundEvent).page(
        start,
        end,
        offset=query["offset"],
        limit=query["limit"],
        oldest_first=query["sort"] == "asc",
        where=None if sender is None else lambda row: row.sender.lower() == sender.lower(),
    )


def _period(query: dict[str, Any], workspace: Workspace) -> tuple[datetime, datetime]:
    now = workspace.clock.now()
    start, end = query.get("startDate"), query.get("endDate")
    if start is None and end is None:
        return now - LONGEST, now
    if start is None or end is None:
        missing = "startDate" if start is None else "endDate"
        raise MISSING_PARAMETER(f"Missing {missing} parameter in the request").because(facts.period(start, end))
    if start > end:
        raise INVALID_PARAMETER("startDate must not be after endDate").because(facts.period(start, end))
    if end > now:
        reason = f"{facts.period(start, end)}; {facts.clock(workspace)}"
        raise OUT_OF_RANGE("startDate and endDate must not be in the future").because(reason)
    if end - start > LONGEST:
        reason = f"{facts.period(start, end)}, which could be {facts.instant(start + LONGEST)} at most"
        raise OUT_OF_RANGE("The period from startDate to endDate must not be longer than 30 days").because(reason)
    return start, end + query["grain"]

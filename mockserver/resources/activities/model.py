"""The activity log of an organization: who did what, and when (SPEC 2.6)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mockserver.core.calendar import months_later
from mockserver.core.caller import Caller
from mockserver.core.clock import LATEST
from mockserver.core.errors import INVALID_PARAMETER, MISSING_PARAMETER, OUT_OF_RANGE, PERMISSION_DENIED

#: SPEC 8.
HISTORY_MONTHS = 12


@dataclass(slots=True, eq=False)
class Activity:
    """One action of a user."""

    date: datetime
    action: str
    user_email: str
    user_ip: str
    user_agent: str


def select(caller: Caller, query: dict[str, Any]) -> list[Activity]:
    """The entries of a period, newest first; of the last 12 months, if none is given.

    Raises:
        ServiceError: 403 without an enterprise plan; 400 for a bad period.
    """
    if not caller.account.enterprise:
        raise PERMISSION_DENIED()
    now = caller.workspace.clock.now()
    start, end = _period(query, now)
    email = query.get("email")
    return caller.account.timeline(Activity).page(
        start,
        end,
        offset=query["offset"],
        limit=query["limit"],
        where=None if email is None else lambda row: row.user_email.lower() == email.lower(),
    )


def _period(query: dict[str, Any], now: datetime) -> tuple[datetime, datetime]:
    start, end = query.get("startDate"), query.get("endDate")
    oldest = months_later(now.replace(hour=0, minute=0, second=0, microsecond=0), -HISTORY_MONTHS)
    if start is None and end is None:
        return oldest, now
    if start is None or end is None:
        raise MISSING_PARAMETER(f"Missing {'startDate' if start is None else 'endDate'} parameter in the request")
    if start > end:
        raise INVALID_PARAMETER("startDate must not be after endDate")
    if start < oldest:
        raise OUT_OF_RANGE(f"startDate: data reaches back {HISTORY_MONTHS} months")
    # The last of all months has no next one.
    if end > months_later(min(start, LATEST), 1):
        raise OUT_OF_RANGE("The period from startDate to endDate must not be longer than one month")
    return start, end + timedelta(days=1, microseconds=-1)

"""The activity log of an organization (contract/activities)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mockserver.core.contract.errors import OUT_OF_RANGE, PERMISSION_DENIED
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import equals_address
from mockserver.core.time.clock import LATEST
from mockserver.core.time.duration import months_later
from mockserver.core.workspaces.caller import Caller, Visit
from mockserver.core.workspaces.workspace import Workspace

#: Logged actions; only sign-ins and changed profiles were observed (contract/activities).
LOGIN, LOGIN_FAILED = "login-success", "login-failed"
KEY_CREATED, PLAN_UPDATED, PLAN_REJECTED = "create-api-key", "update-plan", "reject-plan-update"

#: Length of the log in months (contract/activities).
HISTORY_MONTHS = 12


@dataclass(slots=True, eq=False)
class Activity:
    date: datetime
    action: str
    user_email: str
    user_ip: str
    user_agent: str


def log(workspace: Workspace, account: Account, action: str, visit: Visit, user: str | None = None) -> None:
    """Log an action of a user, by default the account's owner (proposed for API keys)."""
    entry = Activity(workspace.state.clock.now(), action, user or account.email, visit.ip, visit.user_agent)
    account.timeline(Activity).add(entry)


def select(caller: Caller, query: dict[str, Any]) -> list[Activity]:
    """Return a page of the entries of a period, newest first; by default of the last 12 months."""
    if not caller.account.enterprise:
        reason = f"account {caller.account.name} is not an enterprise account, which activity logs require"
        raise PERMISSION_DENIED(status=400).because(reason)
    start, end = _period(query, caller.workspace)
    is_wanted = equals_address(query["email"]) if "email" in query else None
    return caller.account.timeline_of(Activity).page(
        start,
        end,
        offset=query["offset"],
        limit=query["limit"],
        where=None if is_wanted is None else lambda row: is_wanted(row.user_email),
    )


def _period(query: dict[str, Any], workspace: Workspace) -> tuple[datetime, datetime]:
    """Return the first and the last moment of a query."""
    now = workspace.state.clock.now()
    start, end = query.get("startDate"), query.get("endDate")
    oldest = months_later(now.replace(hour=0, minute=0, second=0, microsecond=0), -HISTORY_MONTHS)
    reasons.check_period(start, end)
    if start is None or end is None:
        return oldest, now
    if start < oldest:
        reason = f"startDate is {reasons.instant(start)}, but the log begins at {reasons.instant(oldest)}"
        refused = OUT_OF_RANGE(f"startDate: data reaches back {HISTORY_MONTHS} months")
        raise refused.because(f"{reason}; {reasons.clock(workspace.state.clock)}")
    # No month follows the calendar's last month.
    latest = months_later(min(start, LATEST), 1)
    if end > latest:
        reason = f"{reasons.period(start, end)}; endDate must be {reasons.instant(latest)} or earlier"
        raise OUT_OF_RANGE("The period from startDate to endDate must not be longer than one month").because(reason)
    return start, end + timedelta(days=1, microseconds=-1)

"""Rate limits: windows on the workspace's clock, counted per account and group of paths (contract/rate-limits)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from mockserver.core.contract.errors import TOO_MANY_REQUESTS
from mockserver.core.state.state import Account
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.workspace import Workspace

_HOUR = timedelta(hours=1)
_SECOND = timedelta(seconds=1)
_NO_TIME = timedelta()

#: The paths of each group as the contract names them (contract/rate-limits); a request belongs to the first that fits.
GROUPS = {
    "send": "`POST /v3/smtp/email`, `GET /v3/smtp/blockedContacts`",
    "emails": "`GET /v3/smtp/emails`",
    "smtp": "all else below `/v3/smtp/`",
    "contacts": "`/v3/contacts` and below",
    "other": "all else",
}
#: Requests per window by tier and group.
LIMITS: dict[str, dict[str, tuple[tuple[int, timedelta], ...]]] = {
    "general": {
        "send": ((1000, _SECOND), (3_600_000, _HOUR)),
        "emails": ((2, _SECOND), (7200, _HOUR)),
        "smtp": ((300, _HOUR),),
        "contacts": ((10, _SECOND), (36_000, _HOUR)),
        "other": ((100, _HOUR),),
    },
    "advanced": {
        "send": ((2000, _SECOND), (7_200_000, _HOUR)),
        "emails": ((3, _SECOND), (10_800, _HOUR)),
        "smtp": ((600, _HOUR),),
        "contacts": ((20, _SECOND), (72_000, _HOUR)),
        "other": ((200, _HOUR),),
    },
    "extended": {
        "send": ((6000, _SECOND), (21_600_000, _HOUR)),
        "emails": ((18_000, _HOUR),),
        "smtp": ((1800, _HOUR),),
        "contacts": ((60, _SECOND), (216_000, _HOUR)),
        "other": ((600, _HOUR),),
    },
}
TIERS = tuple(LIMITS)

#: The names of the headers that tell an allowance begin with this.
HEADERS = "x-sib-ratelimit-"

#: The groups of single operations, by method and path.
_OPERATIONS = {
    ("POST", "/v3/smtp/email"): "send",
    ("GET", "/v3/smtp/blockedContacts"): "send",
    ("GET", "/v3/smtp/emails"): "emails",
}


@dataclass(slots=True, eq=False)
class Window:
    since: datetime
    count: int = 0


class Windows(dict[tuple[str, timedelta], Window]):
    """The windows of an account, by group of paths and length."""


class Allowance(NamedTuple):
    limit: int
    #: How many of them are left.
    remaining: int
    #: In how many seconds the next window begins.
    reset: int
    #: Whether more requests have come than the limit.
    exceeded: bool


def count(workspace: Workspace, account: Account, exchange: Exchange, headers: list[tuple[str, str]]) -> None:
    """Count a request of an account, and add its rate limit headers.

    Raises:
        ServiceError: 429; the limit is exceeded, and the scenario enforces it.
    """
    allowance = _take(workspace, account, exchange)
    headers += (
        (f"{HEADERS}limit", str(allowance.limit)),
        (f"{HEADERS}remaining", str(allowance.remaining)),
        (f"{HEADERS}reset", str(allowance.reset)),
    )
    if allowance.exceeded and workspace.state.behaviour.rate_limit.enforce:
        limit = f"rate limit exceeded: more than {allowance.limit} requests in one window of the workspace's clock"
        raise TOO_MANY_REQUESTS().because(f"{limit}; the next window begins in {allowance.reset} seconds")


def _take(workspace: Workspace, account: Account, exchange: Exchange) -> Allowance:
    state, group, now = workspace.state, group_of(exchange.method, exchange.path), exchange.at
    windows = account.trace(Windows)
    tightest: Allowance | None = None
    for limit, length in LIMITS[state.behaviour.rate_limit.tier][group]:
        key = (group, length)
        window = windows.get(key)
        if window is None or (passed := now - window.since) >= length:
            window, passed = Window(now), _NO_TIME
            windows[key] = window
        window.count += 1
        left = limit - window.count
        if tightest is None or left < tightest.remaining:
            reset = -((passed - length) // _SECOND)
            tightest = Allowance(limit, max(left, 0), reset, exceeded=left < 0)
    assert tightest is not None, "every group has a window"
    return tightest


def group_of(method: str, path: str) -> str:
    """Return the group of a request; `/v3/contacts` itself belongs to contacts (proposed, contract/rate-limits)."""
    if path.startswith("/v3/contacts/") or path == "/v3/contacts":
        return "contacts"
    if path.startswith("/v3/smtp/"):
        return _OPERATIONS.get((method, path), "smtp")
    return "other"

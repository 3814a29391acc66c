"""Idempotency keys: a request that repeats one of the last half hour is refused (contract/sending#idempotency)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from mockserver.core.contract.errors import DUPLICATE_PARAMETER, no_room
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.workspaces.caller import Caller

#: The name of the header in the body, whose case makes no difference.
HEADER = "idempotencyKey"
#: The most characters of a key. Proposed: far above a UUID.
LONGEST_KEY = 256
#: How long a key stays taken (contract/sending#idempotency).
LIFETIME = timedelta(minutes=30)


@dataclass(slots=True, eq=False)
class IdempotencyKey:
    """The key of an accepted request."""

    key: str
    used_at: datetime
    #: The id of the request; None: it came from a scenario.
    request: str | None = None

    def is_taken(self, now: datetime) -> bool:
        """Return whether a request with this key would be a repeat."""
        return now - self.used_at < LIFETIME


def check(caller: Caller, key: str) -> None:
    """Check that no request of the account has used a key within its lifetime, and that there is room for it.

    Raises:
        ServiceError: 400 `duplicate_parameter`, or `out_of_range` if the workspace is full.
    """
    now, row = caller.workspace.state.clock.now(), caller.account.rows_of(IdempotencyKey).get(key)
    if row is not None and row.is_taken(now):
        used = f"request {row.request} has used it" if row.request else "it is used"
        times = f"at {reasons.instant(row.used_at)}; it is free again at {reasons.instant(row.used_at + LIFETIME)}"
        refused = DUPLICATE_PARAMETER(f"{HEADER} is already used")
        raise refused.because(f"duplicate {HEADER} {reasons.shown(key)}: {used} {times}; nothing was sent")
    _forget_expired(caller.account, now)
    if full := caller.workspace.state.full(1):
        raise no_room(full)


def note(caller: Caller, key: str) -> None:
    """Note that the request at hand has used a key."""
    now, keys = caller.workspace.state.clock.now(), caller.account.table(IdempotencyKey)
    keys.pop(key, None)  # so that the keys stay in the order of their use
    keys[key] = IdempotencyKey(key, now, caller.workspace.cause_request)


def _forget_expired(account: Account, now: datetime) -> None:
    """Drop the keys that are free again; the oldest ones come first."""
    rows = account.rows_of(IdempotencyKey).values()
    for row in list(takewhile(lambda row: not row.is_taken(now), rows)):
        del account.table(IdempotencyKey)[row.key]

"""Plan updates for several sub-accounts at once, from their acceptance until the last one is settled."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mockserver.core.account import Account
from mockserver.core.caller import Visit
from mockserver.resources.corporate.plan import Allotment


@dataclass(slots=True, eq=False)
class BulkPlan:
    """A plan update for several sub-accounts that was accepted and is not applied yet; a row of the master."""

    id: int
    due: datetime
    change: Allotment
    #: The sub-accounts for which it is still to be applied, in the order in which they were named.
    members: dict[int, None]
    #: Who asked for it.
    user_ip: str = Visit().ip
    user_agent: str = ""
    #: What happens to every member, while it is happening: apply_bulk or reject_bulk.
    verdict: str | None = None


def oldest(master: Account, sub_account_id: int) -> BulkPlan | None:
    """The change that a sub-account waits for: the one that is being settled, else the first that was accepted."""
    waiting = [bulk for bulk in master.table(BulkPlan).values() if sub_account_id in bulk.members]
    return min(waiting, key=lambda bulk: bulk.verdict is None, default=None)


def leave(master: Account, bulk: BulkPlan, sub_account_id: int) -> None:
    """Let a change be for one sub-account fewer; what is for none any more is gone."""
    bulk.members.pop(sub_account_id, None)
    if not bulk.members:
        master.table(BulkPlan).pop(bulk.id, None)

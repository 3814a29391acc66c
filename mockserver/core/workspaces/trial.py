"""A workspace to try something in: it stands on another one, and nothing that happens in it reaches that."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from mockserver.core.state.account import Account
from mockserver.core.state.layer import Layer, LayeredSet
from mockserver.core.state.tables import Tables, Tally, Timeline
from mockserver.core.time.timers import Timers
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.faults import Faults
from mockserver.core.traffic.feed import Feed
from mockserver.core.traffic.mailbox import Mailbox
from mockserver.core.traffic.meter import Meter
from mockserver.core.workspaces.effects import NoEffects
from mockserver.core.workspaces.jobs import Jobs
from mockserver.core.workspaces.watchers import Watchers
from mockserver.core.workspaces.workspace import Workspace


def trial_of(workspace: Workspace) -> Workspace:
    """A copy that looks the same, made and used under the workspace's lock; it costs what is looked at in it.

    It has neither timers nor jobs, and nothing leaves it.
    """
    found = copy.copy(workspace)
    keys, revoked_keys = Layer(workspace.keys), LayeredSet(workspace.revoked_keys)
    tally = workspace.tally
    found.tally = Tally(tally.limit, tally.rows, (keys, revoked_keys), held=tally.bytes)
    _stand_on(found, workspace)
    accounts = Layer(workspace.accounts, copied=partial(_account, found.tally))
    found.accounts, found.keys, found.revoked_keys = accounts, keys, revoked_keys
    found.names, found.masters = Layer(workspace.names), Layer(workspace.masters)
    found.on_key = lambda key: None
    found.last_ids = workspace.last_ids.copy()
    found.random = copy.copy(workspace.random)
    found.random.positions = dict(workspace.random.positions)
    keyring = workspace.origin.keyring
    found.origin = workspace.origin._replace(keyring=None if keyring is None else keyring.copy())
    found.faults = Faults()
    for fault in workspace.faults:
        found.faults.add(fault)
    found.timers, found.jobs, found.watchers = Timers(), Jobs(), Watchers()
    found.feed, found.coverage, found.meter = Feed(), Coverage(), Meter()
    found.mailbox, found.effects = Mailbox(workspace.limits.mailbox), NoEffects()
    return found


def _account(tally: Tally, account: Account) -> Account:
    found = copy.copy(account)
    found.tally = tally
    _stand_on(found, account)
    found.api_keys, found.revoked_keys = list(account.api_keys), list(account.revoked_keys)
    found.users = list(account.users)
    return found


def _stand_on(shelf: Tables, below: Tables) -> None:
    """Let a shelf show the rows of another one, and keep to itself what is put there."""
    # What follows knows the tallies and not the shelf, of which it becomes a part: nothing then leads to itself.
    own, theirs = shelf.tally, below.tally

    def layer(rows: Any) -> Layer:
        return Layer(rows, own if getattr(rows, "tally", None) is theirs else Tally())

    def record(found: Any) -> Any:
        return layer(found) if isinstance(found, dict) else copy.deepcopy(found)

    tables: Any = _Copied(below._tables, layer)  # noqa: SLF001  # the same resource
    timelines: Any = _Copied(below._timelines, lambda _: Timeline[Any](own))  # noqa: SLF001  # see above
    records: Any = _Copied(below._records, record)  # noqa: SLF001  # see above
    shelf._tables, shelf._timelines, shelf._records = tables, timelines, records  # noqa: SLF001  # see above


class _Copied(dict[type, Any]):
    """What stands below, each copied when it is first asked for."""

    def __init__(self, below: dict[type, Any], copied: Callable[[Any], Any]) -> None:
        super().__init__()
        self._below, self._copied = below, copied

    def get(self, kind: type, default: Any = None) -> Any:
        if kind not in self and kind in self._below:
            self[kind] = self._copied(self._below[kind])
        return super().get(kind, default)

    def setdefault(self, kind: type, default: Any = None) -> Any:
        self.get(kind)
        return super().setdefault(kind, default)

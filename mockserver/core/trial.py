"""A workspace to try something in: it stands on another one, and nothing that happens in it reaches that."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from mockserver.core.account import Account
from mockserver.core.coverage import Coverage
from mockserver.core.faults import Faults
from mockserver.core.feed import Feed
from mockserver.core.jobs import Jobs
from mockserver.core.mailbox import Mailbox
from mockserver.core.meter import Meter
from mockserver.core.outside import Nowhere
from mockserver.core.shelf import Shelf, Tally, Timeline
from mockserver.core.timers import Timers
from mockserver.core.watchers import Watchers
from mockserver.core.workspace import Workspace


def trial_of(workspace: Workspace) -> Workspace:
    """A copy that looks the same, made and used under the workspace's lock; it costs what is looked at in it.

    It has neither timers nor jobs, and nothing leaves it.
    """
    found = copy.copy(workspace)
    found.accounts, found.keys, found.revoked_keys = {}, dict(workspace.keys), set(workspace.revoked_keys)
    tally = workspace.tally
    found.tally = Tally(tally.limit, tally.rows, (found.keys, found.revoked_keys), held=tally.bytes)
    _stand_on(found, workspace)
    for number, account in workspace.accounts.items():
        found.accounts[number] = _account(account, found.tally)
    found.on_key = lambda key: None
    found.last_ids, found.names = workspace.last_ids.copy(), set(workspace.names)
    found.random = copy.copy(workspace.random)
    found.random.positions = dict(workspace.random.positions)
    keyring = workspace.origin.keyring
    found.origin = workspace.origin._replace(keyring=None if keyring is None else keyring.copy())
    found.faults = Faults()
    for fault in workspace.faults:
        found.faults.add(fault)
    found.timers, found.jobs, found.watchers = Timers(), Jobs(), Watchers()
    found.feed, found.coverage, found.meter = Feed(), Coverage(), Meter()
    found.mailbox, found.outside = Mailbox(workspace.limits.mailbox), Nowhere()
    return found


def _account(account: Account, tally: Tally) -> Account:
    found = copy.copy(account)
    found.tally = tally
    _stand_on(found, account)
    found.api_keys, found.revoked_keys = list(account.api_keys), list(account.revoked_keys)
    found.users = list(account.users)
    return found


def _stand_on(shelf: Shelf, below: Shelf) -> None:
    """Let a shelf show the rows of another one, and keep to itself what is put there."""
    # What follows knows the tallies and not the shelf, of which it becomes a part: nothing then leads to itself.
    own, theirs = shelf.tally, below.tally

    def layer(rows: Any) -> _Layer:
        return _Layer(rows, own if getattr(rows, "tally", None) is theirs else Tally())

    def record(found: Any) -> Any:
        return layer(found) if isinstance(found, dict) else copy.deepcopy(found)

    tables: Any = _Copied(below._tables, layer)  # noqa: SLF001  # the same noun
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


class _Layer(MutableMapping[Any, Any]):
    """Rows above others: each of those below is copied before somebody could change it."""

    def __init__(self, below: dict[Any, Any], tally: Tally) -> None:
        self._below = below
        self._tally = tally
        self._own: dict[Any, Any] = {}
        self._gone: set[Any] = set()

    def __contains__(self, key: object) -> bool:
        return key in self._own or (key in self._below and key not in self._gone)

    def __getitem__(self, key: Any) -> Any:
        if key not in self._own:
            if key in self._gone:
                raise KeyError(key)
            self._own[key] = copy.copy(self._below[key])
        return self._own[key]

    def __setitem__(self, key: Any, row: Any) -> None:
        self._tally.rows += key not in self
        self._own[key] = row

    def __delitem__(self, key: Any) -> None:
        if key not in self:
            raise KeyError(key)
        self._own.pop(key, None)
        self._gone.add(key)
        self._tally.rows -= 1

    def __iter__(self) -> Iterator[Any]:
        yield from (key for key in self._below if key in self)
        yield from (key for key in tuple(self._own) if key not in self._below)

    def __len__(self) -> int:
        return sum(1 for _ in self)

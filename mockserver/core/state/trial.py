"""A state to try something in: it stands on another one, and nothing that happens in it reaches that."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from mockserver.core.state.account import Account
from mockserver.core.state.faults import Faults
from mockserver.core.state.layer import Layer, LayeredSet
from mockserver.core.state.state import State
from mockserver.core.state.tables import Tables, Tally, Timeline
from mockserver.core.time.timers import Timers
from mockserver.core.traffic.mailbox import Mailbox


def above(state: State) -> State:
    """A copy that looks the same, but for timers and mailbox, which are empty; it costs what is looked at in it."""
    keys, revoked_keys = Layer(state.keys), LayeredSet(state.revoked_keys)
    tally = Tally(state.tally.limit, state.tally.rows, (keys, revoked_keys), held=state.tally.bytes)
    found = replace(
        state,
        random=state.random.copy(),
        mailbox=Mailbox(),
        faults=Faults(state.faults),
        timers=Timers(),
        accounts=Layer(state.accounts, copied=partial(_account, tally)),
        keys=keys,
        revoked_keys=revoked_keys,
        names=Layer(state.names),
        masters=Layer(state.masters),
        last_ids=state.last_ids.copy(),
    )
    found.tally, found.bytes = tally, state.bytes
    _stand_on(found, state)
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

"""Trials: a state above another one, to try a change in that may fail; the state below stays unchanged."""

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
from mockserver.core.state.stubs import Stubs
from mockserver.core.state.tables import Tables, Tally, Timeline
from mockserver.core.time.timers import Timers
from mockserver.core.traffic.mailbox import Mailbox


def above(state: State) -> State:
    """A copy of a state, without its timers and e-mails; rows are copied when they are first read."""
    keys, revoked_keys = Layer(state.keys), LayeredSet(state.revoked_keys)
    below = state.tally
    tally = Tally(below.limit, below.rows, (keys, revoked_keys), held=below.bytes, stored=below.stored)
    found = replace(
        state,
        random=state.random.copy(),
        mailbox=Mailbox(),
        faults=Faults(state.faults),
        stubs=Stubs(state.stubs),
        timers=Timers(),
        accounts=Layer(state.accounts, copied=partial(_account, tally)),
        keys=keys,
        revoked_keys=revoked_keys,
        names=Layer(state.names),
        masters=Layer(state.masters),
        last_ids=state.last_ids.copy(),
    )
    found.tally, found.bytes, found.stored = tally, state.bytes, state.stored
    _put_above(found, state)
    return found


def _account(tally: Tally, account: Account) -> Account:
    found = copy.copy(account)
    found.tally = tally
    _put_above(found, account)
    found.api_keys, found.revoked_keys = list(account.api_keys), list(account.revoked_keys)
    found.users = list(account.users)
    return found


def _put_above(upper: Tables, below: Tables) -> None:
    """Let `upper` show the rows of `below`, and keep what is added or changed to itself."""
    # The closures refer to the tallies and not to `upper`, which will hold them: that would be a cycle.
    own, theirs = upper.tally, below.tally

    def layer(rows: Any) -> Layer:
        return Layer(rows, own if getattr(rows, "tally", None) is theirs else Tally())

    def record(found: Any) -> Any:
        return layer(found) if isinstance(found, dict) else copy.deepcopy(found)

    tables: Any = _Copied(below._tables, layer)  # noqa: SLF001  # of the same class
    timelines: Any = _Copied(below._timelines, lambda _: Timeline[Any](own))  # noqa: SLF001  # of the same class
    records: Any = _Copied(below._records, record)  # noqa: SLF001  # of the same class
    upper._tables, upper._timelines, upper._records = tables, timelines, records  # noqa: SLF001  # of the same class


class _Copied(dict[type, Any]):
    """The tables, timelines or records of the state below, each copied when it is first asked for."""

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

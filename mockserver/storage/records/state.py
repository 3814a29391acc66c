"""A state as plain values: what stands beside its accounts, and each account by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mockserver.core.state.account import Account
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.state.faults import Faults
from mockserver.core.state.randomness import Randomness
from mockserver.core.state.state import State
from mockserver.core.state.stubs import Stubs
from mockserver.core.time.clock import Clock, ClockSetting
from mockserver.core.time.timers import Timer, Timers
from mockserver.core.traffic.mailbox import Mailbox, Sending
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.storage.records.rows import Rows, put_back
from mockserver.storage.records.rules import FaultForm, StubForm


class Counted(NamedTuple):
    """What the tally of a state has counted."""

    rows: int
    weighed: int
    stored: int


class StateForm(NamedTuple):
    """What stands beside the accounts; the e-mails are a log, and the timers a part of their own."""

    clock: ClockSetting
    seed: int
    #: The name of the replica that draws; empty: the server is none.
    replica: str
    positions: dict[str, int]
    description: str
    solution: str
    strict: bool
    behaviour: Behaviour
    sendings: Mapping[str, Sending]
    faults: Sequence[FaultForm]
    stubs: Sequence[StubForm]
    #: The ids of the accounts, in their order.
    accounts: Sequence[int]
    keys: dict[str, int]
    revoked_keys: set[str]
    names: dict[str, int]
    masters: dict[str, int]
    last_ids: dict[str, int]
    highest_id: int
    document_bytes: int
    evicted_deliveries: int
    counted: Counted
    rows: Rows


class AccountForm(NamedTuple):
    """An account with its rows."""

    account: Account
    rows: Rows


#: The members of a state that are written as they are.
_SAME = ("description", "solution", "strict", "behaviour", "highest_id", "document_bytes", "evicted_deliveries")
_SHARED = ("keys", "revoked_keys", "names", "masters")


def form_of(state: State, rows: Rows) -> StateForm:
    """What stands beside the accounts of a state, with its rows."""
    tally = state.tally
    return StateForm(
        clock=state.clock.setting,
        seed=state.random.seed,
        replica=state.random.replica,
        positions=state.random.positions,
        sendings=state.mailbox.sendings,
        faults=[FaultForm.of(fault) for fault in state.faults],
        stubs=[StubForm.of(stub) for stub in state.stubs],
        accounts=list(state.accounts),
        last_ids=state.last_ids,
        counted=Counted(tally.rows, tally.bytes, tally.stored),
        rows=rows,
        **{name: getattr(state, name) for name in (*_SAME, *_SHARED)},
    )


def state_of(
    form: StateForm,
    accounts: Sequence[AccountForm],
    timers: Sequence[Timer],
    *,
    workspace: str,
    mailbox: Mailbox,
    limits: WorkspaceLimits,
) -> State:
    """The state of a workspace; records that follow from rows are still empty.

    Raises:
        UnreadableError: the rows are none.
    """
    random = Randomness(form.seed, workspace, form.replica)
    random.positions = form.positions
    state = State(
        Clock.of(form.clock),
        random,
        mailbox=mailbox,
        faults=Faults(row.fault() for row in form.faults),
        stubs=Stubs(row.stub() for row in form.stubs),
        timers=Timers(timers),
        last_ids=defaultdict(int, form.last_ids),
        rows_limit=limits.rows,
        **{name: getattr(form, name) for name in (*_SAME, *_SHARED)},
    )
    tally = state.tally
    tally.rows, tally.bytes, tally.stored = form.counted
    put_back(state, form.rows)
    for row in accounts:
        state.accounts[row.account.id] = row.account
        row.account.tally = tally
        put_back(row.account, row.rows)
    return state

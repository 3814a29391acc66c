"""The state of a workspace: all that a scenario describes, as one plain object."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mockserver.core.contract.operation import Role
from mockserver.core.state.account import Account
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.state.faults import Fault, Faults, draws
from mockserver.core.state.keys import api_key
from mockserver.core.state.layer import LayeredSet, shown
from mockserver.core.state.randomness import Randomness
from mockserver.core.state.tables import Row, Tables, Tally
from mockserver.core.time.clock import Clock
from mockserver.core.time.timers import Timers
from mockserver.core.traffic.mailbox import Mailbox

#: With more purposes than this of draws, those of rules that are gone are forgotten.
_MOST_PURPOSES = 5_000
#: More rows than any one call adds that adds no document.
MOST_ADDED = 5
#: The largest id that a scenario may give, and how far from there nothing is added any more: what is added in passing
#: still has room then.
LAST_ID = 2**62
_ROOM_FOR_IDS = 2**40
#: In bytes; some milliseconds' worth.
_MANY_CALLS = 256 * 1024


@dataclass(eq=False, repr=False)
class State(Tables):
    """Accounts, clock, randomness, timers, faults and mailbox, with the rows beside the accounts.

    Nothing here leads out of it, nor to a thread: it can be copied, written down, and put in the place of another one.
    """

    clock: Clock
    random: Randomness
    description: str = ""
    #: `v1` or `v2`: which of the service's products for several accounts it is.
    solution: str = "v2"
    #: Whether members that an operation does not know are refused.
    strict: bool = False
    behaviour: Behaviour = field(default_factory=Behaviour)
    mailbox: Mailbox = field(default_factory=Mailbox)
    faults: Faults = field(default_factory=Faults)
    timers: Timers = field(default_factory=Timers)
    accounts: MutableMapping[int, Account] = field(default_factory=dict)
    #: Which account an API key opens.
    keys: MutableMapping[str, int] = field(default_factory=dict)
    revoked_keys: set[str] | LayeredSet[str] = field(default_factory=set)
    #: The ids of all accounts by name, and those of master accounts, of which none ever goes.
    names: MutableMapping[str, int] = field(default_factory=dict)
    masters: MutableMapping[str, int] = field(default_factory=dict)
    #: The last id given out, by kind.
    last_ids: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    #: The highest one that a scenario has given, of any kind; counting on does not get far from there.
    highest_id: int = 0
    #: How many bytes the documents take that it was made of, or has got added.
    document_bytes: int = 0
    #: How many deliveries had to go for newer ones.
    evicted_deliveries: int = 0
    #: How many rows there may be.
    rows_limit: float = math.inf

    def __post_init__(self) -> None:
        super().__init__()
        self.tally = Tally(self.rows_limit, beside=(self.keys, self.revoked_keys))

    def rows(self) -> int:
        """How many rows stand in it, which is about what it costs to make, write and drop it."""
        return self.count() + sum(account.count() for account in tuple(self.accounts.values()))

    def kept(self) -> int:
        """How many rows stand in it that count: all that have no limit of their own, accounts and keys included."""
        return self.tally.kept()

    def full(self, added: int = MOST_ADDED) -> str | None:
        """Why so many rows cannot be added; None: there is room for them."""
        if self.highest_id > LAST_ID - _ROOM_FOR_IDS:
            return f"ids go up to {LAST_ID:,}, and there is one of {self.highest_id:,}"
        kept = self.kept()
        if kept + added <= self.rows_limit:
            return None
        return f"the workspace has {kept:,} rows, and there may be {self.rows_limit:,} (--rows-limit)"

    # ------------------------------------------------------------------ accounts and keys

    def add_account(self, account: Account) -> None:
        """Let there be another account, which has no rows yet."""
        self.accounts[account.id] = account
        account.tally = self.tally
        self.names[account.name] = account.id
        self.tally.rows += 1
        if account.role is Role.MASTER:
            self.masters[account.name] = account.id
        self.claim_id("account", account.id)
        for key in account.api_keys:
            self.keys[key] = account.id
        self.revoked_keys.update(account.revoked_keys)

    def free_name(self, wanted: str) -> str:
        """The name that is wanted for a new account or, where another one has it, the same with a number behind it."""
        name, number = wanted, 1
        while name in self.names:
            number += 1
            name = f"{wanted}-{number}"
        return name

    def draw_api_key(self) -> str:
        """A new API key, of the form of contract/corporate#createSubAccountKey; a state may hold some that are drawn
        only from here on.
        """
        while True:
            key = api_key(self.random.secret("api_key", 64, "0123456789abcdef"))
            if self.is_free_key(key):
                return key

    def is_free_key(self, key: str) -> bool:
        """Whether a key opens no account, and never has."""
        return key not in self.keys and key not in self.revoked_keys

    def remove_account(self, account: Account) -> None:
        """Drop an account with all its rows and timers; its keys are refused from now on."""
        del self.accounts[account.id]
        self.names.pop(account.name, None)
        self.tally.rows -= 1
        for key in account.api_keys:
            self.keys.pop(key, None)
            self.revoked_keys.add(key)
        account.leave()
        self.timers.cancel_account(account.id)

    def account_of(self, key: str) -> Account | None:
        """The account that an API key opens."""
        number = self.keys.get(key)
        return None if number is None else self.accounts.get(number)

    def account_named(self, name: str) -> Account | None:
        number = self.names.get(name)
        return None if number is None else self.accounts[number]

    def tables(self, row: type[Row]) -> Iterator[tuple[int, Mapping[Any, Row]]]:
        """The rows of this type in all accounts that have some, by the account's id; only to be looked at."""
        for number, account in shown(self.accounts):
            if rows := account.rows_of(row):
                yield number, rows

    @property
    def first_account(self) -> Account:
        return next(iter(self.accounts.values()))

    def master_of(self, account: Account) -> Account | None:
        """The master account of an admin account or a sub-account; a master is its own."""
        if account.role is Role.MASTER:
            return account
        number = self.masters.get(account.of or "")
        return None if number is None else self.accounts[number]

    # ------------------------------------------------------------------ identifiers

    def next_id(self, kind: str) -> int:
        """A number that no row of this kind has had."""
        self.last_ids[kind] += 1
        return self.last_ids[kind]

    def has_another_id(self, kind: str) -> bool:
        """Whether there is a number for one more; one past the last id could not be loaded again."""
        return self.last_ids.get(kind, 0) < LAST_ID

    def claim_id(self, kind: str, number: int) -> None:
        """Count on past a number that a scenario gives."""
        self.last_ids[kind] = max(self.last_ids[kind], number)
        self.highest_id = max(self.highest_id, number)

    # ------------------------------------------------------------------ faults and time

    def add_faults(self, faults: Sequence[Fault]) -> None:
        """Let rules apply, behind those that are there; one without an id gets one that no other has.

        Behind the last one the first ones come again, as far as they are free.
        """
        taken = {fault.id for fault in (*self.faults, *faults)}
        for fault in faults:
            while not fault.id:
                self.last_ids["fault"] %= LAST_ID
                drawn = f"fault-{self.next_id('fault')}"
                fault.id = "" if drawn in taken else drawn
            self.faults.add(fault)
        if len(self.random.positions) > _MOST_PURPOSES:
            self._forget_draws()

    def _forget_draws(self) -> None:
        """Forget how far the draws of rules have come that are gone; of few, one that comes again goes on."""
        lasting = {purpose for fault in self.faults for purpose in draws(fault.id)}
        positions = self.random.positions
        for purpose in [name for name in positions if name.startswith(draws("")[0]) and name not in lasting]:
            del positions[purpose]

    @property
    def has_many_calls(self) -> bool:
        """Whether a file of the history would take long to write, as it goes through all calls."""
        return self.tally.bytes > _MANY_CALLS

    @property
    def is_much_due(self) -> bool:
        """Whether what is due may take long, as a file of the history may be among it."""
        if self.tally.bytes * len(self.timers) <= _MANY_CALLS:
            return False
        timer = self.timers.next()
        return timer is not None and timer.moment <= self.clock.now()

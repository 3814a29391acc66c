"""A workspace's state and accounts, as scenarios describe them."""

from __future__ import annotations

import copy
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from mockserver.core.contract.operation import Role
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.state.expected import Expected
from mockserver.core.state.faults import Fault, Faults, draws
from mockserver.core.state.identifiers import Randomness, api_key
from mockserver.core.state.stubs import Stub, Stubs
from mockserver.core.state.tables import Layer, Row, Tables, Tally, Timeline, shown
from mockserver.core.state.varied import Varied
from mockserver.core.time.clock import Clock, Timers
from mockserver.core.traffic.mail import EmailEvents, InboundContents, Mailbox

#: The languages of the service (ISO 639-1, contract/corporate#createSubAccount).
LANGUAGES = ("en", "fr", "it", "es", "pt", "de")
#: The number of purposes of draws above which those of removed faults are dropped. Chosen: some hundred kilobytes.
_MOST_PURPOSES = 5_000
#: The most rows that one operation adds; only documents add more.
MOST_ADDED = 5
#: The largest id of a scenario (chosen: counting on stays within 64 bits), and the number of ids before it that no
#: operation gives out (chosen: rows that are made in passing, such as deliveries, never reach the end).
LAST_ID = 2**62
_ROOM_FOR_IDS = 2**40
#: The bytes of deliveries from which on writing them to a file takes too long for the event loop: some milliseconds.
_MANY_CALLS = 256 * 1024
#: The number of timers above which the due ones may take too long as well: each may send an e-mail in 0.3 milliseconds.
_MANY_TIMERS = 200


class User(NamedTuple):
    email: str
    admin: bool = False
    #: The password that the sign-in page accepts, or None to accept any.
    password: str | None = None


@dataclass
class Account(Tables):
    """An account of any role, with its rows."""

    id: int
    name: str
    email: str
    created_at: datetime
    organization_id: str
    user_id: int
    role: Role = Role.STANDALONE
    #: The name of its master account; None except for admin accounts and sub-accounts.
    of: str | None = None
    first_name: str = ""
    last_name: str = ""
    company_name: str = ""
    enterprise: bool = False
    #: Whether the vendor has yet to approve the account, so that nothing can be sent (contract/account#validation).
    under_validation: bool = False
    #: One of `LANGUAGES`, or None if none was chosen.
    language: str | None = None
    api_keys: list[str] = field(default_factory=list)
    revoked_keys: list[str] = field(default_factory=list)
    users: list[User] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    @property
    def full_name(self) -> str:
        return f"{self.first_name} {self.last_name}".strip()


@dataclass(eq=False, repr=False)
class State(Tables):
    """What a scenario describes: accounts, clock, randomness, timers, faults, mailbox, and rows beside the accounts.

    It refers to nothing outside and to no thread, so it can be copied, saved, and replace another state.
    """

    clock: Clock
    random: Randomness
    description: str = ""
    #: The service's product for several accounts: `v1` or `v2`.
    solution: str = "v2"
    #: Whether members that an operation does not know are refused.
    strict: bool = False
    behaviour: Behaviour = field(default_factory=Behaviour)
    #: What a seed of `vary` has drawn, or None.
    varied: Varied | None = None
    #: What the scenario expects in the end, or None.
    expected: Expected | None = None
    mailbox: Mailbox = field(default_factory=Mailbox)
    received: InboundContents = field(default_factory=InboundContents)
    email_events: EmailEvents = field(default_factory=EmailEvents)
    faults: Faults = field(default_factory=Faults)
    stubs: Stubs = field(default_factory=Stubs)
    timers: Timers = field(default_factory=Timers)
    accounts: MutableMapping[int, Account] = field(default_factory=dict)
    #: The account that each API key opens.
    keys: dict[str, int] = field(default_factory=dict)
    revoked_keys: set[str] = field(default_factory=set)
    #: The ids of all accounts by name, and those of the master accounts, which are never removed.
    names: dict[str, int] = field(default_factory=dict)
    masters: dict[str, int] = field(default_factory=dict)
    #: The last id that was given out, by the kind of row.
    last_ids: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    #: The highest id of any kind in the scenario; counted ids stay near it.
    highest_id: int = 0
    #: The bytes of the documents that it was made from or that were added.
    document_bytes: int = 0
    #: The number of deliveries that were dropped for newer ones.
    evicted_deliveries: int = 0
    rows_limit: float = math.inf

    def __post_init__(self) -> None:
        super().__init__()
        self.tally = Tally(self.rows_limit, beside=(self.keys, self.revoked_keys))

    def rows(self) -> int:
        """Return the number of all rows; the cost of making, saving and dropping the state grows with it."""
        return self.count() + sum(account.count() for account in tuple(self.accounts.values()))

    def kept(self) -> int:
        """Return the number of rows that count towards `rows_limit`: accounts, keys, and unbounded rows."""
        return self.tally.kept()

    def full(self, added: int = MOST_ADDED) -> str | None:
        if self.highest_id > LAST_ID - _ROOM_FOR_IDS:
            return f"no free ids left: the highest one is {self.highest_id:,}, the limit is {LAST_ID:,}"
        kept = self.kept()
        if kept + added <= self.rows_limit:
            return None
        return f"the workspace is full: it has {kept:,} rows, the limit is {self.rows_limit:,} (--rows-limit)"

    def add_account(self, account: Account) -> None:
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
        """Return a free account name, numbered if the wanted name exists."""
        name, number = wanted, 1
        while name in self.names:
            number += 1
            name = f"{wanted}-{number}"
        return name

    def draw_api_key(self) -> str:
        """Draw a new API key as the service makes them (contract/corporate#createSubAccountKey)."""
        while True:  # a state that a document describes may hold keys that are drawn only from here on
            key = api_key(self.random.secret("api_key", 64, "0123456789abcdef"), self.random.replica)
            if self.is_free_key(key):
                return key

    def is_free_key(self, key: str) -> bool:
        """Return whether a key is neither used nor revoked."""
        return key not in self.keys and key not in self.revoked_keys

    def remove_account(self, account: Account) -> None:
        del self.accounts[account.id]
        self.names.pop(account.name, None)
        self.tally.rows -= 1
        for key in account.api_keys:
            self.keys.pop(key, None)
            self.revoked_keys.add(key)
        account.leave()
        self.timers.cancel_account(account.id)

    def account_of(self, key: str) -> Account | None:
        number = self.keys.get(key)
        return None if number is None else self.accounts.get(number)

    def account_named(self, name: str) -> Account | None:
        number = self.names.get(name)
        return None if number is None else self.accounts[number]

    def tables(self, row: type[Row]) -> Iterator[tuple[int, Mapping[Any, Row]]]:
        """Yield account ids with rows of a type, for reading only."""
        for number, account in shown(self.accounts):
            if rows := account.rows_of(row):
                yield number, rows

    @property
    def first_account(self) -> Account:
        return next(iter(self.accounts.values()))

    def master_of(self, account: Account) -> Account | None:
        """Return an account's master account, or None for a standalone account."""
        if account.role is Role.MASTER:
            return account
        number = self.masters.get(account.of or "")
        return None if number is None else self.accounts[number]

    def next_id(self, kind: str) -> int:
        """Return an unused id for a new row."""
        self.last_ids[kind] += 1
        return self.last_ids[kind]

    def has_another_id(self, kind: str) -> bool:
        """Return whether a kind has free ids up to `LAST_ID`."""
        return self.last_ids.get(kind, 0) < LAST_ID

    def claim_id(self, kind: str, number: int) -> None:
        """Continue a kind's ids after a scenario's id."""
        self.last_ids[kind] = max(self.last_ids[kind], number)
        self.highest_id = max(self.highest_id, number)

    def add_faults(self, faults: Sequence[Fault]) -> None:
        """Append faults, naming those without ids."""
        self._name_each("fault", self.faults, faults)
        for fault in faults:
            self.faults.add(fault)
        if len(self.random.positions) > _MOST_PURPOSES:
            self._forget_draws()

    def name_stubs(self, stubs: Sequence[Stub]) -> None:
        """Give ids to stubs without ids."""
        self._name_each("stub", self.stubs, stubs)

    def _name_each(self, kind: str, others: Faults | Stubs, rules: Sequence[Fault] | Sequence[Stub]) -> None:
        """Give ids to rules without an id; after `LAST_ID` the count begins again, and skips taken ids."""
        taken = {rule.id for rule in (*others, *rules)}
        for rule in rules:
            while not rule.id:
                self.last_ids[kind] %= LAST_ID
                drawn = f"{kind}-{self.next_id(kind)}"
                rule.id = "" if drawn in taken else drawn

    def _forget_draws(self) -> None:
        lasting = {purpose for fault in self.faults for purpose in draws(fault.id)}
        positions = self.random.positions
        for purpose in [name for name in positions if name.startswith(draws("")[0]) and name not in lasting]:
            del positions[purpose]

    @property
    def has_many_calls(self) -> bool:
        """Whether writing all deliveries to a file takes too long for the event loop."""
        return self.tally.bytes > _MANY_CALLS

    @property
    def is_much_due(self) -> bool:
        """Whether the due timers, which may write files or send e-mails, may take too long for the event loop."""
        count = self.timers.count
        if count <= _MANY_TIMERS and self.tally.bytes * count <= _MANY_CALLS:
            return False
        timer = self.timers.next()
        return timer is not None and timer.moment <= self.clock.now()


def dry_run(state: State) -> State:
    """Return a copy of a state for a dry run, without timers and e-mails; rows are copied when they are first read."""
    keys, revoked_keys = dict(state.keys), set(state.revoked_keys)
    below = state.tally
    tally = Tally(below.limit, below.rows, (keys, revoked_keys), held=below.bytes, stored=below.stored)
    found = replace(
        state,
        random=state.random.copy(),
        mailbox=Mailbox(),
        received=InboundContents(),
        email_events=EmailEvents(),
        faults=Faults(state.faults),
        stubs=Stubs(state.stubs),
        timers=Timers(),
        accounts=Layer(state.accounts, copied=partial(_account, tally)),
        keys=keys,
        revoked_keys=revoked_keys,
        names=dict(state.names),
        masters=dict(state.masters),
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
    # The closures refer to the tallies and not to `upper`, which will hold them: that would be a cycle.
    own, theirs = upper.tally, below.tally

    def layer(rows: Any) -> Layer:
        return Layer(rows, own if getattr(rows, "tally", None) is theirs else Tally())

    def record(found: Any) -> Any:
        return layer(found) if isinstance(found, dict) else copy.deepcopy(found)

    tables: Any = _CopiedOnRead(below._tables, layer)  # noqa: SLF001  # of the same class
    timelines: Any = _CopiedOnRead(below._timelines, lambda _: Timeline[Any](own))  # noqa: SLF001  # of the same class
    records: Any = _CopiedOnRead(below._records, record)  # noqa: SLF001  # of the same class
    upper._tables, upper._timelines, upper._records = tables, timelines, records  # noqa: SLF001  # of the same class


class _CopiedOnRead(dict[type, Any]):
    """Tables, timelines or records, each copied when first read."""

    def __init__(self, below: dict[type, Any], copied: Callable[[Any], Any]) -> None:
        super().__init__()
        self._below, self._copied = below, copied

    def get(self, kind: type, default: Any = None) -> Any:
        if kind not in self and kind in self._below:
            self[kind] = self._copied(self._below[kind])
        return super().get(kind, default)

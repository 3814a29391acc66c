"""A workspace: one private copy of the service. Everything that changes hangs on it."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from mockserver.core.account import Account
from mockserver.core.behaviour import Behaviour
from mockserver.core.clock import Clock
from mockserver.core.contract import Role
from mockserver.core.coverage import Coverage
from mockserver.core.events import Changed
from mockserver.core.exchange import Exchange
from mockserver.core.faults import Fault, Faults
from mockserver.core.feed import Feed
from mockserver.core.journal import Journal
from mockserver.core.keys import Keyring, api_key
from mockserver.core.mailbox import Mail, Mailbox
from mockserver.core.meter import Meter
from mockserver.core.randomness import Randomness
from mockserver.core.shelf import Shelf
from mockserver.core.state_machine import StateMachine
from mockserver.core.timers import Timer, Timers

Listener = Callable[["Workspace", Any], None]


class Firing(Protocol):
    """What a workspace needs of a lifecycle to fire its timers."""

    machine: StateMachine
    row: type[Any]

    def applies(self, row: Any, event: str) -> bool:
        """Whether the event applies in the row's state."""
        ...

    def fire(self, workspace: Workspace, account: Account, row: Any, event: str) -> None:
        """Let the event happen."""
        ...


class Parts(NamedTuple):
    """What the rooms bring into every workspace: their machines, and who listens to which kind of event."""

    lifecycles: Mapping[str, Firing] = MappingProxyType({})
    listeners: Mapping[type, Sequence[Listener]] = MappingProxyType({})


class Limits(NamedTuple):
    """How much a workspace keeps."""

    mailbox: int = 1_000
    journal: int = 1_000
    journal_bytes: int = 4 * 1024 * 1024
    snapshots: int = 100


class Origin(NamedTuple):
    """What a workspace was made from, and what a reset makes it from again."""

    #: A name, or a document.
    scenario: object = ""
    #: Another seed than the scenario's.
    seed: int | None = None
    #: The keys of its own; None: those of the scenario.
    keyring: Keyring | None = None


class Snapshot(NamedTuple):
    """A moment of a workspace, to return to."""

    name: str
    at: datetime
    document: Mapping[str, Any]
    mailbox: Mailbox


#: What a workspace keeps, whatever it is made to stand like.
_LASTING = frozenset({"name", "lock", "watchers", "on_key", "meter", "snapshots", "feed"})
#: What goes on when a state is put in its place; the draws are those of the ids that journal and mailbox hold.
_GOING_ON = ("origin", "scenario", "journal", "coverage")
NOTED_DRAWS = ("request", "mail")


class Workspace(Shelf):
    """Accounts, clock, randomness, timers, mailbox, faults and journal of one world."""

    def __init__(  # noqa: PLR0913  # what a scenario says at its top, by keyword
        self,
        name: str,
        *,
        parts: Parts,
        clock: Clock,
        seed: int = 0,
        scenario: str = "",
        description: str = "",
        solution: str = "v2",
        strict: bool = False,
        behaviour: Behaviour | None = None,
        limits: Limits | None = None,
        origin: Origin | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.origin = origin or Origin()
        self.limits = limits or Limits()
        self.parts = parts
        self.clock = clock
        self.random = Randomness(seed, name)
        self.scenario = scenario
        self.description = description
        self.solution = solution
        self.strict = strict
        self.behaviour = behaviour or Behaviour()
        self.accounts: dict[int, Account] = {}
        #: Which account an API key opens.
        self.keys: dict[str, int] = {}
        self.revoked_keys: set[str] = set()
        #: Called with every key that opens an account from now on.
        self.on_key: Callable[[str], None] = lambda key: None
        #: The last id given out, by kind.
        self.last_ids: defaultdict[str, int] = defaultdict(int)
        self.timers = Timers()
        self.mailbox = Mailbox(self.limits.mailbox)
        self.faults = Faults()
        self.journal = Journal(self.limits.journal, self.limits.journal_bytes)
        self.coverage = Coverage()
        self.feed = Feed()
        #: The server's, once it has adopted the workspace.
        self.meter = Meter()
        self.snapshots: dict[str, Snapshot] = {}
        #: Held for one short step of a request; nothing waits while it holds it.
        self.lock = threading.RLock()
        #: Called after everything that happens, by whoever waits for it.
        self.watchers: set[Callable[[], None]] = set()
        #: The changes since `collect_changes`, for one request or one move of the clock; None: nobody asks for them.
        self._changes: list[Changed] | None = None

    # ------------------------------------------------------------------ standing like another one

    def go_on_from(self, before: Workspace) -> None:
        """Carry on what another one has noted, so that no id comes twice in it."""
        for name in _GOING_ON:
            setattr(self, name, getattr(before, name))
        for purpose in NOTED_DRAWS:
            self.random.positions[purpose] = before.random.positions.get(purpose, 0)

    def become(self, fresh: Workspace) -> None:
        """Stand as another one does, in its own place: whoever holds this one, or waits in it, sees the new state."""
        state = {name: value for name, value in vars(fresh).items() if name not in _LASTING}
        vars(self).update(state)

    # ------------------------------------------------------------------ accounts and keys

    def add_account(self, account: Account) -> None:
        self.accounts[account.id] = account
        self.claim_id("account", account.id)
        for key in account.api_keys:
            self.keys[key] = account.id
        self.revoked_keys.update(account.revoked_keys)

    def add_key(self, account: Account, key: str) -> None:
        """Let a key that the service has made open an account."""
        account.api_keys.append(key)
        self.keys[key] = account.id
        if self.origin.keyring is not None:
            self.origin.keyring.add(key)
        self.on_key(key)

    def draw_api_key(self) -> str:
        """A new API key, of the form of ledger 2.30."""
        return api_key(self.random.secret("api_key", 64, "0123456789abcdef"))

    def revoke_key(self, key: str) -> None:
        """Refuse a key from now on, known or not."""
        self.revoked_keys.add(key)
        self.on_key(key)

    def remove_account(self, account: Account) -> None:
        """Drop an account with all its rows and timers; its keys are refused from now on."""
        del self.accounts[account.id]
        for key in account.api_keys:
            del self.keys[key]
            self.revoked_keys.add(key)
        self.timers.cancel_account(account.id)

    def account_of(self, key: str) -> Account | None:
        """The account that an API key opens."""
        number = self.keys.get(key)
        return None if number is None else self.accounts.get(number)

    @property
    def first_account(self) -> Account:
        return next(iter(self.accounts.values()))

    def master_of(self, account: Account) -> Account | None:
        """The master account of an admin account or a sub-account; a master is its own."""
        if account.role is Role.MASTER:
            return account
        return next((other for other in self.accounts.values() if other.name == account.of), None)

    # ------------------------------------------------------------------ identifiers

    def next_id(self, kind: str) -> int:
        """A number that no row of this kind has had."""
        self.last_ids[kind] += 1
        return self.last_ids[kind]

    def claim_id(self, kind: str, number: int) -> None:
        """Count on past a number that a scenario gives."""
        self.last_ids[kind] = max(self.last_ids[kind], number)

    # ------------------------------------------------------------------ events and time

    def publish(self, event: object) -> None:
        """Tell whoever listens to this kind of event."""
        if isinstance(event, Changed):
            if self._changes is not None:
                self._changes.append(event)
            self.coverage.add_transition(event)
            self.feed.add("transition", event)
        for listener in self.parts.listeners.get(type(event), ()):
            listener(self, event)
        self.wake()

    def collect_changes(self) -> list[Changed]:
        """The list to which the changes from now on are added, until an exchange is noted."""
        changes: list[Changed] = []
        self._changes = changes
        return changes

    def send(self, mail: Mail) -> None:
        self.mailbox.add(mail)
        self.meter.add_mail()
        self.feed.add("mail", mail)
        self.publish(mail)

    def note(self, exchange: Exchange) -> None:
        """Write down an exchange that is over."""
        self._changes = None
        if evicted := self.journal.add(exchange):
            self.meter.add_evicted(evicted)
        self.coverage.add(exchange)
        self.feed.add("request", exchange, len(exchange.body) + len(exchange.answer_body))
        self.wake()

    def wake(self) -> None:
        """Let those who wait look again."""
        for watcher in tuple(self.watchers):
            watcher()

    def add_faults(self, faults: Sequence[Fault]) -> None:
        """Let rules apply, behind those that are there; one without an id gets one that no other has."""
        taken = {fault.id for fault in (*self.faults, *faults)}
        for fault in faults:
            while not fault.id:
                drawn = f"fault-{self.next_id('fault')}"
                fault.id = "" if drawn in taken else drawn
            self.faults.add(fault)

    def catch_up(self) -> None:
        """Fire what is due by now, each at its own moment."""
        while timer := self.timers.take_due(self.clock.now()):
            with self.clock.pinned(timer.moment):
                self._fire(timer)

    def advance_to(self, moment: datetime) -> list[Changed]:
        """Move the clock, firing each timer at its own moment on the way; answers the timed events that happened.

        Raises:
            ClockError: the moment lies in the past, or beyond the years of the clock.
        """
        self.clock.check(moment)
        happened = self.collect_changes()
        while timer := self.timers.take_due(moment):
            self.clock.move_to(timer.moment)
            self._fire(timer)
        self.clock.move_to(moment)
        self._changes = None
        lifecycles = self.parts.lifecycles
        return [change for change in happened if change.event in lifecycles[change.machine].machine.timed]

    def _fire(self, timer: Timer) -> None:
        """Fire a timer's event, unless its instance is gone or has moved on."""
        lifecycle = self.parts.lifecycles[timer.machine]
        account = self.accounts.get(timer.account)
        row = account.table(lifecycle.row).get(timer.key) if account else None
        if account is not None and row is not None and lifecycle.applies(row, timer.event):
            lifecycle.fire(self, account, row, timer.event)

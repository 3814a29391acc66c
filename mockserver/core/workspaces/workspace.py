"""A workspace: one private copy of the service. Everything that changes hangs on it."""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from mockserver.core.contract.operation import Role
from mockserver.core.state.account import Account
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.state.keys import api_key
from mockserver.core.state.layer import LayeredSet, shown
from mockserver.core.state.randomness import Randomness
from mockserver.core.state.tables import Row, Tables, Tally
from mockserver.core.time.clock import Clock
from mockserver.core.time.state_machine import StateMachine
from mockserver.core.time.timers import Timer, Timers
from mockserver.core.time.transition import Changed
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.faults import Fault, Faults, draws
from mockserver.core.traffic.feed import Feed
from mockserver.core.traffic.journal import Journal
from mockserver.core.traffic.mailbox import Mail, Mailbox
from mockserver.core.traffic.meter import Meter
from mockserver.core.traffic.receivers import Receivers
from mockserver.core.workspaces.effects import Effects, NoEffects
from mockserver.core.workspaces.jobs import Jobs
from mockserver.core.workspaces.origin import Origin, Snapshot, WorkspaceLimits
from mockserver.core.workspaces.outgoing_mail import post
from mockserver.core.workspaces.turn import Turn
from mockserver.core.workspaces.watchers import Watchers

_LOG = logging.getLogger(__name__)

Listener = Callable[["Workspace", Any], None]


class Firing(Protocol):
    """What a workspace needs of a lifecycle to fire its timers."""

    machine: StateMachine
    row: type[Any]

    def fall_due(self, workspace: Workspace, account: Account, row: Any, event: str) -> None:
        """Let what a timer is for begin: the event, or something that leads to one."""
        ...


class Parts(NamedTuple):
    """What the resources bring into every workspace: their machines, and who listens to which kind of event."""

    lifecycles: Mapping[str, Firing] = MappingProxyType({})
    listeners: Mapping[type, Sequence[Listener]] = MappingProxyType({})


#: What a workspace keeps, whatever it is made to stand like.
_LASTING = frozenset(
    {"name", "lock", "changing", "watchers", "on_key", "effects", "meter", "snapshots", "feed", "counted"}
)
#: What goes on when a state is put in its place; the draws are those of the ids that journal and mailbox hold.
_GOING_ON = ("origin", "scenario", "journal", "coverage", "receivers")
NOTED_DRAWS = ("request", "mail")
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


class Workspace(Tables):
    """Accounts, clock, randomness, timers, mailbox, faults and journal of one workspace."""

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
        limits: WorkspaceLimits | None = None,
        origin: Origin | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.origin = origin or Origin()
        self.limits = limits or WorkspaceLimits()
        self.parts = parts
        self.clock = clock
        self.random = Randomness(seed, name)
        self.scenario = scenario
        self.description = description
        self.solution = solution
        self.strict = strict
        self.behaviour = behaviour or Behaviour()
        self.accounts: MutableMapping[int, Account] = {}
        #: Which account an API key opens.
        self.keys: MutableMapping[str, int] = {}
        self.revoked_keys: set[str] | LayeredSet[str] = set()
        self.tally = Tally(self.limits.rows, beside=(self.keys, self.revoked_keys))
        #: How many bytes the documents take that it was made of, or has got added.
        self.document_bytes = 0
        #: Called with every key that opens an account from now on.
        self.on_key: Callable[[str], None] = lambda key: None
        #: The last id given out, by kind.
        self.last_ids: defaultdict[str, int] = defaultdict(int)
        #: The highest one that a scenario has given, of any kind; counting on does not get far from there.
        self._highest_id = 0
        self.timers = Timers()
        self.mailbox = Mailbox(self.limits.mailbox, self.limits.mailbox_bytes)
        self.faults = Faults()
        self.journal = Journal(self.limits.journal, self.limits.journal_bytes)
        self.coverage = Coverage()
        #: Whether what is met here counts for the whole server, and requests stand in its log.
        self.counted = True
        self.feed = Feed(self.limits.feed, self.limits.feed_bytes)
        #: The request of the API that is being answered.
        self.answering: Exchange | None = None
        #: The server's, once it has adopted the workspace.
        self.meter = Meter()
        self.snapshots: dict[str, Snapshot] = {}
        self.receivers = Receivers(self.limits.receivers, self.limits.receivers_bytes)
        #: How many deliveries had to go for newer ones.
        self.evicted_deliveries = 0
        #: The server's, once it has adopted the workspace.
        self.effects: Effects = NoEffects()
        #: What is under way outside.
        self.jobs = Jobs()
        #: For which timer it was last asked to be watched.
        self._watched: Timer | None = None
        #: The ids of all accounts by name, and those of master accounts, of which none ever goes.
        self.names: MutableMapping[str, int] = {}
        self.masters: MutableMapping[str, int] = {}
        #: Held for one short step of a request; nothing waits while it holds it.
        self.lock = threading.RLock()
        #: Held while a state is made for it, of which only the last short step is done under `lock`; taken before that.
        self.changing = Turn()
        #: Who waits for something to happen here.
        self.watchers = Watchers()
        #: Those who collect the changes from now on, for one request or one move of the clock.
        self._collectors: tuple[list[Changed], ...] = ()

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
        self.jobs.clear()
        vars(self).update(state)

    def rows(self) -> int:
        """How many rows stand in it, which is about what it costs to make, write and drop it."""
        return self.count() + sum(account.count() for account in tuple(self.accounts.values()))

    def kept(self) -> int:
        """How many rows stand in it that count: all that have no limit of their own, accounts and keys included."""
        return self.tally.kept()

    def full(self, added: int = MOST_ADDED) -> str | None:
        """Why so many rows cannot be added; None: there is room for them."""
        if self._highest_id > LAST_ID - _ROOM_FOR_IDS:
            return f"ids go up to {LAST_ID:,}, and there is one of {self._highest_id:,}"
        kept = self.kept()
        if kept + added <= self.limits.rows:
            return None
        return f"the workspace has {kept:,} rows, and there may be {self.limits.rows:,} (--rows-limit)"

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

    def add_key(self, account: Account, key: str) -> None:
        """Let a key that the service has made open an account."""
        account.api_keys.append(key)
        self.keys[key] = account.id
        if self.origin.keyring is not None:
            self.origin.keyring.add(key)
        self.on_key(key)

    def draw_api_key(self) -> str:
        """A new API key, of the form of ledger 2.30; a state may hold some that are drawn only from here on."""
        while True:
            key = api_key(self.random.secret("api_key", 64, "0123456789abcdef"))
            if self.is_free_key(key):
                return key

    def is_free_key(self, key: str) -> bool:
        """Whether a key opens no account, and never has."""
        return key not in self.keys and key not in self.revoked_keys

    def revoke_key(self, key: str) -> None:
        """Refuse a key from now on, known or not."""
        self.revoked_keys.add(key)
        self.on_key(key)

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
        self.jobs.cancel_account(account.id)

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
        """Whether there is a number for one more of what is made in passing; without one it has to be left out.

        What nobody asks for cannot be refused, and one past the last id could not be loaded again.
        """
        if self.last_ids.get(kind, 0) < LAST_ID:
            return True
        _LOG.warning("workspace %s has no id left for another %s: they go up to %s", self.name, kind, LAST_ID)
        return False

    def claim_id(self, kind: str, number: int) -> None:
        """Count on past a number that a scenario gives."""
        self.last_ids[kind] = max(self.last_ids[kind], number)
        self._highest_id = max(self._highest_id, number)

    # ------------------------------------------------------------------ events and time

    def publish(self, event: object) -> None:
        """Tell whoever listens to this kind of event."""
        if isinstance(event, Changed):
            for changes in self._collectors:
                changes.append(event)
            self.coverage.add_transition(event)
            self.feed.add("transition", event)
        for listener in self.parts.listeners.get(type(event), ()):
            listener(self, event)
        self.watchers.tell("mail" if isinstance(event, Mail) else "transition")

    def collect_changes(self) -> list[Changed]:
        """A list to which the changes from now on are added, until `stop_collecting`."""
        changes: list[Changed] = []
        self._collectors = (*self._collectors, changes)
        return changes

    def stop_collecting(self, changes: list[Changed]) -> None:
        self._collectors = tuple(other for other in self._collectors if other is not changes)

    @property
    def cause(self) -> str | None:
        """The id of the request that is being answered, and causes what happens now; None: no request does."""
        return None if self.answering is None else self.answering.id

    def send(self, mail: Mail) -> None:
        """Let an e-mail leave."""
        self.mailbox.add(mail)
        self.meter.add_mail()
        self.feed.add("mail", mail, mail.size)
        post(self, mail)
        self.publish(mail)

    def note(self, exchange: Exchange) -> None:
        """Write down an exchange that is over."""
        if evicted := self.journal.add(exchange):
            self.meter.add_evicted(evicted)
        self.coverage.add(exchange)
        self.feed.add("request", exchange, exchange.size)
        self.watchers.tell("request")

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

    def catch_up(self) -> None:
        """Fire what is due by now, each at its own moment."""
        while (timer := self.timers.next()) is not None and timer.moment <= self.clock.now():
            self.timers.take(timer)
            self._fire(timer)
        if timer is not self._watched:
            self.watch()

    def watch(self) -> None:
        """Let time go on by itself: the next timer, or the clock, is another one."""
        self._watched = self.timers.next()
        self.effects.watch(self)

    def fire_next(self, moment: datetime) -> bool:
        """Move the clock to the next timer that is due by a moment, and fire it; whether there was one."""
        timer = self.timers.take_due(moment)
        if timer is not None:
            self.clock.move_to(timer.moment)
            self._fire(timer)
        return timer is not None

    def _fire(self, timer: Timer) -> None:
        """Let what a timer is for begin, at its own moment, unless its instance is gone."""
        lifecycle = self.parts.lifecycles[timer.machine]
        account = self.accounts.get(timer.account)
        row = account.table(lifecycle.row).get(timer.key) if account else None
        if account is not None and row is not None:
            try:
                with self.clock.pinned(timer.moment):
                    lifecycle.fall_due(self, account, row, timer.event)
            except Exception:  # noqa: BLE001  # whoever comes by has nothing to do with it, and others are due
                _LOG.exception(
                    "%s of %s %s has failed in workspace %s", timer.event, timer.machine, timer.key, self.name
                )

    def forget_jobs(self) -> None:
        """Let nothing leave any more: the workspace is gone."""
        self.timers = Timers()
        self.jobs.clear()
        self.mailbox = Mailbox(self.limits.mailbox, self.limits.mailbox_bytes)

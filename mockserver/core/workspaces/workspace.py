"""A workspace: one private copy of the service, which holds everything that changes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from mockserver.core.effects.effects import Effects, NoEffects
from mockserver.core.effects.jobs import Jobs
from mockserver.core.state.account import Account
from mockserver.core.state.state import LAST_ID, State
from mockserver.core.state.trial import above
from mockserver.core.time.state_machine import StateMachine
from mockserver.core.time.timers import Timer, Timers
from mockserver.core.time.transition import Changed
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.feed import Feed
from mockserver.core.traffic.journal import Journal
from mockserver.core.traffic.meter import Meter
from mockserver.core.traffic.receivers import Receivers
from mockserver.core.waiting.turn import Turn
from mockserver.core.waiting.watchers import Watchers
from mockserver.core.workspaces.origin import Origin, Snapshot, WorkspaceLimits
from mockserver.core.workspaces.record_ids import RecordIds
from mockserver.settings import Settings

_LOG = logging.getLogger(__name__)

#: Is called with the workspace and the transition that it listens to.
Listener = Callable[["Workspace", Changed], None]


class Firing(Protocol):
    """What a workspace needs of a lifecycle in order to fire timers."""

    machine: StateMachine
    row: type[Any]

    def fall_due(self, workspace: Workspace, account: Account, row: Any, event: str) -> None:
        """Start what a timer is for: its event, or work that leads to an event."""
        ...


class Parts(NamedTuple):
    """What the resources add to every workspace: lifecycles by machine, and listeners by machine and event."""

    lifecycles: Mapping[str, Firing] = MappingProxyType({})
    listeners: Mapping[tuple[str, str], Sequence[Listener]] = MappingProxyType({})


class Workspace:
    """A state, and what only a running workspace has: journal, coverage, feed, receivers, jobs, watchers and locks."""

    def __init__(
        self,
        name: str,
        state: State,
        *,
        parts: Parts,
        limits: WorkspaceLimits | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.name = name
        #: What a scenario describes; it is replaced as a whole.
        self.state = state
        self.parts = parts
        self.limits = limits or WorkspaceLimits.of(Settings())
        self.origin = origin or Origin()
        #: Called with every key that is added or revoked.
        self.on_key: Callable[[str], None] = lambda key: None
        #: Draws the ids of requests and e-mails.
        self.ids = RecordIds(state.random.seed, name)
        self.journal = Journal(self.limits.journal, self.limits.journal_bytes)
        self.coverage = Coverage()
        #: Whether coverage and requests here count in the coverage and the log of the server.
        self.counted = True
        self.feed = Feed(self.limits.feed, self.limits.feed_bytes)
        #: The exchange of the API request that is being answered, or None.
        self.answering: Exchange | None = None
        #: The meter of the server, once its store holds the workspace.
        self.meter = Meter()
        self.snapshots: dict[str, Snapshot] = {}
        self.receivers = Receivers(self.limits.receivers, self.limits.receivers_bytes)
        #: The effects of the server, once its store holds the workspace.
        self.effects: Effects = NoEffects()
        #: The outgoing calls that are under way.
        self.jobs = Jobs()
        #: The next timer when `effects.watch` was last called.
        self._watched: Timer | None = None
        #: How often the sending of e-mails was called off, except for those that are still in the mailbox.
        self.mail_generation = 0
        #: Held for one short step of a request; nothing waits while it holds it.
        self.lock = threading.RLock()
        #: Held while a new state is made, which only at the end is put in place under `lock`; taken before that one.
        self.changing = Turn()
        #: Called when something happens here.
        self.watchers = Watchers()
        #: The lists that collect transitions, each for one request or one move of the clock, by their identity.
        self._collectors: dict[int, list[Changed]] = {}

    # ------------------------------------------------------------------ another state

    def put(self, state: State) -> None:
        """Replace the state, and cancel all jobs; journal, coverage, feed and receivers stay.

        The ids of exchanges and e-mails go on, so that none is used twice.
        """
        self.jobs.clear()
        self.state = state
        self.ids.follow(state.random.seed)
        self.answering = None
        self._watched = None
        self._collectors = {}

    def begin_anew(self, fresh: Workspace) -> None:
        """Take over state, origin and records of a new workspace, which no other thread has seen."""
        self.put(fresh.state)
        self.call_off_mails()
        self.origin = fresh.origin
        self.ids = fresh.ids
        self.journal = fresh.journal
        self.coverage = fresh.coverage
        self.receivers = fresh.receivers

    def call_off_mails(self) -> None:
        """Stop sending the e-mails that are no longer in the mailbox."""
        self.mail_generation += 1

    def trial(self) -> Workspace:
        """A workspace above this one, to be made and used under the lock; rows are copied when they are first read.

        It has no timers, jobs or effects, and nothing that happens in it changes this workspace.
        """
        origin, keyring = self.origin, self.origin.keyring
        if keyring is not None:
            origin = origin._replace(keyring=keyring.copy())
        return Workspace(self.name, above(self.state), parts=self.parts, limits=self.limits, origin=origin)

    # ------------------------------------------------------------------ accounts and keys

    def add_key(self, account: Account, key: str) -> None:
        """Let a key open an account."""
        account.api_keys.append(key)
        self.state.keys[key] = account.id
        if self.origin.keyring is not None:
            self.origin.keyring.add(key)
        self.on_key(key)

    def revoke_key(self, key: str) -> None:
        """Refuse a key from now on, whether an account has it or not."""
        self.state.revoked_keys.add(key)
        self.on_key(key)

    def remove_account(self, account: Account) -> None:
        """Drop an account with all its rows, timers and jobs; its keys are refused from now on."""
        self.state.remove_account(account)
        self.jobs.cancel_account(account.id)

    # ------------------------------------------------------------------ identifiers

    def has_another_id(self, kind: str) -> bool:
        """Whether an id is left for one more row of a kind; if not, a warning is logged, and the row is to be left out.

        It is for rows that no client asks for, such as deliveries, so that there is no request to refuse.
        """
        if self.state.has_another_id(kind):
            return True
        _LOG.warning("workspace %s has no id left for another %s: they go up to %s", self.name, kind, LAST_ID)
        return False

    # ------------------------------------------------------------------ events and time

    def publish(self, change: Changed) -> None:
        """Add a transition to coverage and feed, and tell who listens to it."""
        for changes in self._collectors.values():
            changes.append(change)
        self.coverage.add_transition(change)
        self.feed.add("transition", change)
        for listener in self.parts.listeners.get((change.machine, change.event), ()):
            listener(self, change)
        self.watchers.tell("transition")

    def collect_changes(self) -> list[Changed]:
        """A list to which all transitions are added until `stop_collecting` is called with it."""
        changes: list[Changed] = []
        self._collectors[id(changes)] = changes
        return changes

    def stop_collecting(self, changes: list[Changed]) -> None:
        self._collectors.pop(id(changes), None)

    @property
    def cause(self) -> str | None:
        """The id of the API request that is being answered, or None; it is the cause of what happens now."""
        return None if self.answering is None else self.answering.id

    def note(self, exchange: Exchange) -> int:
        """Add an exchange that is over to journal, coverage and feed; returns how many it has evicted."""
        evicted = self.journal.add(exchange)
        self.coverage.add(exchange)
        self.feed.add("request", exchange, exchange.size)
        self.watchers.tell("request")
        return evicted

    def catch_up(self) -> datetime:
        """Fire the timers that are due by now, each at its own moment; returns the moment by which none is due."""
        now = self.state.clock.now()
        while (timer := self.state.timers.next()) is not None and timer.moment <= now:
            self.state.timers.take(timer)
            self._fire(timer)
            now = self.state.clock.now()
        if timer is not self._watched:
            self.watch()
        return now

    def watch(self) -> None:
        """Have the next timer fired when it is due; to be called when the timers or the clock have changed."""
        self._watched = self.state.timers.next()
        self.effects.watch(self)

    def fire_next(self, moment: datetime) -> bool:
        """Move the clock to the next timer and fire it; False if none is due by `moment`."""
        timer = self.state.timers.take_due(moment)
        if timer is not None:
            self.state.clock.move_to(timer.moment)
            self._fire(timer)
        return timer is not None

    def _fire(self, timer: Timer) -> None:
        """Start what a timer is for, at its own moment, unless its instance is gone."""
        lifecycle = self.parts.lifecycles[timer.machine]
        account = self.state.accounts.get(timer.account)
        row = account.table(lifecycle.row).get(timer.key) if account else None
        if account is not None and row is not None:
            try:
                with self.state.clock.pinned(timer.moment):
                    lifecycle.fall_due(self, account, row, timer.event)
            except Exception:  # noqa: BLE001  # the request at hand is not to blame, and other timers are due
                _LOG.exception(
                    "%s of %s %s has failed in workspace %s", timer.event, timer.machine, timer.key, self.name
                )

    def forget_jobs(self) -> None:
        """Drop timers, e-mails and jobs: the workspace is gone, and nothing may leave it any more."""
        self.state.timers = Timers()
        self.state.mailbox.clear()
        self.jobs.clear()
        self.call_off_mails()

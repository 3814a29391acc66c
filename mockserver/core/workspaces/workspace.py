"""A workspace: one private copy of the service. Everything that changes hangs on it."""

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
from mockserver.core.traffic.mailbox import Mail
from mockserver.core.traffic.meter import Meter
from mockserver.core.traffic.receivers import Receivers
from mockserver.core.waiting.turn import Turn
from mockserver.core.waiting.watchers import Watchers
from mockserver.core.workspaces.origin import Origin, Snapshot, WorkspaceLimits
from mockserver.core.workspaces.record_ids import RecordIds
from mockserver.settings import Settings

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


class Workspace:
    """A state, and what a running workspace has besides: what it has noted, who waits, and what is under way."""

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
        #: What a scenario describes; another one takes its place at once.
        self.state = state
        self.parts = parts
        self.limits = limits or WorkspaceLimits.of(Settings())
        self.origin = origin or Origin()
        #: Called with every key that opens an account from now on.
        self.on_key: Callable[[str], None] = lambda key: None
        #: The ids of what journal and mailbox hold.
        self.ids = RecordIds(state.random.seed, name)
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
        #: The server's, once it has adopted the workspace.
        self.effects: Effects = NoEffects()
        #: What is under way outside.
        self.jobs = Jobs()
        #: For which timer it was last asked to be watched.
        self._watched: Timer | None = None
        #: How often e-mails on their way out were called off, but for those that stand in the mailbox still.
        self.mail_generation = 0
        #: Held for one short step of a request; nothing waits while it holds it.
        self.lock = threading.RLock()
        #: Held while a state is made for it, of which only the last short step is done under `lock`; taken before that.
        self.changing = Turn()
        #: Who waits for something to happen here.
        self.watchers = Watchers()
        #: Those who collect the changes from now on, for one request or one move of the clock.
        self._collectors: tuple[list[Changed], ...] = ()

    # ------------------------------------------------------------------ another state

    def put(self, state: State) -> None:
        """Let another state take the place of this one; what was noted so far goes on, what is under way is called off.

        Ids go on too, so that none comes twice in journal and mailbox.
        """
        self.jobs.clear()
        self.state = state
        self.ids.follow(state.random.seed)
        self.answering = None
        self._watched = None
        self._collectors = ()

    def begin_anew(self, fresh: Workspace) -> None:
        """Take over what was made from the origin of another workspace, which nobody else has seen."""
        self.put(fresh.state)
        self.call_off_mails()
        self.origin = fresh.origin
        self.ids = fresh.ids
        self.journal = fresh.journal
        self.coverage = fresh.coverage
        self.receivers = fresh.receivers

    def call_off_mails(self) -> None:
        """Let those e-mails be sent no more that do not stand in the mailbox."""
        self.mail_generation += 1

    def trial(self) -> Workspace:
        """One that looks the same, to be made and used under the lock; it costs what is looked at in it.

        It has neither timers nor jobs, nothing leaves it, and nothing that happens in it reaches this one.
        """
        origin, keyring = self.origin, self.origin.keyring
        if keyring is not None:
            origin = origin._replace(keyring=keyring.copy())
        return Workspace(self.name, above(self.state), parts=self.parts, limits=self.limits, origin=origin)

    # ------------------------------------------------------------------ accounts and keys

    def add_key(self, account: Account, key: str) -> None:
        """Let a key that the service has made open an account."""
        account.api_keys.append(key)
        self.state.keys[key] = account.id
        if self.origin.keyring is not None:
            self.origin.keyring.add(key)
        self.on_key(key)

    def revoke_key(self, key: str) -> None:
        """Refuse a key from now on, known or not."""
        self.state.revoked_keys.add(key)
        self.on_key(key)

    def remove_account(self, account: Account) -> None:
        """Drop an account with all its rows, timers and jobs; its keys are refused from now on."""
        self.state.remove_account(account)
        self.jobs.cancel_account(account.id)

    # ------------------------------------------------------------------ identifiers

    def has_another_id(self, kind: str) -> bool:
        """Whether there is a number for one more of what is made in passing; without one it has to be left out.

        What nobody asks for cannot be refused, and one past the last id could not be loaded again.
        """
        if self.state.has_another_id(kind):
            return True
        _LOG.warning("workspace %s has no id left for another %s: they go up to %s", self.name, kind, LAST_ID)
        return False

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

    def note(self, exchange: Exchange) -> None:
        """Write down an exchange that is over."""
        if evicted := self.journal.add(exchange):
            self.meter.add_evicted(evicted)
        self.coverage.add(exchange)
        self.feed.add("request", exchange, exchange.size)
        self.watchers.tell("request")

    def catch_up(self) -> None:
        """Fire what is due by now, each at its own moment."""
        while (timer := self.state.timers.next()) is not None and timer.moment <= self.state.clock.now():
            self.state.timers.take(timer)
            self._fire(timer)
        if timer is not self._watched:
            self.watch()

    def watch(self) -> None:
        """Let time go on by itself: the next timer, or the clock, is another one."""
        self._watched = self.state.timers.next()
        self.effects.watch(self)

    def fire_next(self, moment: datetime) -> bool:
        """Move the clock to the next timer that is due by a moment, and fire it; whether there was one."""
        timer = self.state.timers.take_due(moment)
        if timer is not None:
            self.state.clock.move_to(timer.moment)
            self._fire(timer)
        return timer is not None

    def _fire(self, timer: Timer) -> None:
        """Let what a timer is for begin, at its own moment, unless its instance is gone."""
        lifecycle = self.parts.lifecycles[timer.machine]
        account = self.state.accounts.get(timer.account)
        row = account.table(lifecycle.row).get(timer.key) if account else None
        if account is not None and row is not None:
            try:
                with self.state.clock.pinned(timer.moment):
                    lifecycle.fall_due(self, account, row, timer.event)
            except Exception:  # noqa: BLE001  # whoever comes by has nothing to do with it, and others are due
                _LOG.exception(
                    "%s of %s %s has failed in workspace %s", timer.event, timer.machine, timer.key, self.name
                )

    def forget_jobs(self) -> None:
        """Let nothing leave any more: the workspace is gone."""
        self.state.timers = Timers()
        self.state.mailbox.clear()
        self.jobs.clear()
        self.call_off_mails()

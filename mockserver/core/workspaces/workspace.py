"""A workspace: one private copy of the service with all changing data."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from time import time
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, Self

from mockserver.core.contract.errors import no_room
from mockserver.core.effects import Effects, Jobs, NoEffects
from mockserver.core.state.identifiers import Keyring, RecordIds
from mockserver.core.state.state import LAST_ID, Account, State, dry_run
from mockserver.core.time.clock import Key, Timer, TimerId, Timers, written_moment
from mockserver.core.time.state_machine import StateMachine
from mockserver.core.traffic.causes import (
    CONTROL,
    CURRENT_CALL,
    DELIVERY,
    MOST_TRANSITIONS,
    TIMER,
    By,
    CallRecord,
    Cause,
    Changed,
    FiredTimer,
    History,
    Link,
    Links,
    Thing,
)
from mockserver.core.traffic.coverage import Coverage, Meter
from mockserver.core.traffic.exchange import Exchange, Held, Journal
from mockserver.core.traffic.mail import Mailbox
from mockserver.core.traffic.receivers import Receivers
from mockserver.core.traffic.ring import Feed, Ring
from mockserver.core.waiting import Watchers, at_once
from mockserver.settings import Settings

_LOG = logging.getLogger(__name__)
#: The number of links for each request of the journal. Chosen: few requests cause more effects.
_LINKS_PER_REQUEST = 10

#: Is called with the workspace and the transition.
Listener = Callable[["Workspace", Changed], None]


class WorkspaceLimits(NamedTuple):
    """A workspace's limits, each named like its setting without `_limit`."""

    rows: int
    documents_bytes: int
    mailbox: int
    mailbox_bytes: int
    journal: int
    journal_bytes: int
    feed: int
    feed_bytes: int
    history: int
    snapshots: int
    snapshots_bytes: int
    #: Of one account.
    deliveries: int
    #: Of all accounts.
    deliveries_bytes: int
    stored_bytes: int
    #: Calls of all receivers together.
    receivers: int
    receivers_bytes: int

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(*(getattr(settings, f"{name}_limit") for name in cls._fields))


class Origin(NamedTuple):
    #: The name of a scenario, or a document.
    scenario: object = ""
    #: The name of the scenario for users.
    title: str = ""
    #: The seed, or None for the seed of the scenario.
    seed: int | None = None
    #: Makes the keys of the workspace, or None if it has the keys of the scenario.
    keyring: Keyring | None = None


class Snapshot(NamedTuple):
    """A workspace's state at a moment, for restoring."""

    name: str
    at: datetime
    document: Mapping[str, Any]
    mailbox: Mailbox
    #: The bytes of the snapshot in memory.
    size: int = 0


class Firing(Protocol):
    """The part of a lifecycle that fires timers."""

    machine: StateMachine
    row: type[Any]

    def fall_due(self, workspace: Workspace, account: Account, row: Any, event: str) -> None:
        """Fire the event of a timer, or start work that leads to an event."""
        ...


class Parts(NamedTuple):
    """What the resources add to every workspace: lifecycles by machine, and listeners by machine and event."""

    lifecycles: Mapping[str, Firing] = MappingProxyType({})
    listeners: Mapping[tuple[str, str], Sequence[Listener]] = MappingProxyType({})
    #: Resume the calls that were under way when a workspace left the memory.
    resumers: Sequence[Callable[[Workspace], None]] = ()
    #: The machines whose events may take too long for the event loop.
    long_machines: frozenset[str] = frozenset()


def _nothing(_: object) -> None:
    """Do nothing: a workspace that no store holds is open to its owner alone."""


class Queued:
    """Marks an e-mail in the queue of this server."""

    #: Whether the step that has queued it is saved, so that it is sent.
    is_under_way = False


class Access:
    """The way to one workspace, for storages: a step takes it, or the writer of its changes."""

    __slots__ = ("_lock", "is_gone", "saved", "step")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: The step that has the workspace, or None.
        self.step: object = None
        #: What a storage keeps of the saved copy, or None.
        self.saved: Any = None
        #: Whether the workspace has left the memory: a step that waited for it looks it up again.
        self.is_gone = False

    def take(self, patience_s: float = 0) -> bool:
        """Return whether the workspace was taken within so many seconds; -1 waits for ever."""
        return self._lock.acquire(timeout=patience_s)

    def give_back(self) -> None:
        self.step = None
        self._lock.release()

    def leave(self) -> None:
        """Note that the workspace has left the memory."""
        self.saved, self.is_gone = None, True


class Workspace:
    """A state with its journal, coverage, feed, history, receivers and jobs, which one step at a time uses."""

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
        #: In real time; a reset does not change it.
        self.made_at = datetime.now(UTC)
        #: The id of its test, or another text for users, and how that test ended; empty if unknown. Resets keep both.
        self.label = self.outcome = ""
        #: What a scenario describes; it is replaced as a whole.
        self.state = state
        self.parts = parts
        self.limits = limits or WorkspaceLimits.of(Settings())
        self.origin = origin or Origin()
        #: Called with every key that is added or revoked.
        self.on_key: Callable[[str], None] = lambda key: None
        self.ids = RecordIds(state.random.seed, name)
        self.journal = Journal(self.limits.journal, self.limits.journal_bytes)
        self.coverage = Coverage()
        #: Whether coverage and requests count in the coverage and the log of the server.
        self.counted = True
        self.links = Links(self.limits.journal * _LINKS_PER_REQUEST)
        #: The last timers that have fired, and the last control calls that have changed something.
        self.fired = Ring[FiredTimer](self.limits.journal, self.limits.journal_bytes)
        self.calls = Ring[CallRecord](self.limits.journal, self.limits.journal_bytes)
        self.feed = Feed(self.limits.feed, self.limits.feed_bytes)
        self.history = History(self.limits.history)
        #: The moment to which it was caught up last.
        self.now = state.clock.now()
        #: The exchange of the API request that is being answered, or None.
        self.answering: Exchange | None = None
        #: The cause that `caused_by` sets.
        self._by: By | None = None
        self.snapshots: dict[str, Snapshot] = {}
        self.receivers = Receivers(self.limits.receivers, self.limits.receivers_bytes)
        #: The meter and the effects of the server, once its store holds the workspace.
        self.meter = Meter()
        self.effects: Effects = NoEffects()
        #: The outgoing calls that are under way.
        self.jobs = Jobs()
        #: The next timer at the last call of `effects.watch`.
        self._watched: Timer | None = None
        #: How often the state was replaced.
        self.generation = 0
        #: The e-mails on their way to a real server, by id, with the server that sends them; and a marker for each
        #: e-mail in the queue of this server: after a reset another e-mail may have the same id.
        self.posting: dict[str, str] = {}
        self.queued: dict[str, Queued] = {}
        #: Runs a step, perhaps more than once, if other servers change the workspace meanwhile.
        self.run: Callable[[Callable[[], Any]], Any] = at_once
        #: Calls a function once the present step is saved.
        self.after: Callable[[Callable[[], object]], object] = at_once
        #: The outcomes from outside that are not saved yet, as the store is away.
        self.late: deque[Callable[[], object]] = deque()
        self.is_removed = False
        #: The way to the workspace, and the functions that open it and give it back.
        self.access = Access()
        self.opener: Callable[[Workspace], object] = _nothing
        self.closer: Callable[[Workspace], object] = _nothing
        self.watchers = Watchers()
        #: The lists that collect transitions, each for one request or one move of the clock, by their identity.
        self._collectors: dict[int, list[Changed]] = {}

    def open(self) -> None:
        """Let the present step have the workspace to itself until it ends."""
        self.opener(self)

    def let_go(self) -> None:
        """Give the workspace back, which the present step has only looked at."""
        self.closer(self)

    # ------------------------------------------------------------------ passivating

    @property
    def is_busy(self) -> bool:
        """Whether something is under way that ends in the workspace: a call, an e-mail or an unsaved outcome."""
        return bool(self.jobs or self.late) or self.state.mailbox.is_sending

    @property
    def may_leave(self) -> bool:
        """Whether the workspace may leave the memory: it has no running work and no waiting client."""
        return not (self.is_busy or self.is_attended)

    @property
    def is_attended(self) -> bool:
        """Whether clients wait for it: by a stream or `wait`, or for an answer that a fault holds."""
        return bool(self.watchers) or any(exchange.is_held for exchange in self.journal)

    @property
    def is_saved(self) -> bool:
        """Whether a storage keeps a copy, and saves the changes of each step."""
        return self.access.saved is not None

    @property
    def server(self) -> str:
        """The server's id in a shared store, otherwise empty."""
        return self.jobs.server

    @server.setter
    def server(self, server: str) -> None:
        self.jobs.server = server

    def resume(self, is_dead: Callable[[str], bool] = lambda server: False) -> None:
        """Resume calls and e-mails after loading or after the death of a server."""
        self.jobs.drop_abandoned(is_dead)
        for mail, server in tuple(self.posting.items()):
            if is_dead(server) or (server == self.server and mail not in self.queued):
                del self.posting[mail]
        for resume in self.parts.resumers:
            resume(self)

    # ------------------------------------------------------------------ replacing the state

    def put(self, state: State, links: Iterable[Link] = ()) -> None:
        """Replace the state and cancel all jobs; journal, coverage, feed, history and receivers stay.

        The ids of exchanges, e-mails and control calls continue, so that none is used twice. The ids of deliveries and
        of future timers are used again, so that their records are dropped.

        Args:
            state: The new state.
            links: The links that come with the state, oldest first.
        """
        self.generation += 1
        self.jobs.clear()
        self._forget_reused(state.clock.now())
        for link in links:
            self.links.add(link.cause, *link.effect)
        self.state = state
        self.ids.follow(state.random.seed)
        self.answering = self._by = None
        self._watched = None
        self._collectors = {}

    def _forget_reused(self, now: datetime) -> None:
        """Drop the links and the fired timers whose ids a state may use again whose clock shows `now`."""
        # Moments are of one length as text, and so in their order.
        first = written_moment(now)

        def is_used_again(cause: Cause) -> bool:
            return cause.kind == DELIVERY or (cause.kind == TIMER and cause.id.rpartition(".")[2] >= first)

        self.links.forget(is_used_again)
        self.fired.keep(lambda row: row.timer.moment < now)

    def begin_anew(self, fresh: Workspace) -> None:
        """Take over state, origin and records of a new workspace, which no other thread has seen."""
        self.put(fresh.state)
        self.call_off_mails()
        self.origin = fresh.origin
        self.ids = fresh.ids
        self.journal, self.links, self.fired = fresh.journal, fresh.links, fresh.fired
        self.coverage = fresh.coverage
        self.history, self.calls = fresh.history, fresh.calls
        self.receivers = fresh.receivers

    def call_off_mails(self) -> None:
        kept = {mail.id for mail in self.state.mailbox}
        self.posting = {mail: server for mail, server in self.posting.items() if mail in kept}
        self.queued = {mail: mark for mail, mark in self.queued.items() if mail in kept}

    def dry_run(self) -> Workspace:
        """Return a copy for a dry run, without timers, jobs and effects; rows are copied on read."""
        origin, keyring = self.origin, self.origin.keyring
        if keyring is not None:
            origin = origin._replace(keyring=keyring.copy())
        return Workspace(self.name, dry_run(self.state), parts=self.parts, limits=self.limits, origin=origin)

    def forget_jobs(self) -> None:
        """Drop a removed workspace's timers, e-mails and jobs."""
        self.is_removed = True
        self.state.timers = Timers()
        self.state.mailbox.clear()
        self.jobs.clear()
        self.call_off_mails()

    # ------------------------------------------------------------------ accounts, keys and ids

    def add_key(self, account: Account, key: str) -> None:
        account.api_keys.append(key)
        self.state.keys[key] = account.id
        if (keyring := self.origin.keyring) is not None:
            keyring.add(key)
            account.api_keys.sort(key=keyring.leads, reverse=True)  # the first one leads here from any address
        self.on_key(key)

    def revoke_key(self, key: str) -> None:
        self.state.revoked_keys.add(key)
        self.on_key(key)

    def is_local(self, key: str) -> bool:
        """Return whether a key opens an account below the address of this workspace only, as its scenario's keys do."""
        return self.origin.keyring is not None and key in self.state.keys and not self.origin.keyring.leads(key)

    def leading_keys(self) -> list[str]:
        """Return the keys, valid or revoked, that lead to the workspace from any address."""
        return [key for key in (*self.state.keys, *self.state.revoked_keys) if not self.is_local(key)]

    def remove_account(self, account: Account) -> None:
        self.state.remove_account(account)
        for key in account.api_keys:
            self.on_key(key)
        self.jobs.cancel_account(account.id)

    def has_another_id(self, kind: str) -> bool:
        """Return whether a kind of unrequested rows, such as deliveries, has free ids; otherwise log a warning."""
        if self.state.has_another_id(kind):
            return True
        _LOG.warning("workspace %s has no id left for another %s: they go up to %s", self.name, kind, LAST_ID)
        return False

    def check_bytes(self, count: int) -> None:
        """Refuse more stored bytes with 400 `out_of_range` if stored data would exceed its limit."""
        needed, most = self.state.tally.stored + count, self.limits.stored_bytes
        if needed > most:
            found = f"contacts and stored data would take {needed:,} bytes"
            raise no_room(f"{found}, the limit is {most:,} (--stored-bytes-limit)")

    # ------------------------------------------------------------------ causes

    @property
    def by(self) -> By | None:
        """The present cause, or None if unknown.

        It is the cause of `caused_by`, else the request that is being answered, else the control call of this thread.
        """
        if self._by is not None:
            return self._by
        if self.answering is not None:
            return self.answering.id
        call = CURRENT_CALL.get()
        return None if call is None or call.on is not self else call.cause(self.ids.call)

    @property
    def cause_request(self) -> str | None:
        """The causing request's id, or None."""
        by = self.by
        return by if isinstance(by, str) else None

    @contextmanager
    def caused_by(self, cause: Cause) -> Iterator[None]:
        """Set the cause of all events in a `with` block."""
        before, self._by = self._by, cause
        try:
            yield
        finally:
            self._by = before

    def link(self, kind: str, thing: Thing) -> None:
        by = self.by
        if by is not None:
            self.links.add(by, kind, thing)

    # ------------------------------------------------------------------ transitions and records

    def publish(self, change: Changed) -> None:
        """Add a transition to coverage, feed and history, and call its listeners."""
        for changes in self._collectors.values():
            changes.append(change)
        if self.answering is not None:
            self.answering.transitions.append(change)
        self.coverage.add_transition(change)
        self.history.add(change)
        self.feed.add("transition", change)
        if isinstance(change.by, Cause) and change.by.kind == CONTROL and (call := CURRENT_CALL.get()) is not None:
            call.note(change)
        for listener in self.parts.listeners.get((change.machine, change.event), ()):
            listener(self, change)
        self.watchers.tell("transition")

    def collect_changes(self) -> list[Changed]:
        """Return a list collecting all transitions until `stop_collecting`."""
        changes: list[Changed] = []
        self._collectors[id(changes)] = changes
        return changes

    def collecting(self) -> Iterable[list[Changed]]:
        return self._collectors.values()

    def stop_collecting(self, changes: list[Changed]) -> None:
        self._collectors.pop(id(changes), None)

    def note(self, exchange: Exchange) -> int:
        """Add an exchange to journal, coverage and feed. Return the number of evicted exchanges."""
        exchange.links = self.links
        evicted = self.journal.add(exchange)
        self.feed.add("request", exchange, exchange.size)
        self.coverage.add(exchange)
        self.watchers.tell("request")
        return evicted

    def note_call(self, call: CallRecord) -> None:
        if call.size > self.calls.largest:
            call = call.without_body()
        self.calls.push(call, call.size)

    def recorded_call(self, identifier: str) -> CallRecord | None:
        return next((call for call in self.calls if call.id == identifier), None)

    def complete(self, exchange: Exchange) -> int:
        """Add the answer of an exchange that a fault has held. Return the number of evicted exchanges."""
        evicted = self.journal.complete(exchange)
        self.coverage.add(exchange)
        if exchange.held is not None:
            self.end_hold(exchange.held)
        return evicted

    def end_hold(self, held: Held) -> None:
        """Publish the end of a hold."""
        held.is_over = True
        exchange = self.journal.end_hold(held, time())
        if exchange is not None:
            self.feed.add("answered", exchange, exchange.size)
            self.watchers.tell("request")

    # ------------------------------------------------------------------ time

    def set_timer(self, moment: datetime, account: Account, machine: str, key: Key, event: str) -> None:
        """Set a timer, replacing the instance's timer for this event."""
        self.link(TIMER, self.state.timers.set(moment, account.id, machine, key, event))

    def catch_up(self, leave: Callable[[], object] = lambda: None) -> datetime:
        """Fire due timers at their own moments. Return the caught-up moment.

        `leave` is called before that, if it may take long. Timers that fall due meanwhile wait for the next step, so
        that others get the workspace in between.
        """
        now = self.state.clock.now()
        while (timer := self.state.timers.next()) is not None and timer.moment <= now:
            if self.state.is_much_due or timer.machine in self.parts.long_machines:
                leave()
            self.state.timers.take(timer)
            self._fire(timer)
        if timer is not self._watched:
            self.watch()
        self.now = now
        return now

    def watch(self) -> None:
        """Schedule the next timer in real time; to be called when the timers or the clock have changed."""
        self._watched = self.state.timers.next()
        self.effects.watch(self)

    def fire_next(self, moment: datetime) -> bool:
        """Move the clock to the next timer and fire it. Return False if no timer is due by `moment`."""
        timer = self.state.timers.take_due(moment)
        if timer is not None:
            self.state.clock.move_to(timer.moment)
            self._fire(timer)
        return timer is not None

    def _fire(self, timer: Timer) -> None:
        """Fire a timer at its own moment, unless its instance is gone."""
        lifecycle = self.parts.lifecycles[timer.machine]
        account = self.state.accounts.get(timer.account)
        row = account.table(lifecycle.row).get(timer.key) if account else None
        if account is not None and row is not None:
            changes, cause = self.collect_changes(), Cause(TIMER, timer)
            try:
                with self.state.clock.pinned(timer.moment), self.caused_by(cause):
                    lifecycle.fall_due(self, account, row, timer.event)
            except Exception:  # noqa: BLE001  # the request at hand is not to blame, and other timers are due
                _LOG.exception(
                    "%s of %s %s has failed in workspace %s", timer.event, timer.machine, timer.key, self.name
                )
            finally:
                self.stop_collecting(changes)
                own = [change for change in changes if change.cause == cause]
                fired = FiredTimer(timer, time(), own[:MOST_TRANSITIONS])
                self.fired.push(fired, fired.size)

    def fired_timer(self, text: str) -> FiredTimer | None:
        try:
            wanted = TimerId.parse(text)
        except ValueError:
            return None
        found = (row for row in self.fired if row.timer.moment == wanted.moment and row.timer.id == text)
        return next(found, None)

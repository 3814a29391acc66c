"""A workspace: one private copy of the service, which holds everything that changes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from time import time
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, Self

from mockserver.core.effects import Effects, Jobs, NoEffects
from mockserver.core.state.identifiers import Keyring, RecordIds
from mockserver.core.state.state import LAST_ID, Account, State, above
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
from mockserver.core.waiting import Turn, Watchers
from mockserver.settings import Settings


class WorkspaceLimits(NamedTuple):
    """The most that a workspace keeps: numbers of things, and bytes."""

    #: All rows without a limit of their own: accounts, senders, tokens, keys and so on together.
    rows: int
    #: The documents that it was made from or that were added.
    documents_bytes: int
    mailbox: int
    mailbox_bytes: int
    journal: int
    journal_bytes: int
    #: Items of the feed.
    feed: int
    feed_bytes: int
    #: Transitions of instances.
    history: int
    snapshots: int
    snapshots_bytes: int
    #: Of one account.
    deliveries: int
    #: Of all accounts.
    deliveries_bytes: int
    #: Of the values that stubs store.
    stored_bytes: int
    #: Calls that all receivers together keep.
    receivers: int
    receivers_bytes: int

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The limits that the settings of a server give to each of its workspaces."""
        return cls(*(getattr(settings, f"{name}_limit") for name in cls._fields))


class Origin(NamedTuple):
    """What a workspace was made from, and is made from again by a reset."""

    #: The name of a scenario, or a document.
    scenario: object = ""
    #: The name of the scenario in what users see.
    title: str = ""
    #: The seed, or None for the one of the scenario.
    seed: int | None = None
    #: Makes the keys of the workspace, or None if it has those of the scenario.
    keyring: Keyring | None = None


class Snapshot(NamedTuple):
    """The state of a workspace at a moment, to return to."""

    name: str
    at: datetime
    document: Mapping[str, Any]
    mailbox: Mailbox
    #: What the snapshot takes in memory, in bytes.
    size: int = 0


_LOG = logging.getLogger(__name__)
#: How many links are kept for each request of the journal; chosen: few requests cause more than a timer, an e-mail and
#: some deliveries.
_LINKS_PER_REQUEST = 10

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
    #: What goes on with the calls that were under way when a workspace left the memory.
    resumers: Sequence[Callable[[Workspace], None]] = ()


def _at_once(step: Callable[[], Any]) -> Any:
    return step()


class Workspace:
    """A state, and what only a running workspace has: journal, coverage, feed, history, receivers, jobs and locks."""

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
        #: When it was made, in real time; a reset changes nothing of it.
        self.made_at = datetime.now(UTC)
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
        #: What has caused what.
        self.links = Links(self.limits.journal * _LINKS_PER_REQUEST)
        #: The timers that have fired last, as many and as many bytes of them as the journal has.
        self.fired = Ring[FiredTimer](self.limits.journal, self.limits.journal_bytes)
        #: The control calls that have changed something; bounded as the journal is.
        self.calls = Ring[CallRecord](self.limits.journal, self.limits.journal_bytes)
        self.feed = Feed(self.limits.feed, self.limits.feed_bytes)
        self.history = History(self.limits.history)
        #: The exchange of the API request that is being answered, or None.
        self.answering: Exchange | None = None
        #: What causes what happens now, while `caused_by` says so.
        self._by: By | None = None
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
        #: How often the state was replaced.
        self.generation = 0
        #: The e-mails that are on their way to a real server, by their ids, each with the server that sends it; and
        #: those of them that are in the queue of this one, each with what no other one in the queue has: after a reset
        #: another e-mail may have the same id.
        self.posting: dict[str, str] = {}
        self.queued: dict[str, object] = {}
        #: Runs a step that takes the lock; perhaps more than once, if others change the workspace meanwhile.
        self.run: Callable[[Callable[[], Any]], Any] = _at_once
        #: Held for one short step of a request; nothing waits while it holds it.
        self.lock = threading.RLock()
        #: Held while a new state is made, which only at the end is put in place under `lock`; taken before that one.
        self.changing = Turn()
        #: Called when something happens here.
        self.watchers = Watchers()
        #: The lists that collect transitions, each for one request or one move of the clock, by their identity.
        self._collectors: dict[int, list[Changed]] = {}

    # ------------------------------------------------------------------ resting

    @property
    def is_busy(self) -> bool:
        """Whether calls or e-mails are under way."""
        return bool(self.jobs) or self.state.mailbox.is_sending

    @property
    def server(self) -> str:
        """The id of this server among those that share the store; empty, if none does."""
        return self.jobs.server

    @server.setter
    def server(self, server: str) -> None:
        self.jobs.server = server

    def resume(self, is_dead: Callable[[str], bool] = lambda server: False) -> None:
        """Go on with what was under way when the workspace left the memory, or when a server has died.

        The caller holds the lock.
        """
        self.jobs.drop_abandoned(is_dead)
        for mail, server in tuple(self.posting.items()):
            if is_dead(server) or (server == self.server and mail not in self.queued):
                del self.posting[mail]
        for resume in self.parts.resumers:
            resume(self)

    # ------------------------------------------------------------------ another state

    def put(self, state: State, links: Iterable[Link] = ()) -> None:
        """Replace the state, and cancel all jobs; journal, links, coverage, feed, history and receivers stay.

        `links` come with the state, oldest first. The ids of exchanges, e-mails and control calls go on, so that none
        is used twice; those of deliveries, and of timers that are still to come, are used again, so that what was known
        of them is dropped.
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
        """Drop the links and the fired timers whose ids a state may use again that shows the moment `now`."""
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
        """Stop sending the e-mails that are no longer in the mailbox."""
        kept = {mail.id for mail in self.state.mailbox}
        self.posting = {mail: server for mail, server in self.posting.items() if mail in kept}

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
        """Add a transition to coverage, feed and history, and tell who listens to it."""
        for changes in self._collectors.values():
            changes.append(change)
        self.coverage.add_transition(change)
        self.feed.add("transition", change)
        self.history.add(change)
        if isinstance(change.by, Cause) and (acting := CURRENT_CALL.get()) is not None and change.by.kind == CONTROL:
            acting.note(change)
        for listener in self.parts.listeners.get((change.machine, change.event), ()):
            listener(self, change)
        self.watchers.tell("transition")

    def collect_changes(self) -> list[Changed]:
        """A list to which all transitions are added until `stop_collecting` is called with it."""
        changes: list[Changed] = []
        self._collectors[id(changes)] = changes
        return changes

    def collecting(self) -> Iterable[list[Changed]]:
        """The lists to which transitions are added."""
        return self._collectors.values()

    def stop_collecting(self, changes: list[Changed]) -> None:
        self._collectors.pop(id(changes), None)

    @property
    def by(self) -> By | None:
        """What causes what happens now, or None if nobody knows.

        It is what `caused_by` says, else the request that is being answered, else the control call of this thread.
        """
        if self._by is not None:
            return self._by
        if self.answering is not None:
            return self.answering.id
        acting = CURRENT_CALL.get()
        return None if acting is None or acting.on is not self else acting.cause(self.ids.call)

    @property
    def cause_request(self) -> str | None:
        """The id of the request that causes what happens now, or None if no request does."""
        by = self.by
        return by if isinstance(by, str) else None

    @contextmanager
    def caused_by(self, cause: Cause) -> Iterator[None]:
        """Let `cause` be what causes what happens within a `with` block, whatever causes that itself."""
        before, self._by = self._by, cause
        try:
            yield
        finally:
            self._by = before

    def link(self, kind: str, thing: Thing) -> None:
        """Note that a thing of a kind of causes is caused by what causes what happens now, if something does."""
        by = self.by
        if by is not None:
            self.links.add(by, kind, thing)

    def set_timer(self, moment: datetime, account: Account, machine: str, key: Key, event: str) -> None:
        """Let an event happen at a moment, in the place of an earlier timer for the same event of the instance."""
        self.link(TIMER, self.state.timers.set(moment, account.id, machine, key, event))

    def note(self, exchange: Exchange) -> int:
        """Add an exchange that is over to journal, coverage and feed; returns how many it has evicted."""
        exchange.links = self.links
        evicted = self.journal.add(exchange)
        self.coverage.add(exchange)
        self.feed.add("request", exchange, exchange.size)
        self.watchers.tell("request")
        return evicted

    def note_call(self, call: CallRecord) -> None:
        """Keep a control call that is over, without its body if that is too large."""
        if call.size > self.calls.largest:
            call = call.without_body()
        self.calls.push(call, call.size)

    def recorded_call(self, identifier: str) -> CallRecord | None:
        """The control call with this id, or None if it has changed nothing, or is no longer kept."""
        return next((call for call in self.calls if call.id == identifier), None)

    def complete(self, exchange: Exchange) -> int:
        """Take in the answer of an exchange that was noted when a fault held it; returns how many that has evicted."""
        evicted = self.journal.complete(exchange)
        self.coverage.add(exchange)
        self.end_hold(exchange.held)
        return evicted

    def end_hold(self, held: Held | None) -> None:
        """Tell that nobody waits for an answer any more, unless that was told before, or its exchange is gone.

        It takes the lock itself: who has sent the answer, or has not, holds none.
        """
        if held is None or held.is_over:
            return
        held.is_over = True
        self.run(lambda: self._end_hold(held))

    def _end_hold(self, held: Held) -> None:
        with self.lock:
            exchange = self.journal.find(held.exchange)
            if exchange is not None and exchange.held is held:
                self.feed.add("answered", exchange, exchange.size)
                self.watchers.tell("request")

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
        """The timer of an id that has fired last, or None if none has, or it is no longer kept."""
        try:
            wanted = TimerId.parse(text)
        except ValueError:
            return None
        found = (row for row in self.fired if row.timer.moment == wanted.moment and row.timer.id == text)
        return next(found, None)

    def forget_jobs(self) -> None:
        """Drop timers, e-mails and jobs: the workspace is gone, and nothing may leave it any more."""
        self.state.timers = Timers()
        self.state.mailbox.clear()
        self.jobs.clear()
        self.call_off_mails()

"""Lifecycles of rows, moves of the clock, and outgoing calls and e-mails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from time import monotonic, time
from typing import Any, Generic, Protocol, TypeVar

from mockserver.core.effects import CallOutcome, Done, Job, OutgoingRequest
from mockserver.core.state.state import Account
from mockserver.core.time.clock import Key, Timer
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.causes import MAIL, Changed
from mockserver.core.traffic.mail import FAILED, WAITING, Mail, Sending
from mockserver.core.workspaces.storage import MissingError, OutageError, StorageError
from mockserver.core.workspaces.workspace import Queued, Workspace

_LOG = logging.getLogger(__name__)
#: How long a move of the clock may have the workspace in one step, in seconds. Chosen: others notice no delay.
_TURN_S = 0.02
#: Why an e-mail that waited is not sent after a new start.
_NO_SERVER = "the server was started anew without --smtp-url"


class Stateful(Protocol):
    state: str


Row = TypeVar("Row", bound=Stateful)
#: The effect of an event, and the choice of the event that happens instead of another one.
Action = Callable[[Workspace, Account, Row], None]
Guard = Callable[[Workspace, Account, Row], str]


class Lifecycle(Generic[Row]):
    """A state machine for rows of one type; `on`, `guard` and `when_due` register the effects of its events.

    The modules `registered_in`, which register effects too, are imported before its first event.
    """

    def __init__(
        self,
        machine: StateMachine,
        row: type[Row],
        *,
        key: str,
        parse: Callable[[str], Key],
        reveal: Callable[[Row], dict[str, Any]] = lambda row: {},
        registered_in: tuple[str, ...] = (),
    ) -> None:
        self.machine = machine
        self.row = row
        self._key = key
        self._parse = parse
        self._reveal = reveal
        self._registered_in = registered_in
        self._actions: dict[str, Action[Row]] = {}
        self._guards: dict[str, Guard[Row]] = {}
        self._when_due: dict[str, Action[Row]] = {}

    def on(self, *events: str) -> Callable[[Action[Row]], Action[Row]]:
        """Register an action to call after these events."""

        def register(action: Action[Row]) -> Action[Row]:
            self._actions.update(dict.fromkeys(events, action))
            return action

        return register

    def guard(self, event: str) -> Callable[[Guard[Row]], Guard[Row]]:
        """Register a function that returns the event to fire instead of `event`, or `event`."""

        def register(decide: Guard[Row]) -> Guard[Row]:
            self._guards[event] = decide
            return decide

        return register

    def when_due(self, timer: str) -> Callable[[Action[Row]], Action[Row]]:
        """Register a timer's work, whose outcome becomes an event."""

        def register(action: Action[Row]) -> Action[Row]:
            self._when_due[timer] = action
            return action

        return register

    def fall_due(self, workspace: Workspace, account: Account, row: Row, event: str) -> None:
        """Start a timer's registered work, or fire its event if applicable."""
        self._complete()
        if event in self._when_due:
            self._when_due[event](workspace, account, row)
        elif self.applies(row, event):
            self.fire(workspace, account, row, event)

    def begin(self, workspace: Workspace, account: Account, row: Row) -> None:
        """Add a new row to its table, and publish its creation."""
        self._complete()
        account.table(self.row)[getattr(row, self._key)] = row
        self._act(workspace, account, row, self.machine.first, ABSENT)

    def fire(self, workspace: Workspace, account: Account, row: Row, event: str) -> None:
        """Change a row's state, publish the transition, then call the event's action."""
        self._complete()
        self.machine.target(row.state, event)
        if event in self._guards:
            event = self._guards[event](workspace, account, row)
        rows = account.table(self.row)
        source, row.state = row.state, self.machine.target(row.state, event)
        if row.state == ABSENT:
            del rows[self.key(row)]
            workspace.state.timers.cancel(self.machine.name, self.key(row))
        self._act(workspace, account, row, event, source)

    def key(self, row: Row) -> Key:
        key: Key = getattr(row, self._key)
        return key

    def applies(self, row: Row, event: str) -> bool:
        return event in self.machine.allowed(row.state)

    def instances(self, workspace: Workspace) -> Iterator[tuple[Account, Row]]:
        """Yield all instances with their accounts."""
        for account in workspace.state.accounts.values():
            for row in account.rows_of(self.row).values():
                yield account, row

    def key_of(self, text: str) -> Key | None:
        """Return a text's key, existing or not, or None if invalid."""
        try:
            return self._parse(text)
        except ValueError:
            return None

    def find(self, workspace: Workspace, text: str) -> tuple[Account, Row] | None:
        """Return an instance by key with its account, or None."""
        key = self.key_of(text)
        if key is None:
            return None
        for account in workspace.state.accounts.values():
            if key in account.table(self.row):
                return account, account.table(self.row)[key]
        return None

    def describe(self, account: Account, row: Row) -> dict[str, Any]:
        """Return an instance as the control API shows it, secrets included."""
        return {
            "key": self.key(row),
            "account": account.name,
            "state": row.state,
            "allowed": list(self.machine.allowed(row.state)),
            **self._reveal(row),
        }

    def _complete(self) -> None:
        for module in self._registered_in:
            import_module(module)
        self._registered_in = ()

    def _act(self, workspace: Workspace, account: Account, row: Row, event: str, source: str) -> None:
        links = workspace.links
        before = links.added
        now, key = workspace.state.clock.now(), getattr(row, self._key)
        change = Changed(
            now, account.id, self.machine.name, key, event, source, row.state, workspace.by, time(), [],
        )  # fmt: skip
        workspace.publish(change)
        action = self._actions.get(event)
        if action is not None:
            action(workspace, account, row)
        if links.added != before:
            change.effects.extend(links.last(links.added - before))


class Advance:
    """A clock move, timer by timer, waiting for jobs between timers, as outcomes may set timers."""

    def __init__(self, workspace: Workspace, target: datetime | timedelta | Timer | None) -> None:
        """Begin a clock move to a moment, duration, timer, or next timer (None).

        Raises:
            ClockError: The target is in the past, or a moment that no clock shows.
        """
        clock = workspace.state.clock
        self._start = clock.now()
        if isinstance(target, Timer):
            # A running clock may have passed its moment since it was looked up.
            target = max(target.moment, self._start)
        self._target = clock.reached(target, self._start) if isinstance(target, timedelta) else target
        if self._target is not None:
            clock.check(self._target, self._start)
        self._workspace = workspace
        self._generation = workspace.generation
        self._changes = workspace.collect_changes()

    def step(self) -> bool:
        """Fire timers until a call is pending or some milliseconds have passed. Return whether the move is over.

        Calls leave when a step ends. With a pending job, all timers of the moment fire before it does, so that their
        order does not depend on the pace of the machine. In a shared store, another server might change the workspace
        between two steps, so that only jobs end a step.
        """
        workspace, end = self._workspace, monotonic() + _TURN_S
        while not self.interrupted:
            if workspace.jobs:
                if not workspace.fire_next(workspace.state.clock.now()):
                    return False
            elif self._target is None:
                # Only now is it known which timer is next: the jobs may have set one.
                timer = workspace.state.timers.next()
                self._target = workspace.state.clock.now() if timer is None else timer.moment
            elif not workspace.fire_next(self._target):
                workspace.state.clock.move_to(self._target)
                break
            elif monotonic() > end and not (workspace.jobs or workspace.server):
                workspace.watchers.tell("job")  # lets the caller take the next step at once
                return False
        self.stop()
        return True

    def stop(self) -> None:
        self._workspace.stop_collecting(self._changes)
        self._workspace.watch()

    @property
    def interrupted(self) -> bool:
        """Whether the workspace's state was replaced meanwhile."""
        return self._workspace.generation != self._generation

    def fired(self) -> list[Changed]:
        """Return transitions by timers since the beginning, in chronological order."""
        lifecycles, passed = self._workspace.parts.lifecycles, [row for row in self._changes if row.at > self._start]
        timed = [change for change in passed if change.event in lifecycles[change.machine].machine.timed]
        return sorted(timed, key=lambda change: change.at)


def settle(workspace: Workspace, note: Callable[..., object], *outcome: Any) -> None:
    """Let `note` take in an outcome from outside, such as a peer's answer or the end of a call.

    `note` is called in a step that has the workspace. While the store is away, it waits and is tried again, until it is
    saved. Of a removed workspace, nothing is saved.
    """
    settle_late(workspace)
    step = partial(note, *outcome)
    if (error := _try(workspace, step)) is not None:
        if not workspace.late and not isinstance(error, OutageError):  # an outage is logged by the storage
            _LOG.warning("what has happened to workspace %s is noted later: %s", workspace.name, error)
        workspace.late.append(step)


def settle_late(workspace: Workspace) -> None:
    """Try the outcomes again that are not saved yet."""
    with suppress(IndexError):  # another thread has taken the last one
        while workspace.late:
            step = workspace.late.popleft()
            if _try(workspace, step) is not None:
                workspace.late.appendleft(step)
                return


def _try(workspace: Workspace, outcome: Callable[[], object]) -> StorageError | None:
    def step() -> None:
        if not workspace.is_removed:
            workspace.open()
        outcome()

    try:
        workspace.run(step)
    except MissingError:  # another server has removed it
        outcome()
    except StorageError as error:
        return error
    except Exception:  # noqa: BLE001  # other outcomes are taken in
        _LOG.exception("what has happened to workspace %s cannot be noted", workspace.name)
    return None


def dispatch(workspace: Workspace, job: Job, url: str, write: Callable[[], OutgoingRequest], done: Done) -> None:
    """Start a job's call; a cancelled job calls neither function.

    Args:
        workspace: The workspace of the job.
        job: The job.
        url: The address of the call.
        write: Makes the request when its turn comes.
        done: Takes the outcome in a step, while the clock shows the present moment.
    """
    moment = workspace.state.clock.now()

    def take(outcome: CallOutcome) -> None:
        if job in workspace.jobs:
            workspace.jobs.take_off(job)
            workspace.after(job.forget)
            try:
                with workspace.state.clock.pinned(moment):
                    done(outcome)
            finally:
                workspace.watch()
                workspace.watchers.tell("job")

    def leave() -> None:
        job.is_under_way = True
        workspace.effects.call(url, job)

    job.write, job.finish = write, partial(settle, workspace, take)
    workspace.after(leave)


def send_mail(workspace: Workspace, mail: Mail) -> None:
    """Send an e-mail to the mailbox, and to any configured SMTP server."""
    size = workspace.state.mailbox.add(mail)
    workspace.feed.add("mail", mail, size)
    workspace.meter.add_mail()
    workspace.link(MAIL, mail.id)
    if workspace.effects.posts:
        _post(workspace, mail)
    workspace.watchers.tell("mail")


def resume_mails(workspace: Workspace) -> None:
    """Send the e-mails that waited when the workspace left the memory; without an SMTP server they have failed."""
    mailbox = workspace.state.mailbox
    for mail in reversed(tuple(mailbox)):
        sending = mailbox.sending(mail)
        if sending is None or sending.state != WAITING or mail.id in workspace.posting:
            continue
        if workspace.effects.posts:
            _post(workspace, mail)
        else:
            mailbox.note_sending(mail, sending._replace(state=FAILED, error=_NO_SERVER))


def _post(workspace: Workspace, mail: Mail) -> None:
    """Send an e-mail to the real SMTP server, for as long as it belongs to the workspace.

    It no longer does after a reset, after a return to a snapshot from before it, or when the workspace is removed or
    another server has changed it.
    """
    server, mark = workspace.server, Queued()
    workspace.posting[mail.id] = server
    workspace.queued[mail.id] = mark

    def is_wanted() -> bool:
        with suppress(MissingError):  # another server has removed the workspace
            return workspace.queued.get(mail.id) is mark and bool(workspace.run(is_posting))
        return False

    def is_posting() -> bool:
        workspace.open()
        return workspace.posting.get(mail.id) == server and workspace.queued.get(mail.id) is mark

    def note(sending: Sending) -> None:
        if workspace.queued.get(mail.id) is not mark:
            return  # called off, or another e-mail has the id by now
        workspace.state.mailbox.note_sending(mail, sending)
        if sending.state != WAITING:
            workspace.posting.pop(mail.id, None)
            workspace.after(partial(workspace.queued.pop, mail.id, None))
        workspace.watchers.tell("mail")

    note(Sending(WAITING))

    def leave() -> None:
        mark.is_under_way = True
        workspace.effects.post(mail, partial(settle, workspace, note), is_wanted)

    workspace.after(leave)

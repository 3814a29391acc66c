"""Lifecycles: a state machine at work on rows, whose events it fires and publishes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from time import time
from typing import Any, Generic, Protocol, TypeVar

from mockserver.core.state.account import Account
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.time.timers import Key
from mockserver.core.time.transition import Changed
from mockserver.core.workspaces.workspace import Workspace


class Stateful(Protocol):
    """A row that a state machine moves."""

    state: str


Row = TypeVar("Row", bound=Stateful)
#: What an event does, and which event happens in the place of another one.
Action = Callable[[Workspace, Account, Row], None]
Guard = Callable[[Workspace, Account, Row], str]


class Lifecycle(Generic[Row]):
    """A state machine for rows of one type; `on`, `guard` and `when_due` register what its events do.

    The modules `registered_in` do so as well as that of the lifecycle; they are imported before its first event.
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
        """Register a function to be called after each of these events has changed the state of a row."""

        def register(action: Action[Row]) -> Action[Row]:
            self._actions.update(dict.fromkeys(events, action))
            return action

        return register

    def guard(self, event: str) -> Callable[[Guard[Row]], Guard[Row]]:
        """Register a function that returns the event to fire in the place of `event`, which may be `event` itself."""

        def register(decide: Guard[Row]) -> Guard[Row]:
            self._guards[event] = decide
            return decide

        return register

    def when_due(self, timer: str) -> Callable[[Action[Row]], Action[Row]]:
        """Register what a timer starts that is no event of the machine: work whose outcome will be one."""

        def register(action: Action[Row]) -> Action[Row]:
            self._when_due[timer] = action
            return action

        return register

    def fall_due(self, workspace: Workspace, account: Account, row: Row, event: str) -> None:
        """Start what a timer is for: registered work, or the event, if that applies in the row's state."""
        self._complete()
        if event in self._when_due:
            self._when_due[event](workspace, account, row)
        elif self.applies(row, event):
            self.fire(workspace, account, row, event)

    def begin(self, workspace: Workspace, account: Account, row: Row) -> None:
        """Put a new row into its table, in the state that it has, and publish its creation."""
        self._complete()
        account.table(self.row)[self.key(row)] = row
        self._act(workspace, account, row, self.machine.first, ABSENT)

    def fire(self, workspace: Workspace, account: Account, row: Row, event: str) -> None:
        """Let an event happen: the state changes, then the transition is published, then the action is called.

        Raises:
            TransitionRefused: the event does not apply in the row's state.
        """
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
        """Every instance in a workspace, with its account."""
        for account in workspace.state.accounts.values():
            for row in account.rows_of(self.row).values():
                yield account, row

    def key_of(self, text: str) -> Key | None:
        """The key that is written as `text`, whether there is such an instance or not; None: no key is written so."""
        try:
            return self._parse(text)
        except ValueError:
            return None

    def find(self, workspace: Workspace, text: str) -> tuple[Account, Row] | None:
        """The instance whose key is written as `text`, with its account, or None if there is none."""
        key = self.key_of(text)
        if key is None:
            return None
        for account in workspace.state.accounts.values():
            if key in account.table(self.row):
                return account, account.table(self.row)[key]
        return None

    def describe(self, account: Account, row: Row) -> dict[str, Any]:
        """An instance as the control API shows it, secrets included."""
        return {
            "key": self.key(row),
            "account": account.name,
            "state": row.state,
            "allowed": list(self.machine.allowed(row.state)),
            **self._reveal(row),
        }

    def _complete(self) -> None:
        """Import the modules that register what events do."""
        for module in self._registered_in:
            import_module(module)
        self._registered_in = ()

    def _act(self, workspace: Workspace, account: Account, row: Row, event: str, source: str) -> None:
        links = workspace.links
        before = links.added
        change = Changed(
            workspace.state.clock.now(), account.id, self.machine.name, self.key(row), event, source, row.state,
            workspace.by, time(), [],
        )  # fmt: skip
        workspace.publish(change)
        action = self._actions.get(event)
        if action is not None:
            action(workspace, account, row)
        if links.added != before:
            change.effects.extend(links.last(links.added - before))

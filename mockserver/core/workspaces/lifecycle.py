"""A state machine at work: it finds its instances in a workspace, fires their events and says what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


class Lifecycle(Generic[Row]):
    """A machine, bound to the type of its rows; what an event does besides is registered with `on`."""

    def __init__(
        self,
        machine: StateMachine,
        row: type[Row],
        *,
        key: str,
        parse: Callable[[str], Key],
        reveal: Callable[[Row], dict[str, Any]] = lambda row: {},
    ) -> None:
        self.machine = machine
        self.row = row
        self._key = key
        self._parse = parse
        self._reveal = reveal
        self._actions: dict[str, Callable[[Workspace, Account, Row], None]] = {}
        self._guards: dict[str, Callable[[Workspace, Account, Row], str]] = {}
        self._when_due: dict[str, Callable[[Workspace, Account, Row], None]] = {}

    def on(
        self, *events: str
    ) -> Callable[[Callable[[Workspace, Account, Row], None]], Callable[[Workspace, Account, Row], None]]:
        """Register what these events do, beside moving the state."""

        def register(action: Callable[[Workspace, Account, Row], None]) -> Callable[[Workspace, Account, Row], None]:
            self._actions.update(dict.fromkeys(events, action))
            return action

        return register

    def guard(
        self, event: str
    ) -> Callable[[Callable[[Workspace, Account, Row], str]], Callable[[Workspace, Account, Row], str]]:
        """Register what decides, when an event is to happen, which one really does."""

        def register(decide: Callable[[Workspace, Account, Row], str]) -> Callable[[Workspace, Account, Row], str]:
            self._guards[event] = decide
            return decide

        return register

    def when_due(
        self, timer: str
    ) -> Callable[[Callable[[Workspace, Account, Row], None]], Callable[[Workspace, Account, Row], None]]:
        """Register what a timer begins that is for no event of the machine: its outcome is still to come."""

        def register(action: Callable[[Workspace, Account, Row], None]) -> Callable[[Workspace, Account, Row], None]:
            self._when_due[timer] = action
            return action

        return register

    def fall_due(self, workspace: Workspace, account: Account, row: Row, event: str) -> None:
        """Let what a timer is for begin, if it still applies."""
        if event in self._when_due:
            self._when_due[event](workspace, account, row)
        elif self.applies(row, event):
            self.fire(workspace, account, row, event)

    def begin(self, workspace: Workspace, account: Account, row: Row) -> None:
        """Put a new instance into its table; its state is the one that it was made with."""
        account.table(self.row)[self.key(row)] = row
        self._act(workspace, account, row, self.machine.first, ABSENT)

    def fire(self, workspace: Workspace, account: Account, row: Row, event: str) -> None:
        """Let an event happen: state, notice, action; what the action fires comes after it.

        Raises:
            Refused: the event does not apply in the row's state.
        """
        self.machine.target(row.state, event)
        if event in self._guards:
            event = self._guards[event](workspace, account, row)
        source, row.state = row.state, self.machine.target(row.state, event)
        if row.state == ABSENT:
            del account.table(self.row)[self.key(row)]
            workspace.state.timers.cancel(self.machine.name, self.key(row))
        self._act(workspace, account, row, event, source)

    def key(self, row: Row) -> Key:
        key: Key = getattr(row, self._key)
        return key

    def applies(self, row: Row, event: str) -> bool:
        return event in self.machine.allowed(row.state)

    def instances(self, workspace: Workspace) -> Iterator[tuple[Account, Row]]:
        """Every instance of a workspace with its account."""
        for account in workspace.state.accounts.values():
            for row in account.table(self.row).values():
                yield account, row

    def find(self, workspace: Workspace, text: str) -> tuple[Account, Row] | None:
        """The instance whose key is written like this."""
        try:
            key = self._parse(text)
        except ValueError:
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

    def _act(self, workspace: Workspace, account: Account, row: Row, event: str, source: str) -> None:
        workspace.publish(
            Changed(workspace.state.clock.now(), account.id, self.machine.name, self.key(row), event, source, row.state)
        )
        action = self._actions.get(event)
        if action is not None:
            action(workspace, account, row)

"""State machines as tables of transitions, comparable with the documentation of the service line by line."""

from __future__ import annotations

from typing import NamedTuple

#: The state before an instance exists and after it is gone, as in Mermaid.
ABSENT = "[*]"


class TransitionRefused(Exception):
    """An event inapplicable in an instance's present state, with `allowed` events."""

    def __init__(self, machine: str, state: str, event: str, allowed: tuple[str, ...]) -> None:
        super().__init__(
            f"{machine}: event {event} is not allowed in state {state}; allowed: {', '.join(allowed) or 'none'}"
        )
        self.machine, self.state, self.event, self.allowed = machine, state, event, allowed


class Transition(NamedTuple):
    event: str
    source: str
    target: str


class StateMachine:
    """A named table of transitions; timers fire the `timed` events."""

    def __init__(self, name: str, *rows: tuple[str, str, str], timed: frozenset[str] = frozenset()) -> None:
        self.name = name
        self.timed = timed
        self.transitions = tuple(Transition(*row) for row in rows)
        #: The event that creates an instance.
        self.first = next((row.event for row in self.transitions if row.source == ABSENT), "")
        self._targets = {(row.source, row.event): row.target for row in self.transitions}
        named = [state for row in self.transitions for state in (row.source, row.target)]
        self.states = tuple(state for state in dict.fromkeys(named) if state != ABSENT)
        self._allowed = {
            state: tuple(row.event for row in self.transitions if row.source == state) for state in self.states
        }
        # A removed instance has no events; a new instance is created without a check.
        self._allowed[ABSENT] = ()

    def allowed(self, state: str) -> tuple[str, ...]:
        """Return a state's applicable events in table order."""
        return self._allowed[state]

    def target(self, state: str, event: str) -> str:
        """Return the state after an event.

        Raises:
            TransitionRefused: The event does not apply in the state.
        """
        target = self._targets.get((state, event))
        if target is None:
            raise TransitionRefused(self.name, state, event, self._allowed[state])
        return target

    def mermaid(self) -> str:
        """Return the state diagram in Mermaid; events between the same two states share an arrow."""
        arrows: dict[tuple[str, str], list[str]] = {}
        for row in self.transitions:
            label = f"{row.event} (timer)" if row.event in self.timed else row.event
            arrows.setdefault((row.source, row.target), []).append(label)
        lines = [f"    {source} --> {target}: {', '.join(labels)}" for (source, target), labels in arrows.items()]
        return "\n".join(["stateDiagram-v2", *lines])

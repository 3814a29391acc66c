"""State machines as tables of transitions, to be compared with the service's documentation line by line."""

from __future__ import annotations

from typing import NamedTuple

#: The state before an instance exists and after it is gone, as Mermaid writes both.
ABSENT = "[*]"


class TransitionRefused(Exception):
    """An event does not apply in the present state of an instance; `allowed` are the events that do."""

    def __init__(self, machine: str, state: str, event: str, allowed: tuple[str, ...]) -> None:
        super().__init__(
            f"{machine}: event {event} is not allowed in state {state}; allowed: {', '.join(allowed) or 'none'}"
        )
        self.machine, self.state, self.event, self.allowed = machine, state, event, allowed


class Transition(NamedTuple):
    """One row of a state machine: an event leads from one state to another."""

    event: str
    source: str
    target: str


class StateMachine:
    """A named table of transitions; `timed` names the events that a timer fires."""

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
        # An instance that is gone has no events; one that does not exist yet is created without asking.
        self._allowed[ABSENT] = ()

    def allowed(self, state: str) -> tuple[str, ...]:
        """The events that apply in a state, in the order of the table."""
        return self._allowed[state]

    def target(self, state: str, event: str) -> str:
        """The state to which an event leads from a state.

        Raises:
            TransitionRefused: the event does not apply in the state.
        """
        target = self._targets.get((state, event))
        if target is None:
            raise TransitionRefused(self.name, state, event, self._allowed[state])
        return target

    def mermaid(self) -> str:
        """The state diagram in the language of Mermaid; events between the same two states share an arrow."""
        arrows: dict[tuple[str, str], list[str]] = {}
        for row in self.transitions:
            arrows.setdefault((row.source, row.target), []).append(self._label(row.event))
        lines = [f"    {source} --> {target}: {', '.join(labels)}" for (source, target), labels in arrows.items()]
        return "\n".join(["stateDiagram-v2", *lines])

    def _label(self, event: str) -> str:
        return f"{event} (timer)" if event in self.timed else event

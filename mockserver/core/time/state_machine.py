"""State machines as tables of (event, from, to) that one can compare with the service's documentation line by line."""

from __future__ import annotations

from typing import NamedTuple

#: The state before an instance exists, and after it is gone; Mermaid's own sign for both.
ABSENT = "[*]"


class TransitionRefused(Exception):
    """An event that does not apply in the present state."""

    def __init__(self, machine: str, state: str, event: str, allowed: tuple[str, ...]) -> None:
        super().__init__(f"{machine}: {event} does not apply in state {state}; {', '.join(allowed) or 'nothing'} would")
        self.machine, self.state, self.event, self.allowed = machine, state, event, allowed


class Transition(NamedTuple):
    """One row of the table."""

    event: str
    source: str
    target: str


class StateMachine:
    """A named table of transitions; `timed` names the events that a timer fires."""

    def __init__(self, name: str, *rows: tuple[str, str, str], timed: frozenset[str] = frozenset()) -> None:
        self.name = name
        self.timed = timed
        self.transitions = tuple(Transition(*row) for row in rows)
        #: The event by which an instance comes to be.
        self.first = next((row.event for row in self.transitions if row.source == ABSENT), "")
        self._targets = {(row.source, row.event): row.target for row in self.transitions}
        named = [state for row in self.transitions for state in (row.source, row.target)]
        self.states = tuple(state for state in dict.fromkeys(named) if state != ABSENT)
        self._allowed = {
            state: tuple(row.event for row in self.transitions if row.source == state) for state in self.states
        }
        # Nothing happens to what is gone.
        self._allowed[ABSENT] = ()

    def allowed(self, state: str) -> tuple[str, ...]:
        """The events that apply in a state, in the table's order."""
        return self._allowed[state]

    def target(self, state: str, event: str) -> str:
        """The state that an event leads to.

        Raises:
            TransitionRefused: the event does not apply in this state.
        """
        target = self._targets.get((state, event))
        if target is None:
            raise TransitionRefused(self.name, state, event, self._allowed[state])
        return target

    def mermaid(self) -> str:
        """A state diagram drawn from the rows; events between the same two states share an arrow."""
        arrows: dict[tuple[str, str], list[str]] = {}
        for row in self.transitions:
            arrows.setdefault((row.source, row.target), []).append(self._label(row.event))
        lines = [f"    {source} --> {target}: {', '.join(labels)}" for (source, target), labels in arrows.items()]
        return "\n".join(["stateDiagram-v2", *lines])

    def _label(self, event: str) -> str:
        return f"{event} (timer)" if event in self.timed else event

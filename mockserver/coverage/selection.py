"""Which operations and state machines a percentage counts: those of the specification, all, used ones, or a list."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import NamedTuple

from mockserver.core.text.messages import cut, meant
from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.contract import PointKind, promises
from mockserver.resources.registry import FURTHER_OPERATIONS

#: What is counted by default: the 34 operations of the specification, and the state machines.
DEFAULT = "specification"
ALL, _USED = "all", "used"
#: The longest list, in characters. Chosen: some times as long as one of all names.
LONGEST = 10_000
#: How many characters of an unknown name a message shows. Chosen: to fit on a line.
_SHOWN = 80
#: How many unknown names are told. Chosen: each takes some milliseconds, and three fit into a message.
_TOLD = 3


class Selection(NamedTuple):
    """What is counted. An operation is counted with all its points, and a state machine with all its events."""

    #: As it was written: `specification`, `all`, `used`, or names with commas.
    text: str = DEFAULT
    #: The names of a list; None: no list was given.
    names: frozenset[str] | None = None

    def owners(self, met: Coverage) -> frozenset[str]:
        """The operations and state machines that are counted of a coverage.

        An operation was used if it was called, and a state machine if an instance has moved.
        """
        if self.names is not None:
            return self.names
        if self.text == DEFAULT:
            return countable() - FURTHER_OPERATIONS.keys()
        if self.text == ALL:
            return countable()
        used = {operation for operation, _ in met.answers} | {machine for machine, _ in met.transitions}
        return countable() & used

    def told(self, owners: Collection[str]) -> str:
        """Return what is counted as the end of a sentence; empty for the default."""
        if self.text == DEFAULT:
            return ""
        if self.text == ALL:
            return ", sending and contacts included"
        how = "used" if self.names is None else "named"
        return (
            f", of the {_number(len(operations() & set(owners)), 'operation')} and "
            f"{_number(len(set(owners) - operations()), 'state machine')} that were {how}"
        )


def _number(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


SPECIFICATION = Selection()


@cache
def operations() -> frozenset[str]:
    """Return the ids of the operations that a percentage can count."""
    return frozenset(row.point.owner for row in promises() if row.point.kind is PointKind.OPERATIONS)


@cache
def countable() -> frozenset[str]:
    """Return the operations and state machines that a percentage can count."""
    return frozenset(row.point.owner for row in promises())


def parse(text: str) -> Selection:
    """Parse a selection: `specification`, `all`, `used`, or names of operations and state machines.

    Commas or blanks separate the names.

    Raises:
        ValueError: a name is unknown, or there is none; the message says which, and what was probably meant.
    """
    if len(text) > LONGEST:
        raise ValueError(f"must be a list of at most {LONGEST:,} characters")
    names = text.replace(",", " ").split()
    if not names:
        raise ValueError("names no operation; give specification, all, used, or names of operations")
    if len(names) == 1 and names[0] in (DEFAULT, ALL, _USED):
        return Selection(names[0])
    unknown = list(_unknown(names))
    if unknown:
        raise ValueError("; ".join(unknown))
    return Selection(",".join(dict.fromkeys(names)), frozenset(names))


def _unknown(names: Collection[str]) -> Iterator[str]:
    """A sentence for each name that no operation and no state machine has, up to some."""
    known = (*sorted(operations()), *sorted(countable() - operations()))
    wrong = [name for name in dict.fromkeys(names) if name not in countable()]
    for name in wrong[:_TOLD]:
        near = meant(name, known)
        advice = f"; did you mean {near}?" if near else ", or it counts in no percentage"
        yield f"there is no operation or state machine {cut(repr(name), _SHOWN)}{advice}"
    if len(wrong) > _TOLD:
        yield f"and {len(wrong) - _TOLD} more"

"""The selection of operations and state machines for percentages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache
from typing import NamedTuple

from mockserver.core.text.messages import cut, meant
from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.contract import PointKind, promises
from mockserver.resources.registry import FURTHER_MACHINES, FURTHER_OPERATIONS

#: The default: the 34 operations of the specification, and their state machines.
DEFAULT = "specification"
ALL, _USED = "all", "used"
#: The longest list, in characters. Chosen: several times the length of all names.
LONGEST = 10_000
#: The longest unknown name in a message, in characters.
_SHOWN = 80
#: The most unknown names in a message. Chosen: finding similar names takes some milliseconds.
_TOLD = 3


class Selection(NamedTuple):
    """A selection of operations and state machines, counted with all points."""

    #: The selection as typed: `specification`, `all`, `used`, or names.
    text: str = DEFAULT
    #: The names of a list, or None.
    names: frozenset[str] | None = None

    def owners(self, met: Coverage) -> frozenset[str]:
        """Return selected operations and state machines.

        Called operations and moved state machines count as used.
        """
        if self.names is not None:
            return self.names
        if self.text == DEFAULT:
            return countable() - FURTHER_OPERATIONS.keys() - FURTHER_MACHINES
        if self.text == ALL:
            return countable()
        used = {operation for operation, _ in met.answers} | {machine for machine, _ in met.transitions}
        return countable() & used

    def told(self, owners: Collection[str]) -> str:
        """Describe the selection as the end of a sentence, empty for the default."""
        if self.text == DEFAULT:
            return ""
        if self.text == ALL:
            return ", further operations included"
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
    return frozenset(row.point.owner for row in promises() if row.point.kind is PointKind.OPERATIONS)


@cache
def countable() -> frozenset[str]:
    return frozenset(row.point.owner for row in promises())


def parse(text: str) -> Selection:
    """Parse a selection: `specification`, `all`, `used`, or names separated by commas or blanks."""
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
    known = (DEFAULT, ALL, _USED, *sorted(operations()), *sorted(countable() - operations()))
    wrong = [name for name in dict.fromkeys(names) if name not in countable()]
    for name in wrong[:_TOLD]:
        near = meant(name, known)
        advice = f"; did you mean {near}?" if near else ", or it counts in no percentage"
        yield f"there is no operation or state machine {cut(repr(name), _SHOWN)}{advice}"
    if len(wrong) > _TOLD:
        yield f"and {len(wrong) - _TOLD} more"

"""What an engine holds of a workspace: parts, each replaced as a whole, and logs, which grow at their end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

#: An entry of a log: its position, which is counted from the first that was ever added, and what it holds.
Entry = tuple[int, bytes]


class LogChange(NamedTuple):
    """What has changed in a log of a workspace."""

    name: str
    #: The position of the oldest entry that is left; those before it go.
    first: int
    #: The entries to be added, in the order of their positions; one takes the place of what is held at its position.
    entries: Sequence[Entry]
    #: Whether all entries that are held go before that.
    anew: bool = False


class Changes(NamedTuple):
    """What has changed in a workspace since it was last written down, or all of a new one."""

    #: The parts that are new or have changed, by name.
    parts: Mapping[str, bytes]
    #: The names of the parts that are gone.
    gone: Sequence[str]
    logs: Sequence[LogChange]

    def __bool__(self) -> bool:
        return bool(self.parts or self.gone or self.logs)


class Stored(NamedTuple):
    """All that an engine holds of a workspace."""

    parts: Mapping[str, bytes]
    #: The entries of each log, in the order of their positions.
    logs: Mapping[str, Sequence[Entry]]

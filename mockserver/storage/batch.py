"""What is written to a store at once: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.records.changes import Changes


class Batch(NamedTuple):
    """What is written in one transaction; whoever makes one bounds it, as all of it is in memory."""

    #: Workspaces that are held no longer. They go first, so that one of the same name may be written with them.
    removed: Collection[str] = ()
    #: Workspaces that are new or were used, each with what has changed in it; the one used longest ago first.
    workspaces: Sequence[tuple[Outline, Changes]] = ()
    #: Values of the server, such as secrets and totals, by name; None: the value goes.
    values: Mapping[str, bytes | None] = MappingProxyType({})
    #: What is added to the counts of all servers, by their names; only for an engine that servers share.
    counts: Mapping[str, int] = MappingProxyType({})

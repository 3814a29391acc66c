"""Evicting workspaces: which one is idle, and which ones are gone."""

from __future__ import annotations

import time
from collections.abc import Iterable

from mockserver.core.workspaces.workspace import Workspace

#: How many names of evicted workspaces are kept, to say why one is missing. Chosen: the default limit of workspaces.
_MOST_NAMES = 1_000


class Evictions:
    """How many workspaces were evicted, and the names of the last ones; the store guards it with its lock."""

    def __init__(self) -> None:
        self.count = 0
        self._names: dict[str, None] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def add(self, name: str) -> None:
        """Count an eviction, and keep the name of the workspace."""
        self.count += 1
        self._names[name] = None
        if len(self._names) > _MOST_NAMES:
            del self._names[next(iter(self._names))]

    def forget(self, name: str) -> None:
        """Drop a name, which a new workspace has taken."""
        self._names.pop(name, None)


def first_idle(workspaces: Iterable[Workspace], *, patience_s: float) -> Workspace | None:
    """The first workspace whose lock can be taken within `patience_s` seconds in all, or None if all are busy.

    Its lock is held by the calling thread, which has to release it.
    """
    until = time.monotonic() + patience_s
    for workspace in workspaces:
        if workspace.lock.acquire(timeout=max(until - time.monotonic(), 0)):
            return workspace
    return None

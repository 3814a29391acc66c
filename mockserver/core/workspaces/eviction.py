"""Workspaces that are gone: which one is idle and may go, and which ones went and why."""

from __future__ import annotations

import time
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from mockserver.core.workspaces.workspace import Workspace

#: How many names of workspaces that are gone are kept, to say why one is missing. Chosen: as many workspaces as there
#: may be by default went by themselves, and as many were dropped.
_MOST_NAMES = 2_000


class Gone(StrEnum):
    """Why a workspace is gone."""

    DROPPED = "dropped"
    #: A newer one took its place.
    EVICTED = "evicted"


class Departures:
    """How many workspaces were evicted, and the last ones that are gone by name; the store guards it with its lock."""

    def __init__(self) -> None:
        self.evicted = 0
        self._why: dict[str, Gone] = {}

    def why(self, name: str) -> Gone | None:
        """Why the workspace of a name is gone; None: there is one, never was one, or it has been too long ago."""
        return self._why.get(name)

    def add(self, name: str, why: Gone) -> None:
        """Keep the name of a workspace that is gone, and count it if it was evicted."""
        self.evicted += why is Gone.EVICTED
        self._why.pop(name, None)  # the names are in the order of going
        self._why[name] = why
        if len(self._why) > _MOST_NAMES:
            del self._why[next(iter(self._why))]

    def forget(self, name: str) -> None:
        """Drop a name, which a new workspace has taken."""
        self._why.pop(name, None)


class Candidate(NamedTuple):
    """A workspace that could be evicted."""

    name: str
    #: None: it rests.
    workspace: Workspace | None


def first_idle(candidates: Iterable[Candidate], *, patience_s: float) -> Candidate | None:
    """The first workspace that rests, or whose lock can be taken within `patience_s` seconds in all, or None.

    A lock that was taken is held by the calling thread, which has to release it.
    """
    until = time.monotonic() + patience_s
    for candidate in candidates:
        workspace = candidate.workspace
        if workspace is None or workspace.lock.acquire(timeout=max(until - time.monotonic(), 0)):
            return candidate
    return None

"""A workspace out of what an engine holds of it."""

from __future__ import annotations

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.core.workspaces.workspace import Parts, Workspace
from mockserver.storage.records.changes import Stored

#: The name of the part that `coverage` reads.
COVERAGE = "coverage"


def load(name: str, stored: Stored, *, parts: Parts, limits: WorkspaceLimits) -> Workspace:
    """A workspace as it was when it was written; no store holds it yet, and no timer has fired since then.

    Requests that a fault held are over. If the limits are lower than they were, the oldest of each log goes.

    Raises:
        UnreadableError: what is held is no workspace.
    """
    raise NotImplementedError


def coverage(part: bytes) -> Coverage:
    """The coverage that the part `COVERAGE` holds; an empty one for no bytes.

    Raises:
        UnreadableError: the bytes are no coverage.
    """
    raise NotImplementedError

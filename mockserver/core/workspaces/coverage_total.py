"""The coverage of a whole server, which outlives the workspaces that have added to it."""

from __future__ import annotations

from collections.abc import Iterable

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.workspace import Workspace


class CoverageTotal:
    """The coverage of workspaces that were reset or dropped; the store guards it with its lock."""

    def __init__(self) -> None:
        self._past = Coverage()

    def take(self, workspace: Workspace) -> None:
        """Move the coverage of a workspace into the total; that of an uncounted one is only cleared."""
        if workspace.counted:
            self._past.merge(workspace.coverage)
        workspace.coverage.clear()

    def with_present(self, workspaces: Iterable[Workspace]) -> Coverage:
        """The total together with the coverage of those of the workspaces that are counted."""
        found = Coverage()
        found.merge(self._past)
        for workspace in workspaces:
            if workspace.counted:
                found.merge(workspace.coverage)
        return found

    def clear(self) -> None:
        self._past.clear()

"""The coverage of a whole server, which outlives the workspaces that have added to it."""

from __future__ import annotations

from collections.abc import Iterable

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.keeping import Keeping, KeepingError, Outline
from mockserver.core.workspaces.workspace import Workspace


class CoverageTotal:
    """The coverage of workspaces that were reset or dropped, as it is kept; the store guards it with its lock."""

    def __init__(self, keeping: Keeping) -> None:
        self._keeping = keeping

    def take(self, workspace: Workspace) -> None:
        """Move the coverage of a workspace into the total; that of an uncounted one is only cleared."""
        if workspace.counted:
            self._keeping.add_past(workspace.coverage)
        workspace.coverage.clear()

    def take_resting(self, outline: Outline) -> None:
        """Add the coverage of a workspace that rests, and goes, to the total; nothing if it cannot be read."""
        if not outline.counted:
            return
        try:
            self._keeping.add_past(self._keeping.coverage((outline.name,)))
        except KeepingError:
            return  # who drops what cannot be read loses its coverage, too

    def with_present(self, loaded: Iterable[Workspace], resting: Iterable[Outline]) -> Coverage:
        """The total together with the coverage of those of the workspaces that are counted.

        Raises:
            KeepingError: the coverage of one that rests, or of those that are gone, cannot be read.
        """
        found = self._keeping.coverage(outline.name for outline in resting if outline.counted)
        found.merge(self._keeping.past())
        for workspace in loaded:
            if workspace.counted:
                found.merge(workspace.coverage)
        return found

    def clear(self) -> None:
        self._keeping.clear_past()

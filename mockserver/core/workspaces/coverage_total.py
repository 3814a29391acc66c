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
        self.add(self.of(workspace))
        workspace.coverage.clear()

    def of(self, workspace: Workspace) -> Coverage:
        """What a workspace adds to the total when it goes: nothing, if it is not counted."""
        return workspace.coverage if workspace.counted else Coverage()

    def of_resting(self, outline: Outline) -> Coverage:
        """What a workspace that rests adds to the total when it goes: nothing, if it cannot be read."""
        if not outline.counted:
            return Coverage()
        try:
            return self._keeping.coverage((outline.name,))
        except KeepingError:
            return Coverage()  # who drops what cannot be read loses its coverage, too

    def add(self, coverage: Coverage) -> None:
        """Add the coverage of a workspace that goes."""
        self._keeping.add_past(coverage)

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

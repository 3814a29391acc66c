"""What was written of a workspace last, so that only what is new is written again."""

from __future__ import annotations

from mockserver.core.workspaces.workspace import Workspace
from mockserver.storage.records.changes import Changes, Stored


class Written:
    """What an engine holds of a workspace: nothing at first, and what `changes` has given since then."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @classmethod
    def loaded(cls, workspace: Workspace, stored: Stored) -> Written:
        """Of a workspace that was just made from what an engine holds; the next changes are those since then."""
        raise NotImplementedError

    def changes(self) -> Changes:
        """What is new since the last call, which counts as written from now on; the caller holds the workspace's lock.

        It may be written once more, or upon what a later one has left: that leads to the same.
        """
        raise NotImplementedError

    def take_back(self) -> None:
        """Give what the last `changes` gave once more with the next ones: it was not kept.

        Whoever takes changes keeps them, or takes them back, before taking the next ones; no lock is needed.
        """
        raise NotImplementedError

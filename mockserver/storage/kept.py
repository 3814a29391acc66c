"""A workspace that is kept and in memory, with what of it is written."""

from __future__ import annotations

from typing import NamedTuple

from mockserver.core.workspaces.keeping import KeepingError, Outline
from mockserver.core.workspaces.workspace import Workspace
from mockserver.storage.outbox import Outbox
from mockserver.storage.records.changes import Changes
from mockserver.storage.records.outline import outline
from mockserver.storage.records.written import Written
from mockserver.storage.touch_lock import TouchLock


class Taken(NamedTuple):
    """What is new in a workspace, on its way to the engine."""

    kept: Kept
    outline: Outline
    changes: Changes

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        entries = (len(content) for log in self.changes.logs for _, content in log.entries)
        return sum(map(len, self.changes.parts.values())) + sum(entries)


class Kept:
    """A workspace of which everything new is written."""

    def __init__(self, workspace: Workspace, written: Written | None = None, *, confirms: bool = False) -> None:
        """A workspace; `written` says what the engine holds of it, None: nothing, or what another one has left.

        With `confirms` it is taken although nothing in it is new, so that the engine tells whether it is still held.
        """
        assert isinstance(workspace.lock, TouchLock), "its store asks what keeps it for its lock"
        self.name = workspace.name
        self.lock: TouchLock = workspace.lock
        self._workspace = workspace
        self._written = written or Written(workspace)
        self._confirms = confirms
        #: Where calls and e-mails wait until it is kept what has caused them; None: they do not wait.
        self._outbox = workspace.effects if isinstance(workspace.effects, Outbox) else None
        #: Whether what the engine holds under its name is not of it.
        self.is_new = written is None
        #: Whether changes were taken, and it is not known yet whether they are kept.
        self._is_on_its_way = False

    def take(self) -> Taken | None:
        """What is new, to be given to `keep` or `take_back`; None if nothing is. The caller holds the lock.

        Raises:
            KeepingError: something in it cannot be written.
        """
        try:
            changes = self._written.changes()
            found = outline(self._workspace)
        except Exception as error:
            raise KeepingError(f"workspace {self.name} cannot be written: {error}") from error
        leaves = self._outbox is not None and self._outbox.take()
        if not (changes or leaves or self.is_new or self._confirms):
            return None
        self._is_on_its_way = True
        return Taken(self, found, changes)

    def keep(self) -> None:
        """Count what was taken as written."""
        self.is_new = self._is_on_its_way = False
        if self._outbox is not None:
            self._outbox.let_leave()

    def take_back(self) -> None:
        """Count what was taken as not written: it is taken once more."""
        self._written.take_back()
        self._is_on_its_way = False
        if self._outbox is not None:
            self._outbox.take_back()
        self.lock.touch()

    def lose(self, sentence: str) -> None:
        """Let nobody use it any more, and nothing leave it; the sentence says why it is lost."""
        self.lock.loss = sentence
        if self._outbox is not None:
            self._outbox.clear()

    def released(self) -> Outline | None:
        """The outline, if all is written; else None. The caller holds the lock."""
        if self.is_new or self._is_on_its_way:
            return None
        if self._written.changes():
            self._written.take_back()
            return None
        self.lock.is_let_go = True
        return outline(self._workspace)

"""The `Keeping` of a server whose workspaces are gone with its process, and of one that shares them with nobody."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from mockserver.core.effects.effects import Effects
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.keeping import KeepingStatus, MissingError, News, Outline
from mockserver.core.workspaces.workspace import Workspace


class Unshared:
    """The part of a `Keeping` that tells of other servers, where there are none."""

    is_shared = False

    def claim(self, name: str) -> bool:
        return True

    def let_go(self, outline: Outline) -> None:
        """Do nothing: nobody else would take it."""

    def news(self) -> Sequence[News]:
        return ()

    def follow(self, lost: Callable[[str], object]) -> None:
        """Do nothing: none is lost."""


class NoKeeping(Unshared):
    """Keeps nothing: workspaces are gone with the process."""

    failure: str | None = None

    def __init__(self) -> None:
        self._past = Coverage()

    def status(self) -> KeepingStatus | None:
        return None

    def lock(self) -> threading.RLock:
        return threading.RLock()

    def outlines(self) -> Sequence[Outline]:
        return ()

    def names(self) -> Sequence[str]:
        return ()

    def load(self, name: str) -> Workspace:
        raise MissingError(f"workspace {name} is not kept")

    def copy(self, name: str) -> Workspace:
        return self.load(name)

    def effects(self, workspace: Workspace, effects: Effects) -> Effects:
        return effects

    def add(self, workspace: Workspace) -> None:
        """Do nothing."""

    def remove(self, name: str) -> None:
        """Do nothing."""

    def evict(self, name: str) -> bool:
        return False

    def release(self, workspace: Workspace) -> Outline | None:
        return None

    def begin(self) -> None:
        """Do nothing: nothing has to be waited for."""

    def settle(self) -> None:
        """Do nothing: nothing has to be waited for."""

    def settled(self) -> None:
        """Do nothing: nothing has to be waited for."""

    def coverage(self, names: Iterable[str]) -> Coverage:
        return Coverage()

    def clear_coverage(self, names: Iterable[str]) -> None:
        """Do nothing."""

    def past(self) -> Coverage:
        return self._past

    def add_past(self, coverage: Coverage) -> None:
        self._past.merge(coverage)

    def clear_past(self) -> None:
        self._past.clear()

    def secret(self, name: str, draw: Callable[[], bytes]) -> bytes:
        return draw()

    def has_secret(self, name: str) -> bool:
        return False

    def close(self) -> bool:
        """Return True: nothing is to be saved."""
        return True

"""Homes: the workspaces to which an API key leads."""

from __future__ import annotations

from collections.abc import Iterable


class Homes:
    """The names of the workspaces of each key, valid or revoked; several scenarios may hold the same key."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, None]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._names

    def first(self, key: str) -> str | None:
        """The workspace that has had a key longest, or None; it is meant if a request names no workspace."""
        names = self._names.get(key)
        return None if names is None else next(iter(names))

    def all(self, key: str) -> tuple[str, ...]:
        """The workspaces of a key, the one that has had it longest first."""
        return tuple(self._names.get(key, ()))

    def add(self, key: str, workspace: str) -> None:
        self._names.setdefault(key, {})[workspace] = None

    def remove(self, keys: Iterable[str], workspace: str) -> None:
        """Let keys no longer lead to a workspace."""
        for key in keys:
            names = self._names.get(key, {})
            names.pop(workspace, None)
            if not names:
                self._names.pop(key, None)

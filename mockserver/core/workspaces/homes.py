"""Which workspaces a key leads to."""

from __future__ import annotations

from collections.abc import Iterable


class Homes:
    """The names of the workspaces that know a key, revoked ones included: several have one if a scenario says so."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, None]] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._names

    def first(self, key: str) -> str | None:
        """The workspace that has known a key for longest, which is meant where the address names none."""
        names = self._names.get(key)
        return None if names is None else next(iter(names))

    def add(self, key: str, workspace: str) -> None:
        self._names.setdefault(key, {})[workspace] = None

    def remove(self, keys: Iterable[str], workspace: str) -> None:
        """Let these keys lead to a workspace no more."""
        for key in keys:
            names = self._names.get(key, {})
            names.pop(workspace, None)
            if not names:
                self._names.pop(key, None)

"""Lazy modules, imported on first call so that servers start quickly.

A module that uses one imports it under `TYPE_CHECKING` for type checkers, and otherwise takes it from `lazy`.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any


class LazyModule:
    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def imported(self) -> ModuleType:
        return import_module(self._name)

    def __getattr__(self, name: str) -> LazyName:
        if name.startswith("__"):  # a question about the object itself, as `copy` asks it
            raise AttributeError(name)
        found = self.__dict__[name] = LazyName(self, name)
        return found


class LazyName:
    __slots__ = ("_module", "_name")

    def __init__(self, module: LazyModule, name: str) -> None:
        self._module = module
        self._name = name

    def get(self) -> Any:
        """Return the named object. Raises AttributeError if missing."""
        return getattr(self._module.imported, self._name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._module.imported, self._name)(*args, **kwargs)


def lazy(package: str, *names: str) -> tuple[LazyModule, ...]:
    """Return modules of a package, which are imported on the first call."""
    return tuple(LazyModule(f"{package}.{name}") for name in names)

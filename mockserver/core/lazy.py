"""Modules that are imported when one of their functions is first called, so that a server starts without most of them.

A module that uses one imports it under `TYPE_CHECKING` for type checkers, and otherwise takes it from `lazy`.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any


class LazyModule:
    """A module whose functions and classes are only called: each attribute is a `LazyName`."""

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
    """A function or class of a module that is imported on the first call."""

    __slots__ = ("_module", "_name")

    def __init__(self, module: LazyModule, name: str) -> None:
        self._module = module
        self._name = name

    def get(self) -> Any:
        """Return the object of this name. Raises AttributeError if the module has no such name."""
        return getattr(self._module.imported, self._name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._module.imported, self._name)(*args, **kwargs)


def lazy(package: str, *names: str) -> tuple[LazyModule, ...]:
    """Return modules of a package, which are imported on the first call."""
    return tuple(LazyModule(f"{package}.{name}") for name in names)

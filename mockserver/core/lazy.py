"""Modules that are imported when one of their functions is first called, so that a server starts without most of them.

A module that uses one imports it under `TYPE_CHECKING` for type checkers, and otherwise takes it from `lazy`.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any


class LazyModule:
    """A module whose functions and classes are only named and called, and nothing is read: each is a `LazyName`."""

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def _imported(self) -> ModuleType:
        return import_module(self._name)

    def __getattr__(self, name: str) -> LazyName:
        if name.startswith("__"):  # a question about the object itself, as `copy` asks it
            raise AttributeError(name)
        found = self.__dict__[name] = LazyName(self, name)
        return found


class LazyName:
    """A name of a module; to call it is to call what the module has of that name."""

    __slots__ = ("_module", "_name")

    def __init__(self, module: LazyModule, name: str) -> None:
        self._module = module
        self._name = name

    def get(self) -> Any:
        """What the module has of that name; the module is imported if nobody has done so yet.

        Raises:
            AttributeError: the module has no such name.
        """
        return getattr(self._module._imported, self._name)  # noqa: SLF001  # a module and its names are one thing

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._module._imported, self._name)(*args, **kwargs)  # noqa: SLF001  # as above


def lazy(package: str, *names: str) -> tuple[LazyModule, ...]:
    """The modules of these names in a package, none of which is imported before something of it is called."""
    return tuple(LazyModule(f"{package}.{name}") for name in names)

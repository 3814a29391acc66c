"""Modules that are imported when something of them is first called: a server starts without most of them.

Who uses one imports it under `TYPE_CHECKING`, so that type checkers know the module itself, and else from here.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any


class LateModule:
    """A module whose functions and classes are only named and called, and nothing is read: each is a `LateName`."""

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def _imported(self) -> ModuleType:
        return import_module(self._name)

    def __getattr__(self, name: str) -> LateName:
        if name.startswith("__"):  # a question about the object itself, as `copy` asks it
            raise AttributeError(name)
        found = self.__dict__[name] = LateName(self, name)
        return found


class LateName:
    """A name of a module; to call it is to call what the module has of that name."""

    __slots__ = ("_module", "_name")

    def __init__(self, module: LateModule, name: str) -> None:
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


def late(package: str, *names: str) -> tuple[LateModule, ...]:
    """The modules of these names in a package, none of which is imported before something of it is called."""
    return tuple(LateModule(f"{package}.{name}") for name in names)

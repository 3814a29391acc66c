"""Importing libraries without compiling unused regular expressions.

marshmallow compiles the pattern of its e-mail validator on import, and PyYAML that of its reader in Python: characters
of half of Unicode, in seven classes that ignore case. That takes a quarter of the time to the first answer, and only
marshmallow's pattern of the local part is ever used here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any


class LazyPattern:
    """A regular expression compiled on first use."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._source)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # an abstract class asks each attribute whether it is abstract: no pattern is
            raise AttributeError(name)
        found = self.__dict__[name] = getattr(self._compiled, name)
        return found


@contextmanager
def lazy_patterns(*modules: str) -> Iterator[None]:
    """Let `re.compile` return a `LazyPattern` to these modules during their import, and only to them."""
    compiled = re.compile

    def lazy(pattern: Any, flags: int = 0) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__")  # noqa: SLF001  # how else to tell who compiles
        return LazyPattern(pattern, flags) if caller in modules else compiled(pattern, flags)

    re.compile = lazy
    try:
        yield
    finally:
        re.compile = compiled

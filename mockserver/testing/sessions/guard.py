"""The guard of the plugin's hooks: pytest ends a session if a hook raises an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from traceback import format_exception_only

import pytest


@contextmanager
def told(what: str, tell: Callable[[str], object]) -> Iterator[None]:
    """Pass an exception of a `with` block to `tell` as a sentence; a test may have patched anything the block uses.

    Exceptions that somebody raises to end the session go on.
    """
    try:
        yield
    except (KeyboardInterrupt, pytest.exit.Exception):
        raise
    except BaseException as error:  # noqa: BLE001  # those of `pytest.fail` are no `Exception`
        words = " ".join(format_exception_only(error)).split()
        tell("".join(filter(str.isprintable, f"{what}: {' '.join(words)}")))

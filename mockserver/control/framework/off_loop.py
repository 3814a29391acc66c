"""Leaving the event loop before work that takes long: a thread then runs the call again, from its beginning.

All functions but `leave` leave the loop only where the work is large; in a thread, they let the call go on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from flask import request

from mockserver.control.framework import dependencies
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server import loop

Made_co = TypeVar("Made_co", covariant=True)

#: How many bytes are written as text on the event loop at most: writing is several times as fast as reading a body.
_LARGE = loop.LARGE_BODY * 4


class Cached(Protocol[Made_co]):
    """A function without arguments, decorated with `functools.cache`."""

    def __call__(self) -> Made_co: ...

    def cache_info(self) -> Any: ...


def leave() -> None:
    """Leave the event loop; the call must not have changed anything yet."""
    loop.leave(request.environ)


def before_all_of(workspace: Workspace) -> None:
    """Leave the event loop before going through a workspace that is large by its own counts of rows and bytes."""
    size = max(workspace.state.tally.bytes, workspace.state.document_bytes)
    if workspace.state.rows() > loop.LARGE_WORKSPACE or size > _LARGE:
        leave()


def before_making(scenario: object | None) -> None:
    """Leave the event loop before making a large workspace of a scenario; None: of the server's own."""
    if dependencies.store().maker.rows(scenario) > loop.LARGE_WORKSPACE:
        leave()


def before_showing(sizes: Iterable[int]) -> None:
    """Leave the event loop before writing things as text that are many, or large; `sizes` are theirs, in bytes."""
    total = 0
    for count, size in enumerate(sizes, 1):
        total += size
        if count > loop.LARGE_LIST or total > _LARGE:
            leave()


def made_once(make: Cached[Made_co]) -> Made_co:
    """The cached result of `make`; while there is none yet, the event loop is left, as making it takes long."""
    if not make.cache_info().currsize:
        leave()
    return make()

"""Leaving the event loop before something that takes long: a thread then runs the call, from its beginning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from flask import request

from mockserver.control.framework import dependencies
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server import loop

Made_co = TypeVar("Made_co", covariant=True)

#: No more bytes are put into words on the event loop: that is several times as fast as reading a body.
_LARGE = loop.LARGE_BODY * 4


class Kept(Protocol[Made_co]):
    """A function without arguments whose result `functools.cache` keeps."""

    def __call__(self) -> Made_co: ...

    def cache_info(self) -> Any: ...


def leave() -> None:
    """Leave the event loop; nothing may have come of the call yet."""
    loop.leave(request.environ)


def before_all_of(workspace: Workspace) -> None:
    """Leave it before all of a large workspace is gone through, as far as the numbers tell that it keeps of itself."""
    size = max(workspace.state.tally.bytes, workspace.state.document_bytes)
    if workspace.state.rows() > loop.LARGE_WORKSPACE or size > _LARGE:
        leave()


def before_making(scenario: object | None) -> None:
    """Leave it before a large workspace is made, of the server's scenario or of another one."""
    if dependencies.store().maker.rows(scenario) > loop.LARGE_WORKSPACE:
        leave()


def before_showing(sizes: Iterable[int]) -> None:
    """Leave it before many things, or large ones, of so many bytes each, are put into words."""
    total = 0
    for count, size in enumerate(sizes, 1):
        total += size
        if count > loop.LARGE_LIST or total > _LARGE:
            leave()


def made_once(make: Kept[Made_co]) -> Made_co:
    """What is made once and kept; the first time that takes long, and leaves the event loop."""
    if not make.cache_info().currsize:
        leave()
    return make()

"""Long work leaves the event loop, and the call is run again from its beginning.

The functions leave the loop only where the work is large. In a thread they do nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server import loop

#: The most bytes that are written as text on the event loop: writing is several times as fast as reading a body.
_LARGE = loop.LARGE_BODY * 4


def before_all_of(workspace: Workspace) -> None:
    """Leave the event loop before reading a large workspace."""
    size = max(workspace.state.tally.bytes, workspace.state.document_bytes)
    if workspace.state.rows() > loop.LARGE_WORKSPACE or size > _LARGE:
        loop.leave()


def before_showing(sizes: Iterable[int]) -> None:
    """Leave the event loop before writing a long list, or much text; `sizes` are those of the items, in bytes."""
    total = 0
    for count, size in enumerate(sizes, 1):
        total += size
        if count > loop.LARGE_LIST or total > _LARGE:
            loop.leave()


def made_once(make: Any) -> Any:
    """Return the cached result of `make`, which `functools.cache` decorates; leave the event loop to call it."""
    if not make.cache_info().currsize:
        loop.leave()
    return make()

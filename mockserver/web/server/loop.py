"""Rules for the event loop: short steps without waiting; other work leaves the loop for a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from mockserver.core.workspaces.workspace import Workspace

#: The key of the environment of a request that runs on the loop.
LOOP = "mockserver.loop"
#: The most bytes of a body that is read on the loop: to parse and check it takes about a millisecond a kilobyte.
LARGE_BODY = 16 * 1024
#: The most bytes that are written as text on the loop: writing is several times as fast as reading a body.
_LARGE_TEXT = LARGE_BODY * 4
#: The most rows of a workspace that is made or written on the loop, which takes some 20 to 50 microseconds a row.
LARGE_WORKSPACE = 200
#: The most items of a list of the control API that is written on the loop, which takes some 50 microseconds an item.
LARGE_LIST = 100
#: The most rows in a table of an account that is read on the loop: to list them takes some 5 microseconds a row. An
#: account with more may still be changed on the loop, as that takes no longer.
LARGE_TABLE = 2_000
#: The most rows of a workspace in which operations that are declared to go through all rows of a type run on the loop,
#: whether they read or write: that takes some 10 to 25 microseconds a row, and up to 90 where its domain is to be put
#: into A-labels.
LARGE_SWEEP = 1_000


class LeaveLoop(BaseException):
    """Restarts a request in a thread, before its first effect.

    A `BaseException`, so that no error handler catches it.
    """

    def __init__(self, *, waits: bool = False) -> None:
        super().__init__()
        #: Whether the request takes but a moment once it has what it waits for, such as a workspace.
        self.waits = waits


#: The threads that run the event loop of a server, by their identifiers.
_THREADS: set[int] = set()


def begin_here() -> None:
    """Register the current thread as event loop until `end_here`."""
    _THREADS.add(threading.get_ident())


def end_here() -> None:
    _THREADS.discard(threading.get_ident())


def leave(*, waits: bool = False) -> None:
    """Leave the event loop before the first effect of a step; elsewhere do nothing.

    Raises:
        LeaveLoop: the current thread runs an event loop; `waits` is passed on.
    """
    if threading.get_ident() in _THREADS:
        raise LeaveLoop(waits=waits)


def leave_if_large(workspace: Workspace) -> None:
    """Leave the event loop before reading all of a large workspace."""
    size = max(workspace.state.tally.bytes, workspace.state.document_bytes, workspace.state.received.bytes)
    if workspace.state.rows() > LARGE_WORKSPACE or size > _LARGE_TEXT:
        leave()


def leave_if_long(sizes: Iterable[int]) -> None:
    """Leave the event loop before writing a long list, or much text; `sizes` are those of the items, in bytes."""
    total = 0
    for count, size in enumerate(sizes, 1):
        total += size
        if count > LARGE_LIST or total > _LARGE_TEXT:
            leave()


def cached(make: Any) -> Any:
    """Return the cached result of `make`, which `functools.cache` decorates; leave the event loop to call it."""
    if not make.cache_info().currsize:
        leave()
    return make()

"""Rules for the event loop: short steps without waiting; other work leaves the loop for a thread."""

from __future__ import annotations

import threading
from datetime import datetime
from typing import Any

from mockserver.core.waiting import CallbackLock
from mockserver.core.workspaces.workspace import Workspace

#: The key of a request's environment for the list of the locks that it holds while it runs on the loop; the runner sets
#: it, and releases them.
LOOP = "mockserver.loop"
#: The key of a request's environment for the list of the locks, of those that may be held for long, that it holds while
#: it runs in a thread; the runner sets it, and releases them.
THREAD = "mockserver.thread"
#: The most bytes of a body that is read on the loop: to parse and check it takes about a millisecond a kilobyte.
LARGE_BODY = 16 * 1024
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

    def __init__(self, *, waits: bool = False, until: CallbackLock | None = None) -> None:
        super().__init__()
        #: Whether the request takes but a moment once it has what it waits for: a lock, or an answer.
        self.waits = waits
        #: The lock that may be held for long and that the request needs, if there is one.
        self.until = until


#: The threads that run the event loop of a server, by their identifiers.
_THREADS: set[int] = set()


def begin_here() -> None:
    """Register the current thread as event loop until `end_here`."""
    _THREADS.add(threading.get_ident())


def end_here() -> None:
    _THREADS.discard(threading.get_ident())


def leave_here(*, waits: bool = False) -> None:
    """Leave the event loop before the first effect of any step.

    Raises:
        LeaveLoop: the current thread runs an event loop; `waits` is passed on.
    """
    if threading.get_ident() in _THREADS:
        raise LeaveLoop(waits=waits)


def leave(environ: dict[str, Any]) -> None:
    """Leave the event loop before the first effect of a request.

    Raises:
        LeaveLoop: the request runs on the loop.
    """
    if LOOP in environ:
        raise LeaveLoop


def hold(environ: dict[str, Any], lock: threading.RLock) -> bool:
    """Hold a lock until the end of a request on the loop, without waiting. Return whether the request runs on the loop.

    In a thread this does nothing: later code waits for the lock.

    Raises:
        LeaveLoop: another thread holds the lock.
    """
    held = environ.get(LOOP)
    if held is None:
        return False
    if lock not in held:
        if not lock.acquire(blocking=False):
            raise LeaveLoop(waits=True)
        held.append(lock)
    return True


def catch_up(workspace: Workspace, *, on_loop: bool) -> datetime:
    """Fire due timers of a locked workspace, and return the current moment."""
    if on_loop and workspace.state.is_much_due:
        raise LeaveLoop
    return workspace.catch_up()


def enter(environ: dict[str, Any], workspace: Workspace) -> None:
    """Fire due timers of a workspace; a request on the loop keeps the workspace's lock."""
    on_loop = hold(environ, workspace.lock)
    with workspace.lock:
        catch_up(workspace, on_loop=on_loop)


def occupy(environ: dict[str, Any], turn: CallbackLock) -> None:
    """Hold a long-held lock until the end of a request.

    Under an ordinary WSGI server this does nothing: later code waits for the lock.

    Raises:
        LeaveLoop: another request holds the lock; this request waits without a thread.
    """
    held = environ.get(LOOP, environ.get(THREAD))
    if held is None or turn in held:
        return
    if not turn.acquire(blocking=False):
        raise LeaveLoop(until=turn)
    held.append(turn)

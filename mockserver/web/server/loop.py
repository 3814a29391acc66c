"""What may run on the event loop: short steps that wait for nothing. Everything else leaves it for a thread."""

from __future__ import annotations

import threading
from typing import Any

from mockserver.core.waiting.turn import Turn
from mockserver.core.workspaces.workspace import Workspace

#: Where the bridge leaves the list of the locks that a request holds as long as it runs on the loop.
LOOP = "mockserver.loop"
#: The same of one that runs in a thread: those that may be held for long.
THREAD = "mockserver.thread"
#: A body of more bytes is never read on the loop: parsing and checking it takes about a millisecond for each kilobyte.
LARGE_BODY = 16 * 1024
#: A workspace of more rows is neither made nor written on the loop: each takes some 20 to 50 microseconds.
LARGE_WORKSPACE = 200
#: No longer list of the control API is put into words on the loop: an entry takes some 50 microseconds.
LARGE_LIST = 100
#: An account with a table of more rows is read by a thread: to list one takes some 5 microseconds a row. To change
#: something in it takes as long as anywhere.
LARGE_TABLE = 2_000
#: A workspace of more rows leaves the loop to operations that say that they go through all of a kind, whether they
#: read or write: a row takes them some 10 to 25 microseconds, and up to 90 where its address is to be put into
#: A-labels.
LARGE_SWEEP = 1_000


class LeaveLoop(BaseException):
    """A request is to be run again in a thread, perhaps later, from its beginning: nothing has come of it yet.

    No handler of errors is to take it for one.
    """

    def __init__(self, *, waits: bool = False, until: Turn | None = None) -> None:
        super().__init__()
        #: Whether it has nothing much to do, but to wait for a lock.
        self.waits = waits
        #: What it has to wait for first, which may take long.
        self.until = until


def is_on(environ: dict[str, Any]) -> bool:
    """Whether a request runs on the loop."""
    return LOOP in environ


def leave(environ: dict[str, Any]) -> None:
    """Run what follows in a thread, before anything has come of the request.

    Raises:
        LeaveLoop: the request runs on the loop.
    """
    if LOOP in environ:
        raise LeaveLoop


def hold(environ: dict[str, Any], lock: threading.RLock) -> None:
    """On the loop, have a lock at once and until the request has been run; elsewhere, whoever needs it waits for it.

    What follows on the loop then never waits for this lock.

    Raises:
        LeaveLoop: the request runs on the loop, and somebody else has the lock.
    """
    held = environ.get(LOOP)
    if held is None or lock in held:
        return
    if not lock.acquire(blocking=False):
        raise LeaveLoop(waits=True)
    held.append(lock)


def catch_up(workspace: Workspace, *, on_loop: bool) -> None:
    """Let happen what is due in a workspace whose lock is held.

    Raises:
        LeaveLoop: that may take long, and we are on the loop.
    """
    if on_loop and workspace.state.is_much_due:
        raise LeaveLoop
    workspace.catch_up()


def enter(environ: dict[str, Any], workspace: Workspace) -> None:
    """Let happen what is due in a workspace; on the loop, nobody else acts on it until the request has been run.

    Raises:
        LeaveLoop: the request runs on the loop, and somebody else has the workspace's lock, or much is due.
    """
    hold(environ, workspace.lock)
    with workspace.lock:
        catch_up(workspace, on_loop=is_on(environ))


def occupy(environ: dict[str, Any], turn: Turn) -> None:
    """Have a lock that may be held for long, until the request has been run; to wait for it takes no thread.

    Under another server than our own, whoever needs it waits for it.

    Raises:
        LeaveLoop: somebody else has it.
    """
    held = environ.get(LOOP, environ.get(THREAD))
    if held is None or turn in held:
        return
    if not turn.acquire(blocking=False):
        raise LeaveLoop(until=turn)
    held.append(turn)

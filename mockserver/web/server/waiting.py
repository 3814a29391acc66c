"""Waiting for changes of a workspace, without holding it and without the event loop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from mockserver.core.traffic.exchange import Held
from mockserver.core.waiting import ANYTHING, Kinds
from mockserver.core.workspaces.workspace import Workspace

#: The most seconds that a request may ask to wait. Chosen: as long as the time limits of most clients.
LONGEST_WAIT = 30.0
#: The key of a request's environment for the `SuspendedRequest` by which it tells the runner that it waits.
SUSPENDED = "mockserver.suspended"

Found = TypeVar("Found")


class SuspendedRequest:
    """A waiting request, run again by the runner on each change of its workspace.

    Each request has one, and few ever wait: the class attributes are the defaults.
    """

    #: The workspace to watch, or None if the request has not waited yet.
    workspace: Workspace | None = None
    #: Until when the request waits, on the monotonic clock.
    deadline: float = 0.0
    #: The kinds of things in the workspace that the request waits for.
    kinds: Kinds = ANYTHING
    #: How often something of these kinds had happened when the request last looked.
    seen: int = 0
    #: Whether the request has found nothing yet, so that its answer is not sent.
    waiting: bool = False
    #: What held the request, if it is run again because it was let go.
    held: Held | None = None
    #: Whether the request is carried out even if its client leaves meanwhile.
    stays: bool = False
    #: Whether the server can run the request again once its fault has let it go.
    runs_again: bool = True

    @cached_property
    def begun(self) -> dict[str, Any]:
        """Results of earlier runs, by name."""
        return {}


def begun(environ: dict[str, Any], name: str, begin: Callable[[], Found]) -> Found:
    """Call `begin` in the first run of a request only, and return its result in every run."""
    known = environ[SUSPENDED].begun
    if name not in known:
        known[name] = begin()
    found: Found = known[name]
    return found


def is_waiting(environ: dict[str, Any]) -> bool:
    """Return whether a request runs again, with its present answer dropped."""
    suspended: SuspendedRequest = environ[SUSPENDED]
    return suspended.waiting


def wait_for(
    environ: dict[str, Any],
    workspace: Workspace,
    seconds: float,
    find: Callable[[], Sequence[Found]],
    kinds: Kinds = ANYTHING,
    *,
    stays: bool = False,
) -> Sequence[Found]:
    """Return the results of `find` as soon as there are any, or an empty sequence after `seconds`.

    `find` is called now and after each event of these kinds, in steps. With `stays`, it asks what comes from outside,
    and the wait goes on after the client has left.
    """
    seen = workspace.watchers.happened(kinds)
    found = find()
    if found or seconds <= 0:
        return found
    suspended: SuspendedRequest = environ[SUSPENDED]
    if suspended.workspace is None:
        suspended.deadline = time.monotonic() + seconds
    elif time.monotonic() >= suspended.deadline:
        return found
    suspended.workspace, suspended.kinds, suspended.seen, suspended.stays = workspace, kinds, seen, stays
    suspended.waiting = True
    return found


def block_until_changed(suspended: SuspendedRequest) -> None:
    """Block this thread until a suspended request's workspace changes, or set its deadline to now.

    For an ordinary WSGI server; the caller runs no step.
    """
    workspace, changed = suspended.workspace, threading.Event()
    assert workspace is not None, "the request waits"
    workspace.watchers.add(changed.set, suspended.kinds)
    try:
        has_changed = workspace.watchers.happened(suspended.kinds) != suspended.seen
        if not has_changed and not changed.wait(max(0.0, suspended.deadline - time.monotonic())):
            suspended.deadline = 0.0
    finally:
        workspace.watchers.discard(changed.set)

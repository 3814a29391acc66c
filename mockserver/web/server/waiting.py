"""Waiting for something to happen in a workspace, without holding the workspace's lock or the event loop."""

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
    """A request that waits, for the runner, which runs it again whenever something that it waits for has happened.

    That ends when the request has found something, or its time is up. Each request has one, and few ever wait: what is
    set here are the values of those that do not.
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

    @cached_property
    def begun(self) -> dict[str, Any]:
        """What the request has begun, for its next run."""
        return {}


def begun(environ: dict[str, Any], name: str, begin: Callable[[], Found]) -> Found:
    """What `begin` returned when the request was first run; it is not called again when the request is run again."""
    suspended: SuspendedRequest | None = environ.get(SUSPENDED)
    if suspended is None:
        return begin()
    if name not in suspended.begun:
        suspended.begun[name] = begin()
    found: Found = suspended.begun[name]
    return found


def is_waiting(environ: dict[str, Any]) -> bool:
    """Whether the request of this environment will be run again, so that its answer is not sent."""
    suspended: SuspendedRequest | None = environ.get(SUSPENDED)
    return suspended is not None and suspended.waiting


def wait_for(
    environ: dict[str, Any],
    workspace: Workspace,
    seconds: float,
    find: Callable[[], Sequence[Found]],
    kinds: Kinds = ANYTHING,
    *,
    stays: bool = False,
) -> Sequence[Found]:
    """What `find` finds, as soon as it finds something; nothing if `seconds` have passed or the client has left.

    `find` is called with the workspace's lock held, at once and whenever something of these kinds has happened. With
    `stays` the wait goes on although the client has left.
    """
    with workspace.lock:
        found, seen = find(), workspace.watchers.happened(kinds)
    if found or seconds <= 0:
        return found
    suspended: SuspendedRequest | None = environ.get(SUSPENDED)
    if suspended is None:
        return _block(workspace, seconds, find, kinds)
    if suspended.workspace is None:
        suspended.deadline = time.monotonic() + seconds
    elif time.monotonic() >= suspended.deadline:
        return found
    suspended.workspace, suspended.kinds, suspended.seen, suspended.stays = workspace, kinds, seen, stays
    suspended.waiting = True
    return found


def block_until_changed(suspended: SuspendedRequest) -> None:
    """Block this thread until what a waiting request waits for has happened, or let the next run be the last one.

    For an ordinary WSGI server; the caller holds no lock.
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


def _block(workspace: Workspace, seconds: float, find: Callable[[], Sequence[Found]], kinds: Kinds) -> Sequence[Found]:
    """What `find` finds within so many seconds; for an ordinary WSGI server, where waiting holds a thread."""
    changed = threading.Event()
    workspace.watchers.add(changed.set, kinds)
    deadline = time.monotonic() + seconds
    try:
        while True:
            changed.clear()
            with workspace.lock:
                found = find()
            if found or not changed.wait(max(0.0, deadline - time.monotonic())):
                return found
    finally:
        workspace.watchers.discard(changed.set)

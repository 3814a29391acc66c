"""Waiting for something to happen in a workspace, without holding its lock or the server's loop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from flask import request

from mockserver.core.waiting.watchers import ANYTHING, Kinds
from mockserver.core.workspaces.workspace import Workspace

#: The longest that a request may wait, in seconds.
LONGEST_WAIT = 30.0
#: Where the bridge leaves a `SuspendedRequest` for requests that want to wait.
SUSPENDED = "mockserver.suspended"

Found = TypeVar("Found")


@dataclass(slots=True, eq=False)
class SuspendedRequest:
    """What a waiting request tells the bridge: which workspace to watch, and until when (`time.monotonic`).

    The bridge runs the request again whenever something of the kinds that it waits for has happened, until it has found
    something or the time is up.
    """

    workspace: Workspace | None = None
    deadline: float = 0.0
    #: What it waits for.
    kinds: Kinds = ANYTHING
    #: How often that had happened when the request last looked.
    seen: int = 0
    waiting: bool = False
    #: Whether the request is carried out even if its client leaves meanwhile.
    stays: bool = False
    #: What the request has begun, for its next run.
    begun: dict[str, Any] = field(default_factory=dict)


def begun(name: str, begin: Callable[[], Found]) -> Found:
    """What a request has begun when it was first run, however often it is run again."""
    suspended: SuspendedRequest | None = request.environ.get(SUSPENDED)
    if suspended is None:
        return begin()
    if name not in suspended.begun:
        suspended.begun[name] = begin()
    found: Found = suspended.begun[name]
    return found


def is_waiting() -> bool:
    """Whether the request will be run again, and nobody gets to see what it answers now."""
    suspended: SuspendedRequest | None = request.environ.get(SUSPENDED)
    return suspended is not None and suspended.waiting


def wait_for(
    workspace: Workspace,
    seconds: float,
    find: Callable[[], Sequence[Found]],
    kinds: Kinds = ANYTHING,
    *,
    stays: bool = False,
) -> Sequence[Found]:
    """What `find` finds, as soon as it finds something, or nothing when the time is up or the client has left.

    It looks again when something of these kinds has happened. A request that stays is waited for whether its client is
    still there or not.
    """
    with workspace.lock:
        found, seen = find(), workspace.watchers.happened(kinds)
    if found or seconds <= 0:
        return found
    suspended: SuspendedRequest | None = request.environ.get(SUSPENDED)
    if suspended is None:
        return _block(workspace, seconds, find, kinds)
    if suspended.workspace is None:
        suspended.deadline = time.monotonic() + seconds
    elif time.monotonic() >= suspended.deadline:
        return found
    suspended.workspace, suspended.kinds, suspended.seen, suspended.stays = workspace, kinds, seen, stays
    suspended.waiting = True
    return found


def _block(workspace: Workspace, seconds: float, find: Callable[[], Sequence[Found]], kinds: Kinds) -> Sequence[Found]:
    """The same under an ordinary WSGI server, whose thread has nothing else to do."""
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

"""Waiting for something to happen in a workspace, without holding its lock or the server's loop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from flask import request

if TYPE_CHECKING:
    from mockserver.core.workspace import Workspace

#: The longest that a request may wait, in seconds.
LONGEST_WAIT = 30.0
#: Where the bridge leaves a `Park` for requests that want to wait.
PARK = "mockserver.park"

Found = TypeVar("Found")


@dataclass(slots=True, eq=False)
class Park:
    """What a waiting request tells the bridge: which workspace to watch, and until when (`time.monotonic`).

    The bridge runs the request again after every change, until it has found something or the time is up.
    """

    workspace: Workspace | None = None
    deadline: float = 0.0
    waiting: bool = False


def wait_for(workspace: Workspace, seconds: float, find: Callable[[], Sequence[Found]]) -> Sequence[Found]:
    """What `find` finds, as soon as it finds something, or nothing when the time is up."""
    with workspace.lock:
        found = find()
    if found or seconds <= 0:
        return found
    park: Park | None = request.environ.get(PARK)
    if park is None:
        return _block(workspace, seconds, find)
    if park.workspace is None:
        park.deadline = time.monotonic() + seconds
    # Another one after a reset.
    park.workspace = workspace
    park.waiting = True
    return found


def _block(workspace: Workspace, seconds: float, find: Callable[[], Sequence[Found]]) -> Sequence[Found]:
    """The same under an ordinary WSGI server, whose thread has nothing else to do."""
    changed = threading.Event()
    workspace.watchers.add(changed.set)
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

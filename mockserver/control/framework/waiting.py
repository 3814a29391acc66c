"""Waiting in a control call: what `web.server.waiting` does, for the current request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from flask import request

from mockserver.core.waiting import ANYTHING, Kinds
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server import waiting

#: The most seconds that a request may ask to wait.
LONGEST_WAIT = waiting.LONGEST_WAIT

Found = TypeVar("Found")


def begun(name: str, begin: Callable[[], Found]) -> Found:
    """What `begin` returned when the request was first run; it is not called again when the request is run again."""
    return waiting.begun(request.environ, name, begin)


def is_waiting() -> bool:
    """Whether the current request will be run again, so that its answer is not sent."""
    return waiting.is_waiting(request.environ)


def wait_for(
    workspace: Workspace, seconds: float, find: Callable[[], Sequence[Found]], kinds: Kinds = ANYTHING
) -> Sequence[Found]:
    """What `find` finds, as soon as it finds something; nothing if `seconds` have passed or the client has left."""
    return waiting.wait_for(request.environ, workspace, seconds, find, kinds)

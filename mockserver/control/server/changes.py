"""Telling who watches a workspace that a control call may have changed something in it, which no feed item tells."""

from __future__ import annotations

from flask import Response, request

from mockserver.control.framework import target
from mockserver.control.framework.waiting import is_waiting
from mockserver.web.routing.address import CONTROL_PREFIX

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def tell(response: Response) -> Response:
    """Tell of the current request if it is a control call that is over; the response is given back as it is."""
    workspace = request.environ.get(target.ACTED_ON)
    is_change = request.method not in _READING and response.status_code < 400
    if workspace is not None and is_change and request.path.startswith(CONTROL_PREFIX) and not is_waiting():
        workspace.watchers.tell("control")
    return response

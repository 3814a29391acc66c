"""Recording control calls that change something, each in the workspace on which it acts."""

from __future__ import annotations

from collections.abc import Callable
from time import time

from flask import Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.control.framework.waiting import begun, is_waiting
from mockserver.core.traffic.acting import ACTING, Acting
from mockserver.core.traffic.call_record import CallRecord
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.routing.encoded_slash import shown_path

#: The header of an answer with the id of the call.
CALL_HEADER = "X-Mock-Call"


def recorded(carry: Callable[[], Response]) -> Response:
    """The answer of a call, which is recorded when it is over; one that was refused, only if it has caused something.

    Raises:
        Problem: the call is refused.
    """
    acting = begun("acting", Acting)
    acting.on = request.environ.get(target.ACTED_ON)
    token = ACTING.set(acting)
    try:
        answer = carry()
    except Problem as problem:
        if acting.has_caused:
            _note(acting, problem.status)
        raise
    finally:
        ACTING.reset(token)
    if not is_waiting() and (acting.has_caused or answer.status_code < 400):
        identifier = _note(acting, answer.status_code)
        if identifier is not None:
            answer.headers[CALL_HEADER] = identifier
    return answer


def _note(acting: Acting, status: int) -> str | None:
    """Record a call that is over; its id, or None if it has acted on no workspace."""
    workspace = acting.on
    if not isinstance(workspace, Workspace):
        return None
    with workspace.lock:
        record = CallRecord(
            id=acting.cause(workspace.ids).id,
            at=workspace.state.clock.now(),
            real_at=time(),
            method=request.method,
            path=shown_path(request),
            query=request.environ["QUERY_STRING"],
            content_type=request.content_type or "",
            body=_body(),
            status=status,
            transitions=acting.changes,
        )
        workspace.note_call(record)
    return record.id


def _body() -> bytes:
    try:
        return request.get_data()
    except RequestEntityTooLarge:
        return b""  # the call has not read it either

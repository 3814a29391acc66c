"""Control resources: groups of control calls about one thing, each declared once, above its function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial, wraps
from time import time
from typing import Any, NamedTuple, Unpack

from flask import Blueprint, Response, request
from marshmallow import Schema
from werkzeug.exceptions import RequestEntityTooLarge

from mockserver.control.framework import inputs, off_loop, target
from mockserver.control.framework.declaration import DECLARED, ControlCall, Declared
from mockserver.control.framework.problem import Problem
from mockserver.control.framework.waiting import begun, is_waiting
from mockserver.core.traffic.causes import CURRENT_CALL, CallRecord, CurrentCall
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.web.components import component
from mockserver.web.routing.address import shown_path

#: The header of an answer with the id of the call.
CALL_HEADER = "X-Mock-Call"


def recorded(carry: Callable[[], Response]) -> Response:
    """The answer of a call, which is recorded when it is over; one that was refused, only if it has caused something.

    Raises:
        Problem: the call is refused.
    """
    acting = begun("acting", CurrentCall)
    acting.on = request.environ.get(target.ACTED_ON)
    token = CURRENT_CALL.set(acting)
    try:
        answer = carry()
    except Problem as problem:
        if acting.has_caused:
            _note(acting, problem.status)
        raise
    finally:
        CURRENT_CALL.reset(token)
    if not is_waiting() and (acting.has_caused or answer.status_code < 400):
        identifier = _note(acting, answer.status_code)
        if identifier is not None:
            answer.headers[CALL_HEADER] = identifier
    return answer


def _note(acting: CurrentCall, status: int) -> str | None:
    """Record a call that is over; its id, or None if it has acted on no workspace."""
    workspace = acting.on
    if not isinstance(workspace, Workspace):
        return None
    with workspace.lock:
        record = CallRecord(
            id=acting.cause(workspace.ids.call).id,
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


Carry = Callable[..., Response]


class ControlResource:
    """A group of control calls whose addresses begin alike."""

    def __init__(self, name: str, path: str, *, in_workspace: bool = True) -> None:
        self.name = name
        self._path = path
        self._in_workspace = in_workspace
        self.blueprint = Blueprint(name, __name__, url_prefix=path)
        self.calls: list[ControlCall] = []

    def call(self, method: str, path: str = "", **declared: Unpack[Declared]) -> Callable[[Carry], Carry]:
        """A decorator that declares a function as a control call.

        The function gets `query` and `body` as their schemas load them; the first line of its docstring is the summary.
        """
        declared.setdefault("in_workspace", self._in_workspace)

        def declare(carry: Carry) -> Carry:
            summary = (carry.__doc__ or "").strip().split("\n")[0]
            whole = f"{self._path}{path}".replace("<", "{").replace(">", "}")
            found = ControlCall(self.name, method, whole, summary, **declared)
            self.calls.append(found)
            endpoint = f"{method.lower()} {path or '/'}".replace(".", "-")
            self.blueprint.add_url_rule(path, endpoint, _reading(carry, found), methods=[method])
            return carry

        return declare


class ControlApi(NamedTuple):
    """The control API of an application: all its resources."""

    resources: tuple[ControlResource, ...]

    @property
    def calls(self) -> Iterator[ControlCall]:
        """The calls of all resources."""
        return (call for resource in self.resources for call in resource.calls)


def control_api() -> ControlApi:
    """The control API of the server that answers the call."""
    return component(ControlApi)


class _Lazy:
    """A schema that is made when it is first needed."""

    def __init__(self, schema_type: type[Schema]) -> None:
        self._schema_type = schema_type

    @cached_property
    def schema(self) -> Schema:
        return self._schema_type()


def _reading(carry: Carry, declared: ControlCall) -> Carry:
    """The view function of a call: it does what the declaration asks for, loads query and body, and calls `carry`."""
    # A parameter that nobody reads would be ignored in silence. Calls that are open to all come from elsewhere.
    of_query = None if declared.is_open and declared.query is None else _Lazy(declared.query or Item)
    of_body = None if declared.body is None else _Lazy(declared.body)

    @wraps(carry)
    def read(**arguments: Any) -> Response:
        request.environ[DECLARED] = declared
        if declared.heavy:
            off_loop.leave()
        target.in_address()  # an unknown workspace in the address is a 404, even for a call that acts on no workspace
        query = None if of_query is None else inputs.query(of_query.schema)
        if declared.query is not None:
            arguments["query"] = query
        if of_body is not None:
            arguments["body"] = inputs.body(of_body.schema, in_workspace=declared.in_workspace)
        if declared.adds:
            target.refuse_if_full()
        return recorded(partial(carry, **arguments)) if declared.is_recorded else carry(**arguments)

    return read

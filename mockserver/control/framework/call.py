"""Control calls: each is a function with its declaration, from which route, loading, answer and document follow."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial, wraps
from time import time
from typing import Any, NamedTuple

from flask import Blueprint, Response, request
from marshmallow import Schema
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound, RequestEntityTooLarge

from mockserver.control.framework import inputs, target
from mockserver.control.framework.problem import Problem
from mockserver.core.state import reasons
from mockserver.core.text.messages import meant
from mockserver.core.traffic.causes import CURRENT_CALL, CallRecord, CurrentCall
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.views.record import sent
from mockserver.web.components import component
from mockserver.web.routing.address import shown_path
from mockserver.web.schemas import json_text
from mockserver.web.server import loop
from mockserver.web.server.waiting import begun, is_waiting

#: The header of an answer with the id of the call.
CALL_HEADER = "X-Mock-Call"

#: Returns a schema; a function, as large schemas are made only when they are needed.
SchemaSource = Callable[[], Schema]
#: The function of a call. It takes the parameters of the path by name, `query` and `body` as their schemas load them,
#: and `workspace`. It returns a record, plain data, None for an empty answer, or a whole response.
Function = Callable[..., Any]


class ControlCall(NamedTuple):
    """The declaration of a control call."""

    resource: str
    method: str
    #: With its parameters in braces, as OpenAPI writes it: `/_mock/dns/{domain}`.
    path: str
    #: The first line of the function's docstring.
    summary: str
    query: type[Schema] | None = None
    body: type[Schema] | None = None
    #: The schema of a body that the call reads by itself, JSON or YAML.
    document: SchemaSource | None = None
    #: The type of the JSON answer: a record, a schema, a function that returns a schema, or several types.
    answer: type | SchemaSource | tuple[type, ...] | None = None
    status: int = 200
    #: Statuses of problems that do not follow from the rest of the declaration.
    problems: tuple[int, ...] = ()
    #: The media types of the answer; the first unless `Accept` asks for another, none where the answer is empty.
    media: tuple[str, ...] = ("application/json",)
    #: Whether the call needs no control token.
    is_open: bool = False
    #: Whether the call takes long, so that a thread carries it out.
    heavy: bool = False
    #: Whether the call adds rows, and so is refused where a workspace is full.
    adds: bool = False
    #: Whether the call acts on one workspace, which the caller names.
    in_workspace: bool = True
    #: Whether the call opens its workspace itself, after long work.
    late: bool = False
    #: Whether the call changes nothing, whatever its method says.
    only_reads: bool = False

    @property
    def is_recorded(self) -> bool:
        """Whether the workspace records the call."""
        return self.method != "GET" and not self.only_reads


class ControlResource:
    """A group of control calls whose addresses begin alike."""

    def __init__(self, name: str, path: str, *, in_workspace: bool = True) -> None:
        self.name = name
        self._path = path
        self._in_workspace = in_workspace
        self.blueprint = Blueprint(name, __name__, url_prefix=path)
        self.calls: list[ControlCall] = []

    def call(self, method: str, path: str = "", **declared: Any) -> Callable[[Function], Function]:
        """Declare a function as a control call; `declared` are the optional members of `ControlCall`."""
        declared.setdefault("in_workspace", self._in_workspace)

        def declare(function: Function) -> Function:
            summary = (function.__doc__ or "").strip().split("\n")[0]
            whole = f"{self._path}{path}".replace("<", "{").replace(">", "}")
            found = ControlCall(self.name, method, whole, summary, **declared)
            self.calls.append(found)
            endpoint = f"{method.lower()} {path or '/'}".replace(".", "-")
            self.blueprint.add_url_rule(path, endpoint, _view(function, found), methods=[method])
            return function

        return declare


class ControlApi(NamedTuple):
    resources: tuple[ControlResource, ...]

    @property
    def calls(self) -> Iterator[ControlCall]:
        return (call for resource in self.resources for call in resource.calls)


def control_api() -> ControlApi:
    return component(ControlApi)


# ---------------------------------------------------------------------- taking a call


def _view(function: Function, declared: ControlCall) -> Callable[..., Response]:
    acts = "workspace" in inspect.signature(function).parameters
    is_recorded = declared.is_recorded

    @wraps(function)
    def view(**arguments: Any) -> Response:
        if declared.heavy:
            loop.leave()
        # An unknown workspace in the address is a 404, even for a call that acts on no workspace.
        target.addressed(by_header=False, find=target.store().seen if declared.late else None)
        workspace = target.workspace() if acts else None
        if declared.query is not None:
            arguments["query"] = inputs.query(_schema(declared.query))
        elif request.args and not declared.is_open:
            # An unread parameter is refused, not ignored in silence. Calls that are open to all come from elsewhere.
            inputs.query(_schema(Item))
        if declared.body is not None:
            arguments["body"] = inputs.body(_schema(declared.body), workspace)
        if workspace is not None:
            arguments["workspace"] = workspace
            if declared.adds and (full := workspace.state.full()):
                raise Problem(409, f"{full}; delete rows or reset the workspace")
        run = partial(_run, function, declared, arguments)
        return _recorded(run) if is_recorded else run()

    return view


@cache
def _schema(schema_type: type[Schema]) -> Schema:
    return schema_type()


def _run(function: Function, declared: ControlCall, arguments: dict[str, Any]) -> Response:
    found = function(**arguments)
    if isinstance(found, Response):
        return found
    if found is None:
        return Response(status=declared.status)
    return Response(written(found), declared.status, content_type="application/json")


def listed(rows: Sequence[Any], count: int | None = None, **more: Any) -> dict[str, Any]:
    """Return the answer of a call that lists rows.

    Args:
        rows: The records of the rows.
        count: The number of all rows, where `rows` are only a part.
        more: Further members of the answer.
    """
    return {"items": rows, "count": len(rows) if count is None else count, **more}


def written(found: object) -> bytes:
    """Write records and plain data as JSON in one line; moments are written as RFC 3339."""
    return json_text.write(found, sent)


# ---------------------------------------------------------------------- recording a call


def _recorded(run: Callable[[], Response]) -> Response:
    """Run a call and record its end; record a refused call only after side effects.

    Raises:
        Problem: the call is refused.
    """
    acting = begun(request.environ, "acting", CurrentCall)
    acting.on = request.environ.get(target.ACTED_ON)
    token = CURRENT_CALL.set(acting)
    try:
        answer = run()
    except Problem as problem:
        if acting.has_caused:
            _note(acting, problem.status)
        raise
    finally:
        CURRENT_CALL.reset(token)
    if (answer.status_code < 400 or acting.has_caused) and not is_waiting(request.environ):
        identifier = _note(acting, answer.status_code)
        if identifier is not None:
            answer.headers[CALL_HEADER] = identifier
    return answer


def _note(acting: CurrentCall, status: int) -> str | None:
    workspace = acting.on
    if not isinstance(workspace, Workspace):
        return None
    try:
        body = request.get_data()
    except RequestEntityTooLarge:
        body = b""  # the call has not read it either
    record = CallRecord(
        id=acting.cause(workspace.ids.call).id,
        at=workspace.state.clock.now(),
        real_at=time(),
        method=request.method,
        path=shown_path(request),
        query=request.environ["QUERY_STRING"],
        content_type=request.content_type or "",
        body=body,
        status=status,
        transitions=acting.changes,
    )
    workspace.note_call(record)
    return record.id


# ---------------------------------------------------------------------- requests that no call answers


def refused_by_flask(error: HTTPException) -> Response:
    """Return the problem for an unknown path or method, or for an internal error.

    Flask has logged the traceback of the latter.
    """
    path = shown_path(request)
    if isinstance(error, NotFound):
        return Problem(404, f"unknown path {path}{_advice(path)} GET /_mock lists all calls").response()
    if isinstance(error, MethodNotAllowed):
        methods = sorted(error.valid_methods or ())
        detail = f"method {request.method} not allowed for {path}; allowed: {reasons.listed(methods)}"
        answer = Problem(405, detail).response()
        answer.headers["Allow"] = ", ".join(methods)
        return answer
    return Problem(error.code or 500, f"{request.method} {path}: {error.description}").response()


def _advice(path: str) -> str:
    near = meant(path, (call.path for call in control_api().calls))
    return f"; did you mean {near}?" if near else ";"

"""One resource of the control API: a call is declared once, and route, parsing and documents read the declaration."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, NamedTuple, TypedDict, Unpack

from flask import Blueprint, Response
from marshmallow import Schema

from mockserver.control.framework import call

View = Callable[..., Response]


class ControlCall(NamedTuple):
    """One call: what it takes, and what it answers."""

    resource: str
    method: str
    #: In OpenAPI's form, `/_mock/dns/{domain}`.
    path: str
    #: What it does, in a line.
    summary: str
    query: type[Schema] | None = None
    body: type[Schema] | None = None
    #: The schema of a body that the call reads by itself, JSON or YAML, by its name in `control.answers`.
    document: str | None = None
    #: The schema of a JSON answer, by its name there: a name, as nobody needs the classes before the first document.
    answer: str | None = None
    status: int = 200
    #: Statuses of problems beside those that follow from the declaration.
    problems: tuple[int, ...] = ()
    #: The kinds of answers, the first one unless another is asked for; none where the answer is empty.
    media: tuple[str, ...] = ("application/json",)
    #: Whether it needs no control token.
    is_open: bool = False
    #: Whether it takes long, so that a thread carries it out.
    heavy: bool = False
    #: Whether it adds rows, and so is refused where a workspace is full.
    adds: bool = False
    #: Whether it acts on one workspace, which the caller names.
    in_workspace: bool = True


class Declared(TypedDict, total=False):
    """What a declaration may say of a call; `ControlCall` tells what it means."""

    query: type[Schema]
    body: type[Schema]
    document: str
    answer: str
    status: int
    problems: tuple[int, ...]
    media: tuple[str, ...]
    is_open: bool
    heavy: bool
    adds: bool
    in_workspace: bool


class ControlResource:
    """The calls under one address."""

    def __init__(self, name: str, path: str, *, in_workspace: bool = True) -> None:
        self.name = name
        self._path = path
        self._in_workspace = in_workspace
        self.blueprint = Blueprint(name, __name__, url_prefix=path)
        self.calls: list[ControlCall] = []

    def call(self, method: str, path: str = "", **declared: Unpack[Declared]) -> Callable[[View], View]:
        """Declare the function below as a call; it gets `query` and `body` as their schemas have loaded them."""
        declared.setdefault("in_workspace", self._in_workspace)

        def declare(view: View) -> View:
            summary = (view.__doc__ or "").strip().split("\n")[0]
            whole = f"{self._path}{path}".replace("<", "{").replace(">", "}")
            found = ControlCall(self.name, method, whole, summary, **declared)
            self.calls.append(found)
            endpoint = f"{method.lower()} {path or '/'}".replace(".", "-")
            self.blueprint.add_url_rule(path, endpoint, _parsing(view, found), methods=[method])
            return view

        return declare


class _Lazy:
    """A schema, made when it is first needed."""

    def __init__(self, kind: type[Schema]) -> None:
        self._kind = kind

    @cached_property
    def schema(self) -> Schema:
        return self._kind()


def _parsing(view: View, declared: ControlCall) -> View:
    of_query = None if declared.query is None else _Lazy(declared.query)
    of_body = None if declared.body is None else _Lazy(declared.body)

    @wraps(view)
    def parse(**arguments: Any) -> Response:
        if declared.heavy:
            call.leave_loop()
        call.in_address()  # a wrong address is told, even by a call that acts on no workspace
        if of_query is not None:
            arguments["query"] = call.query(of_query.schema)
        if of_body is not None:
            arguments["body"] = call.body(of_body.schema, in_workspace=declared.in_workspace)
        if declared.adds:
            call.check_room()
        return view(**arguments)

    return parse

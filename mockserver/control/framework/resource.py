"""Control calls about one thing: a call is declared once, above its function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from typing import Any, NamedTuple, Unpack

from flask import Blueprint, Response, request
from marshmallow import Schema

from mockserver.control.framework import inputs, off_loop, target
from mockserver.control.framework.declaration import DECLARED, ControlCall, Declared
from mockserver.web.components import component

Carry = Callable[..., Response]


class ControlResource:
    """The calls under one address."""

    def __init__(self, name: str, path: str, *, in_workspace: bool = True) -> None:
        self.name = name
        self._path = path
        self._in_workspace = in_workspace
        self.blueprint = Blueprint(name, __name__, url_prefix=path)
        self.calls: list[ControlCall] = []

    def call(self, method: str, path: str = "", **declared: Unpack[Declared]) -> Callable[[Carry], Carry]:
        """Declare the function below as a call; it gets `query` and `body` as their schemas have loaded them."""
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
    """The whole control API of a server."""

    resources: tuple[ControlResource, ...]

    @property
    def calls(self) -> Iterator[ControlCall]:
        """The calls of all resources."""
        return (call for resource in self.resources for call in resource.calls)


def control_api() -> ControlApi:
    """The control API of the server that answers the call."""
    return component(ControlApi)


class _Lazy:
    """A schema, made when it is first needed."""

    def __init__(self, kind: type[Schema]) -> None:
        self._kind = kind

    @cached_property
    def schema(self) -> Schema:
        return self._kind()


def _reading(carry: Carry, declared: ControlCall) -> Carry:
    """The function with what its declaration says is to be done before."""
    of_query = None if declared.query is None else _Lazy(declared.query)
    of_body = None if declared.body is None else _Lazy(declared.body)

    @wraps(carry)
    def read(**arguments: Any) -> Response:
        request.environ[DECLARED] = declared
        if declared.heavy:
            off_loop.leave()
        target.in_address()  # a wrong address is told, even by a call that acts on no workspace
        if of_query is not None:
            arguments["query"] = inputs.query(of_query.schema)
        if of_body is not None:
            arguments["body"] = inputs.body(of_body.schema, in_workspace=declared.in_workspace)
        if declared.adds:
            target.check_room()
        return carry(**arguments)

    return read

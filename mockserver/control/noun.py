"""One noun of the control API: a call is declared once, and route, parsing and documents read the declaration."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, NamedTuple

from flask import Blueprint, Response
from marshmallow import Schema

from mockserver.control import call

View = Callable[..., Response]


class Call(NamedTuple):
    """One call: what it takes, and what it answers."""

    noun: str
    method: str
    #: In OpenAPI's form, `/_mock/dns/{domain}`.
    path: str
    #: What it does, in a line.
    summary: str
    query: type[Schema] | None
    body: type[Schema] | None
    #: The schema of a JSON answer.
    answer: type[Schema] | None
    status: int
    #: Statuses of problems beside those that every call may have.
    problems: tuple[int, ...]
    #: The kinds of answers, the first one unless another is asked for.
    media: tuple[str, ...]
    #: Whether it needs no control token.
    is_open: bool


class Noun:
    """The calls under one address."""

    def __init__(self, name: str, path: str) -> None:
        self.name = name
        self._path = path
        self.blueprint = Blueprint(name, __name__, url_prefix=path)
        self.calls: list[Call] = []

    def call(  # noqa: PLR0913  # a declaration names all that it knows, by keyword
        self,
        method: str,
        path: str = "",
        *,
        query: type[Schema] | None = None,
        body: type[Schema] | None = None,
        answer: type[Schema] | None = None,
        status: int = 200,
        problems: tuple[int, ...] = (),
        media: tuple[str, ...] = ("application/json",),
        is_open: bool = False,
    ) -> Callable[[View], View]:
        """Declare the function below as a call; it gets `query` and `body` as their schemas have loaded them."""

        def declare(view: View) -> View:
            summary = (view.__doc__ or "").strip().split("\n")[0]
            whole = f"{self._path}{path}".replace("<", "{").replace(">", "}")
            found = Call(self.name, method, whole, summary, query, body, answer, status, problems, media, is_open)
            self.calls.append(found)
            endpoint = f"{method.lower()} {path or '/'}".replace(".", "-")
            self.blueprint.add_url_rule(path, endpoint, _parsing(view, query, body), methods=[method])
            return view

        return declare


class _Lazy:
    """A schema, made when it is first needed."""

    def __init__(self, kind: type[Schema]) -> None:
        self._kind = kind

    @cached_property
    def schema(self) -> Schema:
        return self._kind()


def _parsing(view: View, query: type[Schema] | None, body: type[Schema] | None) -> View:
    of_query = None if query is None else _Lazy(query)
    of_body = None if body is None else _Lazy(body)

    @wraps(view)
    def parse(**arguments: Any) -> Response:
        if of_query is not None:
            arguments["query"] = call.query(of_query.schema)
        if of_body is not None:
            arguments["body"] = call.body(of_body.schema)
        return view(**arguments)

    return parse

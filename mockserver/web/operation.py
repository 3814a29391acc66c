"""The door of every operation: its declaration above the function, and the way of a request through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from flask import Request
from marshmallow import Schema, ValidationError, fields

from mockserver.core.caller import Caller
from mockserver.core.contract import DocumentedError, Operation, Role
from mockserver.core.errors import BAD_REQUEST, INVALID_PARAMETER
from mockserver.web import json_text
from mockserver.web.auth import check_role
from mockserver.web.dump import Dump, compiled
from mockserver.web.schema import refusal

View = Callable[..., Any]

#: What stands for the value of a body that is not there.
NO_BODY: Any = object()


class Endpoints:
    """The operations of one room, in the order of their declaration."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.operations: list[Operation] = []

    def operation(  # noqa: PLR0913  # a declaration names all that it knows, by keyword
        self,
        id: str,  # noqa: A002  # the contract's own word
        method: str,
        path: str,
        *,
        summary: str,
        source: str,
        status: int = 200,
        params: type[Schema] | None = None,
        query: type[Schema] | None = None,
        body: type[Schema] | None = None,
        answer: type[Schema] | None = None,
        errors: tuple[DocumentedError, ...] = (),
        body_required: bool = False,
        roles: frozenset[Role] | None = None,
        scope: str = "account",
        notes: tuple[str, ...] = (),
    ) -> Callable[[View], View]:
        """Declare the function below as an operation of the service."""

        def declare(view: View) -> View:
            self.operations.append(
                Operation(
                    id=id,
                    method=method,
                    path=path,
                    tag=self.tag,
                    summary=summary,
                    source=source,
                    status=status,
                    view=view,
                    path_schema=params,
                    query_schema=query,
                    body_schema=body,
                    answer_schema=answer,
                    body_required=body_required,
                    errors=errors,
                    roles=roles,
                    scope=scope,
                    notes=notes,
                )
            )
            return view

        return declare


class Door:
    """One operation, ready to serve; its schemas are made once, when it is first called."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation

    @cached_property
    def _path_schema(self) -> Schema | None:
        return _made(self.operation.path_schema)

    @cached_property
    def _query_schema(self) -> Schema | None:
        return _made(self.operation.query_schema)

    @cached_property
    def _body_schema(self) -> Schema | None:
        return _made(self.operation.body_schema)

    @cached_property
    def _dump(self) -> Dump | None:
        schema = _made(self.operation.answer_schema)
        return None if schema is None else compiled(schema)

    @cached_property
    def _default_query(self) -> dict[str, Any] | None:
        """What the query's schema makes of no query; None where that is refused."""
        try:
            return None if self._query_schema is None else self._query_schema.load({})
        except ValidationError:
            return None

    def answer(self, caller: Caller, request: Request, path: Mapping[str, str]) -> object:
        """The answer's body as plain data; None where the operation has no body.

        Raises:
            ServiceError: the service refuses the request; nothing has changed.
        """
        check_role(caller, self.operation)
        arguments: dict[str, Any] = {"caller": caller}
        if self._path_schema is not None:
            arguments.update(_loaded(self._path_schema, path))
        if self._query_schema is not None:
            arguments["query"] = self._query(self._query_schema, request)
        if self._body_schema is not None:
            arguments["body"] = self._body(self._body_schema, caller, request)
        result = self.operation.view(**arguments)
        return None if self._dump is None else self._dump(result)

    def _query(self, schema: Schema, request: Request) -> dict[str, Any]:
        if self._default_query is not None and not request.query_string:
            return self._default_query.copy()
        return _loaded(schema, request.args)

    def _body(self, schema: Schema, caller: Caller, request: Request) -> dict[str, Any]:
        data = read_body(request)
        if data is NO_BODY:
            if self.operation.body_required:
                raise BAD_REQUEST("The request body is missing")
            data = {}
        if not isinstance(data, dict):
            raise BAD_REQUEST("The request body must be a JSON object")
        loaded = _loaded(schema, data)
        if caller.workspace.strict:
            for name in unknown_members(schema, data):
                raise INVALID_PARAMETER(f"Unknown attribute {name} in the request")
        return loaded


def read_body(request: Request) -> Any:
    """The JSON value of a request's body; `NO_BODY` when there is none, which is other than `null`.

    The Content-Type is not insisted on: `curl -d` sends another one.

    Raises:
        ServiceError: 400 or 415 `bad_request`, 413 for a body over the limit.
    """
    raw = request.get_data(cache=True)
    if not raw.strip():
        return NO_BODY
    try:
        return json_text.read(raw)
    except json_text.JsonError as error:
        if request.mimetype and "json" not in request.mimetype:
            raise BAD_REQUEST(f"The request body must be JSON, not {request.mimetype}: {error}", status=415) from error
        raise BAD_REQUEST(f"The request body is not valid JSON: {error}") from error


def unknown_members(schema: Schema, data: object, path: str = "") -> Iterator[str]:
    """The paths of what a body holds and its schema does not know."""
    if not isinstance(data, dict):
        return
    known = {field.data_key or name: field for name, field in schema.load_fields.items()}
    for name, value in data.items():
        inner = known.get(name)
        if inner is None:
            yield f"{path}{name}"
        elif isinstance(inner, fields.Nested):
            yield from unknown_members(inner.schema, value, f"{path}{name}.")
        elif isinstance(inner, fields.List) and isinstance(inner.inner, fields.Nested) and isinstance(value, list):
            for index, item in enumerate(value):
                yield from unknown_members(inner.inner.schema, item, f"{path}{name}[{index}].")


def _made(schema: Any) -> Schema | None:
    return None if schema is None else schema()


def _loaded(schema: Schema, data: Mapping[str, Any]) -> dict[str, Any]:
    try:
        loaded: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise refusal(error.messages_dict) from error
    return loaded

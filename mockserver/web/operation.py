"""The door of every operation: its declaration above the function, and the way of a request through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flask import Request
from marshmallow import Schema, ValidationError, fields

from mockserver.core.account import Caller
from mockserver.core.contract import DocumentedError, Operation, Role
from mockserver.core.errors import BAD_REQUEST, INVALID_PARAMETER
from mockserver.web import json_text
from mockserver.web.auth import check_role
from mockserver.web.dump import compiled
from mockserver.web.schema import refusal

View = Callable[..., Any]

#: The largest body that is read; ledger 1.1, proposed.
BODY_LIMIT = 10 * 1024 * 1024


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
        params: Schema | None = None,
        query: Schema | None = None,
        body: Schema | None = None,
        answer: Schema | None = None,
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
    """One operation, ready to serve: schemas compiled, arguments known."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        self._dump = compiled(operation.answer_schema) if operation.answer_schema else None

    def answer(self, caller: Caller, request: Request, path: Mapping[str, str]) -> object:
        """The answer's body as plain data; None where the operation has no body.

        Raises:
            ServiceError: the service refuses the request; nothing has changed.
        """
        operation = self.operation
        check_role(caller, operation)
        arguments: dict[str, Any] = {"caller": caller}
        if operation.path_schema is not None:
            arguments.update(_loaded(operation.path_schema, path))
        if operation.query_schema is not None:
            arguments["query"] = _loaded(operation.query_schema, request.args)
        if operation.body_schema is not None:
            arguments["body"] = self._body(caller, request)
        result = operation.view(**arguments)
        return None if self._dump is None else self._dump(result)

    def _body(self, caller: Caller, request: Request) -> dict[str, Any]:
        data = read_body(request)
        if data is None:
            if self.operation.body_required:
                raise BAD_REQUEST("The request body is missing")
            data = {}
        if not isinstance(data, dict):
            raise BAD_REQUEST("The request body must be a JSON object")
        loaded = _loaded(self.operation.body_schema, data)
        if caller.workspace.strict:
            for name in unknown_members(self.operation.body_schema, data):
                raise INVALID_PARAMETER(f"Unknown attribute {name} in the request")
        return loaded


def read_body(request: Request) -> Any:
    """The JSON value of a request's body; None when there is no body.

    The Content-Type is not insisted on: `curl -d` sends another one.

    Raises:
        ServiceError: 400 or 415 `bad_request`, 413 for a body over the limit.
    """
    raw = request.get_data(cache=True)
    if not raw.strip():
        return None
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


def _loaded(schema: Schema, data: Mapping[str, Any]) -> dict[str, Any]:
    try:
        loaded: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise refusal(error.messages_dict) from error
    return loaded

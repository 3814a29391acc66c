"""The endpoint of every operation: its declaration above the function, and the way of a request through it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

from flask import Request
from marshmallow import Schema, ValidationError

from mockserver.core.contract.errors import BAD_REQUEST, INVALID_PARAMETER, no_room
from mockserver.core.contract.operation import Audience, DocumentedError, Operation, Role
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces import reasons
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.schemas import json_text
from mockserver.web.schemas.dump import Dump, compiled
from mockserver.web.schemas.members import Member, sent
from mockserver.web.schemas.schema import Part, kind, refusal
from mockserver.web.service.auth import check_role, check_scope

View = Callable[..., Any]

#: What stands for the value of a body that is not there.
NO_BODY: Any = object()
#: The schema of a query that may hold nothing.
_NOTHING = Schema()


class Operations:
    """The operations of one resource, in the order of their declaration."""

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
        audience: Audience = Audience.API,
        adds: bool = False,
        sweeps: bool | str = False,
        discriminator: tuple[str, str] | None = None,
        refuse: View | None = None,
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
                    audience=audience,
                    adds=adds,
                    sweeps=sweeps,
                    discriminator=discriminator,
                    refuse=refuse,
                )
            )
            return view

        return declare


def check_room(workspace: Workspace) -> None:
    """Refuse to add anything where a workspace is full.

    Raises:
        ServiceError: 400, as for the number of webhooks (ledger 1.1, proposed).
    """
    if full := workspace.state.full():
        raise no_room(full)


class Endpoint:
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
    def body_schema(self) -> Schema | None:
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

    def answer(self, caller: Caller, request: Request, exchange: Exchange) -> Reply:
        """The answer of the service; a body only where the operation has one.

        Which optional members were sent, and what is ignored, is noted in the exchange.

        Raises:
            ServiceError: the service refuses the request; nothing has changed.
        """
        check_role(caller, self.operation)
        check_scope(caller, self.operation)
        arguments = self.address(request, exchange)
        if self.body_schema is not None:
            arguments["body"] = self._body(self.body_schema, caller, request, exchange)
        elif exchange.body:
            exchange.warn(f"{self.operation.id} takes no body; what was sent is ignored")
        if self.operation.adds:
            check_room(caller.workspace)
        return self.reply(self.operation.view(caller=caller, **arguments))

    def address(self, request: Request, exchange: Exchange) -> dict[str, Any]:
        """What the path and the query say, as their schemas load it."""
        arguments: dict[str, Any] = {}
        if self._path_schema is not None:
            arguments.update(_loaded(self._path_schema, exchange.params, Part.PATH))
        if self._query_schema is not None or request.query_string:
            arguments |= self._query(request, exchange)
        return arguments

    def reply(self, result: object) -> Reply:
        """A result as the answer's schema writes it."""
        return Reply(self.operation.status, b"" if self._dump is None else json_text.write(self._dump(result)))

    def _query(self, request: Request, exchange: Exchange) -> dict[str, Any]:
        schema = self._query_schema
        if request.query_string:
            self._warn("query parameter", _note(sent(schema or _NOTHING, request.args), exchange), exchange)
        elif self._default_query is not None:
            return {"query": self._default_query.copy()}
        return {} if schema is None else {"query": _loaded(schema, request.args, Part.QUERY)}

    def _body(self, schema: Schema, caller: Caller, request: Request, exchange: Exchange) -> dict[str, Any]:
        data = read_body(request)
        if data is NO_BODY:
            if self.operation.body_required:
                raise BAD_REQUEST("The request body is missing").because(f"{self.operation.id} needs a body")
            data = {}
        exchange.take_json(data)
        self._warn_of_type(request, exchange)
        if not isinstance(data, dict):
            refused = BAD_REQUEST("The request body must be a JSON object")
            raise refused.because(f"the body is {kind(data, secret=True)}, and {self.operation.id} takes an object")
        return self.members(schema, data, exchange, strict=caller.workspace.state.strict)

    def members(
        self, schema: Schema, data: dict[str, Any], exchange: Exchange, *, strict: bool = False
    ) -> dict[str, Any]:
        """What a body says, as its schema loads it; members that are unknown are ignored, or refused if strict."""
        unknown = _note(sent(schema, data), exchange)
        if not strict:
            self._warn("member", unknown, exchange)
        loaded = _loaded(schema, data, Part.BODY)
        if strict:
            self._refuse_unknown(unknown)
        return loaded

    def _warn_of_type(self, request: Request, exchange: Exchange) -> None:
        """JSON passes under any Content-Type; whoever sends it under another one should know."""
        sent_as = request.environ.get("CONTENT_TYPE", "")
        if exchange.body and "json" not in sent_as.lower():
            shown = f"as {reasons.shown(sent_as)}" if sent_as else "without a Content-Type"
            exchange.warn(f"the body of {self.operation.id} is JSON, and was sent {shown}")

    def _warn(self, what: str, unknown: list[str], exchange: Exchange) -> None:
        for path in unknown:
            exchange.warn(f"{self.operation.id} knows no {what} {reasons.shown(path)}; it is ignored")

    def _refuse_unknown(self, names: list[str]) -> None:
        if names:
            unknown = f"{self.operation.id} does not know these members of the body: {reasons.listed(names)}"
            refused = INVALID_PARAMETER(f"Unknown attribute {reasons.shown(names[0])} in the request")
            raise refused.because(f"{unknown}; the workspace is strict")


def _note(members: Iterable[Member], exchange: Exchange) -> list[str]:
    """Note which optional members were sent; gives the paths of those that are unknown."""
    members = list(members)
    exchange.fields = [*exchange.fields, *dict.fromkeys(member.name for member in members if member.optional)]
    return [member.path for member in members if member.unknown]


def read_body(request: Request) -> Any:
    """The JSON value of a request's body; `NO_BODY` when there is none, which is other than `null`.

    The Content-Type is not insisted on, as `curl -d` sends another one: that is noted only.

    Raises:
        ServiceError: 400 or 415 `bad_request`, 413 for a body over the limit.
    """
    raw = request.get_data(cache=True)
    if not raw.strip():
        return NO_BODY
    try:
        return json_text.read(raw)
    except json_text.JsonError as error:
        sent_as = reasons.shown(request.mimetype) if request.mimetype else "no type"
        reason = f"the body of {len(raw)} bytes, sent as {sent_as}, is no JSON: {reasons.shown(error, 200)}"
        if request.mimetype and "json" not in request.mimetype:
            refused = BAD_REQUEST(f"The request body must be JSON, not {request.mimetype}: {error}", status=415)
        else:
            refused = BAD_REQUEST(f"The request body is not valid JSON: {error}")
        raise refused.because(reason) from error


def _made(schema: Any) -> Schema | None:
    return None if schema is None else schema()


def _loaded(schema: Schema, data: Mapping[str, Any], part: Part) -> dict[str, Any]:
    try:
        loaded: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise refusal(error.messages_dict, part, data) from error
    return loaded

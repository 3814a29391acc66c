"""What answers an operation: loads what was sent, calls the rule, dumps the answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from flask import Request
from marshmallow import Schema, ValidationError

from mockserver.core.contract.errors import INVALID_PARAMETER, no_room
from mockserver.core.contract.operation import Operation
from mockserver.core.state import reasons
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.schemas import json_text
from mockserver.web.schemas.dump import Dump, compiled
from mockserver.web.schemas.members import Member, sent
from mockserver.web.schemas.refusal import Location, refusal

#: The schema of a query that may hold nothing.
_NOTHING = Schema()


def check_room(workspace: Workspace) -> None:
    """Refuse to add anything where a workspace is full.

    Raises:
        ServiceError: 400, as for the number of webhooks (contract/transport, proposed).
    """
    if full := workspace.state.full():
        raise no_room(full)


class Endpoint(ABC):
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

    @abstractmethod
    def answer(self, caller: Any, request: Request, exchange: Exchange) -> Reply:
        """The answer of the service to a caller of the operation's audience.

        Which optional members were sent, and what is ignored, is noted in the exchange.

        Raises:
            ServiceError: the service refuses the request; nothing has changed.
        """

    def address(self, request: Request, exchange: Exchange) -> dict[str, Any]:
        """What the path and the query say, as their schemas load it."""
        arguments: dict[str, Any] = {}
        if self._path_schema is not None:
            arguments.update(_loaded(self._path_schema, exchange.params, Location.PATH))
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
        return {} if schema is None else {"query": _loaded(schema, request.args, Location.QUERY)}

    def members(
        self, schema: Schema, data: dict[str, Any], exchange: Exchange, *, strict: bool = False
    ) -> dict[str, Any]:
        """What a body says, as its schema loads it; members that are unknown are ignored, or refused if strict."""
        unknown = _note(sent(schema, data), exchange)
        if not strict:
            self._warn("member", unknown, exchange)
        loaded = _loaded(schema, data, Location.BODY)
        if strict:
            self._refuse_unknown(unknown)
        return loaded

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


def _made(schema: Any) -> Schema | None:
    return None if schema is None else schema()


def _loaded(schema: Schema, data: Mapping[str, Any], location: Location) -> dict[str, Any]:
    try:
        loaded: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise refusal(error.messages_dict, location, data) from error
    return loaded

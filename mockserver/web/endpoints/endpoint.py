"""The base of endpoints: load what was sent, call the rule of the operation, dump the answer."""

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

#: The schema of a query without parameters.
_NO_PARAMETERS = Schema()


def check_room(workspace: Workspace) -> None:
    """Refuse to add a row to a workspace that is full.

    Raises:
        ServiceError: 400 if it is full, as for the number of webhooks (contract/transport, proposed).
    """
    if full := workspace.state.full():
        raise no_room(full)


class Endpoint(ABC):
    """What answers one operation; the operation's schemas are made when it is first called."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation

    @cached_property
    def _path_schema(self) -> Schema | None:
        return _instance(self.operation.path_schema)

    @cached_property
    def _query_schema(self) -> Schema | None:
        return _instance(self.operation.query_schema)

    @cached_property
    def body_schema(self) -> Schema | None:
        return _instance(self.operation.body_schema)

    @cached_property
    def _dump(self) -> Dump | None:
        schema = _instance(self.operation.answer_schema)
        return None if schema is None else compiled(schema)

    @cached_property
    def _default_query(self) -> dict[str, Any] | None:
        """What the query's schema loads if there is no query, or None if it refuses that."""
        try:
            return None if self._query_schema is None else self._query_schema.load({})
        except ValidationError:
            return None

    @abstractmethod
    def answer(self, caller: Any, request: Request, exchange: Exchange) -> Reply:
        """The answer of the service to a caller of the operation's audience.

        The exchange notes which optional members were sent, and warns of what is ignored.

        Raises:
            ServiceError: the service refuses the request; nothing has changed.
        """

    def address(self, request: Request, exchange: Exchange) -> dict[str, Any]:
        """The arguments of the operation's function that the path and the query give, as their schemas load them.

        Raises:
            ServiceError: 400; a parameter is not one that its schema takes.
        """
        arguments: dict[str, Any] = {}
        if self._path_schema is not None:
            arguments.update(_loaded(self._path_schema, exchange.params, Location.PATH))
        if self._query_schema is not None or request.query_string:
            arguments |= self._query(request, exchange)
        return arguments

    def reply(self, result: object) -> Reply:
        """The answer with the operation's status and, if it has an answer's schema, a result as that dumps it."""
        return Reply(self.operation.status, b"" if self._dump is None else json_text.write(self._dump(result)))

    def _query(self, request: Request, exchange: Exchange) -> dict[str, Any]:
        schema = self._query_schema
        if request.query_string:
            self._warn("query parameter", _note(sent(schema or _NO_PARAMETERS, request.args), exchange), exchange)
        elif self._default_query is not None:
            return {"query": self._default_query.copy()}
        return {} if schema is None else {"query": _loaded(schema, request.args, Location.QUERY)}

    def members(
        self, schema: Schema, data: dict[str, Any], exchange: Exchange, *, strict: bool = False
    ) -> dict[str, Any]:
        """The members of a body as its schema loads them; unknown ones are ignored with a warning, unless `strict`.

        Raises:
            ServiceError: 400; the schema refuses a member, or `strict` refuses an unknown one.
        """
        unknown = _note(sent(schema, data), exchange)
        if not strict:
            self._warn("member", unknown, exchange)
        loaded = _loaded(schema, data, Location.BODY)
        if strict:
            self._refuse_unknown(unknown)
        return loaded

    def _warn(self, noun: str, unknown: list[str], exchange: Exchange) -> None:
        for path in unknown:
            exchange.warn(f"{self.operation.id} knows no {noun} {reasons.shown(path)}; it is ignored")

    def _refuse_unknown(self, names: list[str]) -> None:
        if names:
            unknown = f"{self.operation.id} does not know these members of the body: {reasons.listed(names)}"
            refused = INVALID_PARAMETER(f"Unknown attribute {reasons.shown(names[0])} in the request")
            raise refused.because(f"{unknown}; the workspace is strict")


def _note(members: Iterable[Member], exchange: Exchange) -> list[str]:
    """The paths of unknown members; the optional members among the others are noted in the exchange."""
    members = list(members)
    exchange.fields = [*exchange.fields, *dict.fromkeys(member.name for member in members if member.optional)]
    return [member.path for member in members if member.unknown]


def _instance(schema: Any) -> Schema | None:
    return None if schema is None else schema()


def _loaded(schema: Schema, data: Mapping[str, Any], location: Location) -> dict[str, Any]:
    try:
        loaded: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise refusal(error.messages_dict, location, data) from error
    return loaded

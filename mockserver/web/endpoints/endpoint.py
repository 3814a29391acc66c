"""Endpoints: load a request, call the operation's function, dump the answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from typing import Any, NamedTuple

from marshmallow import Schema, ValidationError, fields
from werkzeug.wrappers import Request

from mockserver.core.contract.errors import (
    ACCOUNT_UNDER_VALIDATION,
    BAD_REQUEST,
    INVALID_PARAMETER,
    PERMISSION_DENIED,
    no_room,
)
from mockserver.core.contract.operation import Operation, OtherStatus, Role
from mockserver.core.state import reasons
from mockserver.core.traffic.exchange import Exchange, Header, Reply
from mockserver.core.workspaces.caller import AnonymousCaller, Caller
from mockserver.web.endpoints.oauth_error import NO_STORE
from mockserver.web.endpoints.request import NO_BODY, once, query_pairs, read_body, read_form
from mockserver.web.schemas import json_text
from mockserver.web.schemas.dump import Dump
from mockserver.web.schemas.dump import compiled as compiled_dump
from mockserver.web.schemas.errors import Location, refusal, summary
from mockserver.web.schemas.load import Load, Members, Sent
from mockserver.web.schemas.load import compiled as compiled_load

#: The members of a query without parameters.
_NO_PARAMETERS = Members(None)


class Taken(NamedTuple):
    """The compiled loading of a query or body, and its known members."""

    load: Load
    members: Members
    #: The members that are lists.
    lists: frozenset[str]

    def values(self, request: Request) -> Mapping[str, Any]:
        """Return query parameters: first values, and all values of lists."""
        args = request.args
        if self.lists.isdisjoint(args):
            return args
        return {name: args.getlist(name) if name in self.lists else value for name, value in args.items()}


class Endpoint(ABC):
    """Answers one operation, with schemas made on first use."""

    #: The headers of its answers.
    headers: tuple[Header, ...] = ()

    def __init__(self, operation: Operation) -> None:
        self.operation = operation

    @cached_property
    def _path_load(self) -> Load | None:
        schema = _instance(self.operation.path_schema)
        return None if schema is None else compiled_load(schema)

    @cached_property
    def _query(self) -> Taken | None:
        return _taken(self.operation.query_schema)

    @cached_property
    def body(self) -> Taken | None:
        """The loader of request bodies, or None if the operation has no body schema."""
        return _taken(self.operation.body_schema)

    @cached_property
    def _dump(self) -> Dump | None:
        schema = _instance(self.operation.answer_schema)
        return None if schema is None else compiled_dump(schema)

    @cached_property
    def _default_query(self) -> dict[str, Any] | None:
        """The result of loading an empty query, or None if it is refused."""
        try:
            return None if self._query is None else self._query.load({})
        except ValidationError:
            return None

    def answer(self, caller: Any, request: Request, exchange: Exchange) -> Reply:
        """Return the service's answer to a caller of the operation's audience.

        The exchange notes optional members, and warns of ignored members.

        Raises:
            ServiceError: the service refuses the request; nothing has changed.
        """
        operation = self.operation
        arguments = self.arguments(caller, request, exchange)
        if operation.adds and (full := caller.workspace.state.full()):
            raise no_room(full)  # as for the number of webhooks (contract/transport, proposed)
        result = operation.view(caller=caller, **arguments)
        if isinstance(result, Reply):
            return result
        status = operation.status
        if isinstance(result, OtherStatus):
            status, result = result
        dump = None if status == HTTPStatus.NO_CONTENT else self._dump
        return Reply(status, b"" if dump is None else json_text.write(dump(result)), headers=self.headers)

    @abstractmethod
    def arguments(self, caller: Any, request: Request, exchange: Exchange) -> dict[str, Any]:
        """Return the arguments of the operation's function beside `caller`; raises as `answer`."""

    def address(self, request: Request, exchange: Exchange) -> dict[str, Any]:
        """Return loaded arguments from path and query.

        Raises:
            ServiceError: 400; a parameter is invalid.
        """
        arguments: dict[str, Any] = {}
        if self._path_load is not None:
            arguments.update(_loaded(self._path_load, exchange.params, Location.PATH))
        if self._query is not None or request.query_string:
            arguments |= self._parameters(request, exchange)
        return arguments

    def _parameters(self, request: Request, exchange: Exchange) -> dict[str, Any]:
        query = self._query
        if request.query_string:
            known = _NO_PARAMETERS if query is None else query.members
            sent = known.sent(request.args)
            _note(sent, exchange)
            self._warn("query parameter", sent.unknown, exchange)
        elif self._default_query is not None:
            return {"query": self._default_query.copy()}
        return {} if query is None else {"query": _loaded(query.load, query.values(request), Location.QUERY)}

    def members(self, body: Taken, data: dict[str, Any], exchange: Exchange, *, strict: bool = False) -> dict[str, Any]:
        """Return loaded body members; unknown members are ignored with a warning, unless `strict`.

        Raises:
            ServiceError: 400; a member is invalid, or unknown and `strict`.
        """
        sent = body.members.sent(data)
        if sent.optional or sent.unknown:
            _note(sent, exchange)
            if not strict:
                self._warn("body field", sent.unknown, exchange)
        try:
            loaded: dict[str, Any] = body.load(data)
        except ValidationError as error:
            raise refusal(error.messages_dict, Location.BODY, data) from error
        if strict and sent.unknown:
            unknown = f"unknown fields in the body of {self.operation.id}: {reasons.fields(sent.unknown)}"
            refused = INVALID_PARAMETER(f"Unknown attribute {reasons.shown(sent.unknown[0])} in the request")
            raise refused.because(f"{unknown} (the workspace is strict)")
        return loaded

    def _warn(self, noun: str, unknown: list[str], exchange: Exchange) -> None:
        if unknown:
            ignored = f"{self.operation.id} ignored the unknown {noun}"
            exchange.warn_of_each(unknown, lambda path: f"{ignored} {reasons.fields([path])}")


def _note(sent: Sent, exchange: Exchange) -> None:
    """Note optional members in the exchange."""
    if sent.optional:
        exchange.fields = [*exchange.fields, *sent.optional]


def _instance(schema: Any) -> Schema | None:
    return None if schema is None else schema()


def _taken(schema: Any) -> Taken | None:
    made = _instance(schema)
    if made is None:
        return None
    lists = {field.data_key or name for name, field in made.load_fields.items() if isinstance(field, fields.List)}
    return Taken(compiled_load(made), Members(made), frozenset(lists))


def _loaded(load: Load, data: Mapping[str, Any], location: Location) -> dict[str, Any]:
    try:
        loaded: dict[str, Any] = load(data)
    except ValidationError as error:
        raise refusal(error.messages_dict, location, data) from error
    return loaded


#: What an account that is under validation cannot do: send, and make campaigns (proposed, contract/account#validation).
_SENDING = frozenset({
    "sendTransacEmail", "sendTestTemplate", "createEmailCampaign", "sendEmailCampaignNow", "sendTestEmail",
    "sendTransacSms", "sendAsyncTransactionalSms", "createSmsCampaign", "sendSmsCampaignNow", "sendTestSms",
    "sendWhatsappMessage", "createWhatsAppCampaign",
})  # fmt: skip


def check_validated(caller: Caller, operation: str | None) -> None:
    """Refuse sending for an account under validation.

    Raises:
        ServiceError: 403 `account_under_validation`; the operation sends, or makes a campaign.
    """
    if caller.account.under_validation and operation in _SENDING:
        reason = f"account {caller.account.name} is under validation (`under_validation` in the scenario)"
        raise ACCOUNT_UNDER_VALIDATION().because(f"{reason}, so {operation} is refused")


def check_role(caller: Caller, operation: Operation, roles: frozenset[Role]) -> None:
    """Refuse an account without one of these roles.

    Raises:
        ServiceError: 403 `permission_denied`.
    """
    if caller.account.role not in roles:
        account, needed = caller.account, " or ".join(sorted(roles))
        reason = f"{operation.id} requires the role {needed}; account {account.name} has the role {account.role}"
        raise PERMISSION_DENIED().because(reason)


def check_scope(caller: Caller, operation: Operation, scopes: frozenset[str]) -> None:
    """Refuse a token without the operation's scope.

    Raises:
        ServiceError: 403 `permission_denied` (contract/oauth: proposed).
    """
    if not caller.may(operation.needs):
        has = reasons.listed(sorted(scopes))
        raise PERMISSION_DENIED().because(f"{operation.id} requires the scope {operation.needs}; the token has {has}")


class ApiEndpoint(Endpoint):
    """The endpoint of an operation for accounts."""

    def arguments(self, caller: Caller, request: Request, exchange: Exchange) -> dict[str, Any]:
        if self.operation.roles is not None:
            check_role(caller, self.operation, self.operation.roles)
        if caller.scopes is not None:
            check_scope(caller, self.operation, caller.scopes)
        arguments = self.address(request, exchange)
        if self.body is not None:
            arguments["body"] = self._body(self.body, caller, request, exchange)
        elif exchange.body:
            exchange.warn(f"{self.operation.id} takes no body and ignored the body that was sent")
        return arguments

    def _body(self, body: Taken, caller: Caller, request: Request, exchange: Exchange) -> dict[str, Any]:
        data = read_body(request)
        if data is NO_BODY:
            if self.operation.body_required:
                raise BAD_REQUEST("The request body is missing").because(
                    f"missing body: {self.operation.id} requires a JSON object"
                )
            data = {}
        exchange.parsed = data
        sent_as = request.environ.get("CONTENT_TYPE", "")
        if exchange.body and "json" not in sent_as.lower():
            self._warn_of_type(sent_as, request, exchange)
        if not isinstance(data, dict):
            refused = BAD_REQUEST("The request body must be a JSON object")
            given = summary(data, secret=True)
            raise refused.because(f"the body of {self.operation.id} must be a JSON object (got {given})")
        return self.members(body, data, exchange, strict=caller.workspace.state.strict)

    def _warn_of_type(self, sent_as: str, request: Request, exchange: Exchange) -> None:
        """Warn of JSON under another Content-Type, which the service takes, too.

        Forms are no mistake of a product: `curl -d` sends their type by default.
        """
        if request.mimetype != "application/x-www-form-urlencoded":
            shown = f"its Content-Type is {reasons.shown(sent_as)}" if sent_as else "it has no Content-Type"
            exchange.warn(f"{self.operation.id} read the body as JSON although {shown}; send application/json")


class PublicEndpoint(Endpoint):
    """The endpoint of an operation for anonymous callers, with a form as body."""

    headers = NO_STORE

    def arguments(self, caller: AnonymousCaller, request: Request, exchange: Exchange) -> dict[str, Any]:
        if self.operation.query_schema is not None:
            once(query_pairs(exchange.query))
        arguments = {"request": request, **self.address(request, exchange)}
        if "query" in arguments:
            # A parameter without a value counts as absent (RFC 6749, 3.1).
            arguments["query"] = {name: value for name, value in arguments["query"].items() if value != ""}
        if self.body is not None:
            arguments["form"] = self.members(self.body, read_form(request), exchange)
        return arguments

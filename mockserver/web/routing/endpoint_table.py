"""The endpoints of all operations, by name and by address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType

from flask import Request
from werkzeug.exceptions import RequestEntityTooLarge

from mockserver.core.contract.errors import ServiceError
from mockserver.core.contract.operation import Audience, Operation
from mockserver.web.endpoints.api_endpoint import ApiEndpoint
from mockserver.web.endpoints.endpoint import Endpoint
from mockserver.web.endpoints.form import read_form
from mockserver.web.endpoints.public_endpoint import PublicEndpoint
from mockserver.web.routing.audience import CONTROL_PREFIX, audience_of
from mockserver.web.routing.encoded_slash import matched_path
from mockserver.web.routing.route import Route
from mockserver.web.routing.url_rules import UrlRule, path_rule
from mockserver.web.routing.workspace_name import workspace_name

_NO_PARAMS: Mapping[str, str] = MappingProxyType({})


class EndpointTable:
    """All operations with their endpoints; operations that share method and path differ by the form's discriminator."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._operations = list(operations)
        self._endpoints: dict[str, Endpoint] = {row.id: _endpoint(row) for row in self._operations}
        first_at: dict[tuple[str, str], Operation] = {}
        #: By the id of the first operation at a method and a path, the other operations there.
        self._others: dict[str, list[Operation]] = {}
        for row in self._operations:
            first = first_at.setdefault((row.method, row.path), row)
            if first is not row:
                self._others.setdefault(first.id, []).append(row)
        #: The first operation at each method and path.
        self._first = list(first_at.values())

    def url_rules(self) -> Iterator[UrlRule]:
        """The rules of all addresses, one for each method and path."""
        for row in self._first:
            yield UrlRule(path_rule(row, self._operations), row.method, row.id)

    def route(self, request: Request) -> Route | None:
        """The route of a request for the service, or None if the request is for an address of the mock itself.

        A request whose address is neither has a route without an endpoint.
        """
        rule, path = request.url_rule, request.path
        if rule is None:
            if path.startswith(CONTROL_PREFIX):
                return None
            return Route(None, audience_of(path), path, _NO_PARAMS, workspace_name(request.environ))
        endpoint = self._endpoints.get(rule.endpoint)
        if endpoint is None:
            return None
        if others := self._others.get(rule.endpoint):
            endpoint = self._endpoints[_discriminated(request, endpoint.operation, others).id]
        params = request.view_args or _NO_PARAMS
        return Route(endpoint, endpoint.operation.audience, path, params, workspace_name(request.environ))

    def at(self, request: Request) -> list[Operation]:
        """The operations at a request's path, of any method."""
        path = matched_path(request)
        return [row for row in self._operations if _matches(row.path, path)]


@cache
def _endpoint(operation: Operation) -> Endpoint:
    """The endpoint of an operation, which all applications of a process share, with the schemas that it has made."""
    return ApiEndpoint(operation) if operation.audience is Audience.API else PublicEndpoint(operation)


def _discriminated(request: Request, first: Operation, others: list[Operation]) -> Operation:
    """The operation whose discriminator is in the form of a request, else the first one of the address."""
    try:
        members = read_form(request).items()
    except (ServiceError, RequestEntityTooLarge):
        return first
    return next((row for row in others if row.discriminator and row.discriminator in members), first)


def _matches(template: str, path: str) -> bool:
    """Whether a path is one of those of an operation: `/v3/senders/7` of `/v3/senders/{id}`."""
    wanted, given = template.split("/"), path.split("/")
    return len(wanted) == len(given) and all(
        segment == value or (segment[:1] == "{" and value) for segment, value in zip(wanted, given, strict=True)
    )

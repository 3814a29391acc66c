"""The endpoints of all operations, by name and by address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
    """All operations with what answers them; those that share an address differ by a member of the form."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._operations = list(operations)
        self._endpoints: dict[str, Endpoint] = {row.id: _endpoint(row) for row in self._operations}
        at: dict[tuple[str, str], Operation] = {}
        #: Those that share an address with an earlier one, by the earlier one.
        self._others: dict[str, list[Operation]] = {}
        for row in self._operations:
            first = at.setdefault((row.method, row.path), row)
            if first is not row:
                self._others.setdefault(first.id, []).append(row)
        self._addresses = list(at.values())

    def url_rules(self) -> Iterator[UrlRule]:
        """All addresses with their methods, each once."""
        for row in self._addresses:
            yield UrlRule(path_rule(row, self._operations), row.method, row.id)

    def route(self, request: Request) -> Route | None:
        """Where a request leads; None: to the mock's own addresses. All others are the service's, known or not."""
        rule, path = request.url_rule, request.path
        if rule is None:
            if path.startswith(CONTROL_PREFIX):
                return None
            return Route(None, audience_of(path), path, _NO_PARAMS, workspace_name(request.environ))
        endpoint = self._endpoints.get(rule.endpoint)
        if endpoint is None:
            return None
        if others := self._others.get(rule.endpoint):
            endpoint = self._endpoints[_meant(request, endpoint.operation, others).id]
        params = request.view_args or _NO_PARAMS
        return Route(endpoint, endpoint.operation.audience, path, params, workspace_name(request.environ))

    def at(self, request: Request) -> list[Operation]:
        """The operations at a request's address, whatever their method."""
        path = matched_path(request)
        return [row for row in self._operations if _leads(row.path, path)]


def _endpoint(operation: Operation) -> Endpoint:
    return ApiEndpoint(operation) if operation.audience is Audience.API else PublicEndpoint(operation)


def _meant(request: Request, first: Operation, others: list[Operation]) -> Operation:
    """Which of several operations of one address the form of a request asks for."""
    try:
        members = read_form(request).items()
    except (ServiceError, RequestEntityTooLarge):
        return first
    return next((row for row in others if row.discriminator and row.discriminator in members), first)


def _leads(template: str, path: str) -> bool:
    """Whether an operation's path can be this one."""
    parts, segments = template.split("/"), path.split("/")
    return len(parts) == len(segments) and all(
        part == segment or (part[:1] == "{" and segment) for part, segment in zip(parts, segments, strict=True)
    )

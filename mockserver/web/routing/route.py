"""Routes of requests, and the table of all endpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import NamedTuple

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request

from mockserver.core.contract.errors import ServiceError
from mockserver.core.contract.operation import Audience, Operation
from mockserver.web.endpoints.endpoint import ApiEndpoint, Endpoint, PublicEndpoint
from mockserver.web.endpoints.request import read_form
from mockserver.web.routing.address import (
    API_PREFIX,
    CONTROL_PREFIX,
    WorkspaceName,
    audience_of,
    matched_path,
    unsegmented,
    workspace_name,
)
from mockserver.web.routing.path_tree import NO_PARAMS, Found, PathTree


class Route(NamedTuple):
    """The meaning of a service request's address, determined once per request."""

    #: What answers the request, or None if no operation of the mock has this address and this method.
    endpoint: Endpoint | None
    #: Whom the address speaks with.
    audience: Audience
    #: The path as the service knows it, without the `/w/<name>` of a workspace.
    path: str
    #: The parameters of the path, decoded, by name.
    params: Mapping[str, str]
    #: The workspace that the request names, if it names one.
    workspace: WorkspaceName

    #: The id of the operation that is called, also of one beyond; None if none has this address and this method.
    operation: str | None


class Recognised(NamedTuple):
    """The meaning of an address beyond the mock's operations."""

    #: The id of the operation that the service has there.
    operation: str
    #: The parameters of the path, by name.
    params: Mapping[str, str]


#: Finds the operation beyond that has a method and a decoded path, or None if the service has none there.
Recognise = Callable[[str, str], Recognised | None]


def route_to(
    endpoint: Endpoint | None, audience: Audience, path: str, params: Mapping[str, str], workspace: WorkspaceName
) -> Route:
    """Return the route to an endpoint or None."""
    if endpoint is None:
        return Route(None, audience, path, params, workspace, None)
    return Route(endpoint, audience, path, params, workspace, endpoint.operation.id)


#: The methods that operations beyond have.
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class EndpointTable:
    """All operations with endpoints; a form's discriminator selects among operations of one address."""

    def __init__(self, operations: Iterable[Operation], recognise: Recognise) -> None:
        self._recognise = recognise
        self._operations = list(operations)
        self._endpoints: dict[str, Endpoint] = {row.id: _endpoint(row) for row in self._operations}
        self._tree = PathTree(self._operations)
        #: The operations with the segments of their paths, by the number of these.
        self._by_length: dict[int, list[tuple[list[str], Operation]]] = {}
        for row in self._operations:
            segments = row.path.split("/")
            self._by_length.setdefault(len(segments), []).append((segments, row))

    def route(self, request: Request, *, is_matched: bool = False) -> Route | None:
        """Return a service request's route, or None for addresses of other application parts.

        `is_matched` tells that a rule of the application has matched. Addresses without operation have no endpoint.
        """
        path, workspace = request.path, workspace_name(request.environ)
        found = self._find(request)
        if found is not None:
            endpoint = self._endpoint(found.operations, request)
            params = unsegmented(found.params, request)
            return route_to(endpoint, endpoint.operation.audience, path, params, workspace)
        if is_matched or path.startswith(CONTROL_PREFIX):
            return None
        return self._nowhere(request, path, workspace)

    def _nowhere(self, request: Request, path: str, workspace: WorkspaceName) -> Route:
        """Return a route without endpoint, perhaps naming an operation beyond."""
        if path.startswith(API_PREFIX):
            beyond = self._recognise(request.method, matched_path(request))
            if beyond is not None:
                params = unsegmented(beyond.params, request)
                return Route(None, Audience.API, path, params, workspace, beyond.operation)
        return route_to(None, audience_of(path), path, NO_PARAMS, workspace)

    def _endpoint(self, operations: tuple[Operation, ...], request: Request) -> Endpoint:
        one = operations[0] if len(operations) == 1 else _discriminated(request, operations)
        return self._endpoints[one.id]

    def has(self, request: Request) -> bool:
        return self._find(request) is not None

    def _find(self, request: Request) -> Found[Operation] | None:
        """Return the operations at a request's address, or None.

        A fixed segment of an operation beyond is no parameter of a further operation: /v3/contacts/segments is no
        contact's address, whatever the method (contract/beyond).
        """
        path = matched_path(request)
        found = self._tree.find(request.method, path)
        if found is None or not found.params or not found.operations[0].is_further:
            return found
        others = (self._recognise(method, path) for method in _METHODS)
        return None if any(other and len(other.params) < len(found.params) for other in others) else found

    def at(self, request: Request) -> list[Operation]:
        given = matched_path(request).split("/")
        return [row for wanted, row in self._by_length.get(len(given), ()) if _matches(wanted, given)]


@cache
def _endpoint(operation: Operation) -> Endpoint:
    """Return an operation's endpoint, shared with its schemas by all applications of a process."""
    return ApiEndpoint(operation) if operation.audience is Audience.API else PublicEndpoint(operation)


def _discriminated(request: Request, operations: tuple[Operation, ...]) -> Operation:
    """Return the operation whose discriminator the form has, or the first operation."""
    first, *others = operations
    try:
        members = read_form(request).items()
    except (ServiceError, RequestEntityTooLarge):
        return first
    return next((row for row in others if row.discriminator and row.discriminator in members), first)


def _matches(wanted: list[str], given: list[str]) -> bool:
    """Whether segments are those of an operation's path: `v3`, `senders`, `7` of `/v3/senders/{id}`."""
    return all(segment == value or (segment[:1] == "{" and value) for segment, value in zip(wanted, given, strict=True))

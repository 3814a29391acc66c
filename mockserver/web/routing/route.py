"""The route of a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from mockserver.core.contract.operation import Audience
from mockserver.web.endpoints.endpoint import Endpoint
from mockserver.web.routing.workspace_name import WorkspaceName


class Route(NamedTuple):
    """What the address of a request for the service means; it is found once for each request."""

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
    """What an address beyond the operations of the mock means."""

    #: The id of the operation that the service has there.
    operation: str
    #: The parameters of the path, by name.
    params: Mapping[str, str]


#: Finds the operation beyond that has a method and a decoded path, or None if the service has none there.
Recognise = Callable[[str, str], Recognised | None]


def route_to(
    endpoint: Endpoint | None, audience: Audience, path: str, params: Mapping[str, str], workspace: WorkspaceName
) -> Route:
    """The route to an endpoint, or to none."""
    if endpoint is None:
        return Route(None, audience, path, params, workspace, None)
    return Route(endpoint, audience, path, params, workspace, endpoint.operation.id)

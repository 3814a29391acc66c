"""How a request of the API comes to the service without Flask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Response

from mockserver.web.endpoints.service_request import ServiceRequest
from mockserver.web.routing import encoded_slash
from mockserver.web.routing.audience import API_PREFIX
from mockserver.web.routing.encoded_slash import SLASH
from mockserver.web.routing.route import Route
from mockserver.web.routing.workspace_name import WORKSPACE, WORKSPACE_PREFIX, split_workspace
from mockserver.web.server.connections.heads import KNOWN
from mockserver.web.server.wsgi import WsgiAnswer, run
from mockserver.web.service.answer import ApiResponse
from mockserver.web.service.service import Service

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def take_workspace_off(environ: WSGIEnvironment) -> None:
    """Move the `/w/<name>` at the beginning of an address from its path to its root, unless that was done before."""
    path = environ["PATH_INFO"]
    if WORKSPACE in environ or not (path.startswith(WORKSPACE_PREFIX) or "%2" in environ.get("REQUEST_URI", "")):
        return
    segmented = encoded_slash.segmented(environ)
    name, path = split_workspace(path if segmented is None else segmented)
    if name is not None:
        name = name.replace(SLASH, "/")
        environ["SCRIPT_NAME"] += f"{WORKSPACE_PREFIX}{name}"
        environ["PATH_INFO"] = path.replace(SLASH, "/")
        environ[WORKSPACE] = name
    if segmented is not None:
        encoded_slash.match_as(environ, path)


def respond(service: Service, environ: WSGIEnvironment, *, nowhere: bool = True) -> Response | None:
    """The response to a request of the API, whose address holds no workspace any more, or None if it is another.

    Without `nowhere` an address that no operation has is another one's as well.

    Raises:
        LeaveLoop: the request runs on the event loop, and to answer takes long or a lock is not free.
    """
    if not environ["PATH_INFO"].startswith(API_PREFIX):
        return None
    found = ServiceRequest(environ, service.body_limit)
    route = _route(service, found)
    if route is None or (route.endpoint is None and not nowhere):
        return None
    return service.answer(found, route)


def whole(response: Response, environ: WSGIEnvironment) -> WsgiAnswer:
    """The whole answer that a response is to the request of this environment."""
    found = response.whole(environ) if isinstance(response, ApiResponse) else None
    return found or run(response, environ)


def _route(service: Service, found: ServiceRequest) -> Route | None:
    """The route of a request of the API, which follows from its head."""
    known: dict[str, Any] | None = found.environ.get(KNOWN)
    if known is None:
        return service.endpoints.route(found)
    if "route" not in known:
        known["route"] = service.endpoints.route(found)
    route: Route | None = known["route"]
    return route

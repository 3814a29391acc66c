"""The application: Flask, which leaves requests for the service to a `Service`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from flask import Request, Response, request, request_tearing_down
from werkzeug.routing import MapAdapter

from mockserver.web.components import ComponentFlask
from mockserver.web.routing import encoded_slash
from mockserver.web.routing.encoded_slash import SLASH
from mockserver.web.routing.url_rules import MatchedRule, Segment
from mockserver.web.routing.workspace_name import WORKSPACE, WORKSPACE_PREFIX, split_workspace
from mockserver.web.service.service import Service

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class ServiceFlask(ComponentFlask):
    """Flask, but that a `Service` answers requests for the service, and that hosts and subdomains are not matched."""

    service: Service
    url_rule_class = MatchedRule

    def add_service(self, service: Service) -> None:
        """Let a service answer at the addresses of its operations, and at all addresses that lead nowhere."""
        self.service = service
        self.config["MAX_CONTENT_LENGTH"] = service.body_limit
        self.url_map.converters["segment"] = Segment
        self.url_map.merge_slashes = False
        for path, method, endpoint in service.endpoints.url_rules():
            self.add_url_rule(path, endpoint, methods=[method], provide_automatic_options=False)

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Take the workspace's name off an address that begins with `/w/<name>`."""
        segmented = encoded_slash.segmented(environ)
        name, path = split_workspace(environ["PATH_INFO"] if segmented is None else segmented)
        if name is not None:
            name = name.replace(SLASH, "/")
            environ["SCRIPT_NAME"] += f"{WORKSPACE_PREFIX}{name}"
            environ["PATH_INFO"] = path.replace(SLASH, "/")
            environ[WORKSPACE] = name
        if segmented is not None:
            encoded_slash.match_as(environ, path)
        return super().wsgi_app(environ, start_response)

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        if request is None:
            return super().create_url_adapter(request)
        # The map knows neither hosts nor subdomains, so nothing of the environment but these matters.
        path = encoded_slash.matched_path(request)
        adapter = encoded_slash.adapter_of(request)
        return adapter(self.url_map, request.host, request.root_path, "", request.scheme, path, request.method, "")

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func  # no view is a coroutine, and asking costs more than calling

    def do_teardown_request(self, exc: BaseException | None = None) -> None:
        """Call what is registered for the end of a request; to find that nothing is takes Flask 2 microseconds."""
        if self.teardown_request_funcs or request_tearing_down.receivers:
            super().do_teardown_request(exc)

    def handle_exception(self, e: Exception) -> Response:
        """Let a `ConnectionResetError` through to the server: a fault wants no answer (`web.server.wire.block`)."""
        if isinstance(e, ConnectionResetError):
            raise e
        found: Response = super().handle_exception(e)
        return found

    def full_dispatch_request(self) -> Response:
        """Let the service answer its requests, before Flask would refuse an address that leads nowhere."""
        found: Request = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001  # the proxy costs more with each use
        route = self.service.endpoints.route(found)
        return super().full_dispatch_request() if route is None else self.service.answer(found, route)

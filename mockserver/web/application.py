"""The application: Flask, which leaves requests for the service to a `Service`, and control calls to another Flask."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from flask import Flask, Request, Response, request, request_tearing_down
from werkzeug.exceptions import InternalServerError
from werkzeug.routing import MapAdapter, Rule
from werkzeug.wrappers import Response as WerkzeugResponse

from mockserver.core.workspaces.storage import StorageError
from mockserver.web.components import Component
from mockserver.web.routing import encoded_slash
from mockserver.web.routing.audience import is_of_the_mock
from mockserver.web.server import loop
from mockserver.web.server.connections.heads import KNOWN
from mockserver.web.server.wsgi import WsgiAnswer
from mockserver.web.service.answer import ApiResponse
from mockserver.web.service.early_refusal import early_refusal
from mockserver.web.service.entrance import respond, take_workspace_off, whole
from mockserver.web.service.service import Service

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class MatchedRule(Rule):
    """A rule that is only matched: no URL is ever built from it, and to prepare for that is most of a rule's cost."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return lambda *_, **__: ("", "")


class ComponentFlask(Flask):
    """Flask that holds components, at most one of each type."""

    def __init__(self, name: str) -> None:
        super().__init__(name, static_folder=None)
        self.components: dict[type, object] = {}

    def add_component(self, component: object) -> None:
        self.components[type(component)] = component

    def component(self, component_type: type[Component]) -> Component:
        """The component of this type.

        Raises:
            KeyError: the application has none.
        """
        return cast(Component, self.components[component_type])


class LeanFlask(ComponentFlask):
    """Flask without what the mock has no use for: it matches neither hosts nor subdomains, and has no coroutines."""

    url_rule_class = MatchedRule

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.url_map.merge_slashes = False  # a doubled slash makes another path; Werkzeug would redirect

    def take_addresses(self, of: LeanFlask) -> None:
        """Answer at the addresses of another application, with its views, as one that has none of its own.

        To add a hundred of them takes 5 ms, each time; neither application gets another one afterwards.
        """
        self.url_map, self.view_functions, self.blueprints = of.url_map, of.view_functions, of.blueprints

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


class ServiceFlask(LeanFlask):
    """Leaves requests for the service to a `Service`, and those for the mock itself to an application of their own."""

    service: Service

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._make_control: Callable[[], Flask] | None = None
        self._making = threading.Lock()

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """What matches the address of a request, or None for one of the service: Flask would not find it.

        The error of an address that is not found refers to its request, and both would wait for a collection.
        """
        if request is not None and self.service.endpoints.has(request):
            return None
        return super().create_url_adapter(request)

    @property
    def control(self) -> Flask:
        """The application that answers for the mock itself; it is made when it is first asked for.

        Raises:
            LookupError: there is none.
        """
        with self._making:
            return self._made_control

    @cached_property
    def _made_control(self) -> Flask:
        if self._make_control is None:
            raise LookupError("this application has no control API")
        return self._make_control()

    def add_control(self, make: Callable[[], Flask]) -> None:
        """Let the application that a function makes answer for the mock itself.

        Many servers are started for the service alone, and to import and make all control calls takes some 40 ms.
        """
        self._make_control = make

    def add_service(self, service: Service) -> None:
        """Let a service answer at the addresses of its operations, and at all addresses that lead nowhere."""
        self.service = service
        self.config["MAX_CONTENT_LENGTH"] = service.body_limit
        self.register_error_handler(InternalServerError, lambda _: service.fail())
        self.register_error_handler(StorageError, lambda error: early_refusal(request.path, 503, str(error)))

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Take the workspace's name off an address that begins with `/w/<name>`, and let answer who has the rest."""
        environ.pop(KNOWN, None)  # what a program has put around this may have changed the request
        take_workspace_off(environ)
        response = self._without_contexts(environ)
        if response is not None:
            return response(environ, start_response)
        if self._make_control is not None and is_of_the_mock(environ["REQUEST_METHOD"], environ["PATH_INFO"]):
            if "_made_control" not in vars(self):
                loop.leave(environ)  # others are answered while it is imported
            return self.control.wsgi_app(environ, start_response)
        return super().wsgi_app(environ, start_response)

    def shortcut(self, environ: WSGIEnvironment) -> WsgiAnswer | None:
        """The whole answer to a request of the API, which is what WSGI would make of it in more steps, or None.

        With None the request has had no effect, and WSGI is to be asked: for another part of the application, or for
        what a program has put around `wsgi_app`.
        """
        if "wsgi_app" in vars(self):
            return None
        take_workspace_off(environ)
        response = self._without_contexts(environ)
        return None if response is None else whole(response, environ)

    def _without_contexts(self, environ: WSGIEnvironment) -> WerkzeugResponse | None:
        """The answer to a request of the API, or None if it is another, or a program wants to know of its end.

        To push and pop the contexts takes longer than many an operation.
        """
        if self.teardown_request_funcs or request_tearing_down.receivers:
            return None
        try:
            return respond(self.service, environ, nowhere=not self.view_functions)
        except Exception as error:  # noqa: BLE001  # Flask logs it, and answers
            return self.failed(environ, error)

    def make_response(self, rv: Any) -> Any:
        """A response as Flask handles it, and one of the service as it is."""
        return rv if isinstance(rv, ApiResponse) else super().make_response(rv)

    def failed(self, environ: WSGIEnvironment, error: Exception) -> WerkzeugResponse:
        """The answer to a request that has met an error of the mock itself, which is logged, or of what keeps it.

        Raises:
            ConnectionResetError: this is the error.
        """
        if isinstance(error, StorageError):
            return early_refusal(environ["PATH_INFO"], 503, str(error))
        with self.request_context(environ):
            return self.handle_exception(error)

    def full_dispatch_request(self) -> WerkzeugResponse:  # type: ignore[override]  # it is only called, by `wsgi_app`
        """Let the service answer its requests, before Flask would refuse an address that leads nowhere."""
        found: Request = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001  # the proxy costs more with each use
        route = self.service.endpoints.route(found, is_matched=found.url_rule is not None)
        return super().full_dispatch_request() if route is None else self.service.answer(found, route)

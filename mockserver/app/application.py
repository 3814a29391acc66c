"""The Flask application around the mock, also for programs with their own WSGI server."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from flask import Request, request, request_tearing_down
from werkzeug.exceptions import InternalServerError
from werkzeug.routing import MapAdapter
from werkzeug.wrappers import Response

from mockserver.app.in_steps import InSteps
from mockserver.app.mock import Mock
from mockserver.core.workspaces.storage import SharedStorage
from mockserver.core.workspaces.workspace import Workspace
from mockserver.settings import Settings
from mockserver.web.application import LeanFlask
from mockserver.web.routing.address import API_PREFIX, DASHBOARD_PREFIX, is_of_the_mock
from mockserver.web.server import loop
from mockserver.web.server.waiting import SUSPENDED
from mockserver.web.server.wsgi import KNOWN, WsgiAnswer
from mockserver.web.service.exchange import ApiResponse

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class Application(LeanFlask):
    """The mock as Flask application, with its settings, store, effects and log.

    Service requests go to `Service`; control calls and dashboard pages to further applications, imported and made for
    the first such request in some 40 ms.
    """

    def __init__(self, mock: Mock) -> None:
        super().__init__("mockserver")
        self.mock = mock
        self.settings = mock.settings
        self.store = mock.store
        self.effects = mock.effects
        self.log = mock.log
        self._making = threading.RLock()
        self._control: LeanFlask | None = None
        self._dashboard: LeanFlask | None = None
        self.json.sort_keys = False  # type: ignore[attr-defined]  # the default provider has it
        self.add_component(mock.oauth)
        self.config["MAX_CONTENT_LENGTH"] = mock.settings.body_limit
        self.register_error_handler(InternalServerError, lambda _: mock.service.fail())

    def close(self) -> None:
        self.mock.close()

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer by the service, the control application, the dashboard or Flask, in a step."""
        if SUSPENDED not in environ:
            within = InSteps(partial(Application.wsgi_app, self), self.store.storage, self.settings.body_limit)
            return within(environ, start_response)
        environ.pop(KNOWN, None)  # a program's middleware may have changed the request
        self.mock.service.enter(environ)
        if environ["PATH_INFO"].startswith(API_PREFIX) and not self._has_teardown:
            response = self.mock.service.respond(environ, nowhere=not self.view_functions)
            if response is not None:
                return response(environ, start_response)
        if not is_of_the_mock(environ["REQUEST_METHOD"], environ["PATH_INFO"]):
            return super().wsgi_app(environ, start_response)
        is_page = f"{environ['PATH_INFO']}/".startswith(f"{DASHBOARD_PREFIX}/")
        app = self._dashboard if is_page else self._control
        if app is None:
            loop.leave()  # others are answered while it is imported
            app = self.dashboard if is_page else self.control
        return app.wsgi_app(environ, start_response)

    def shortcut(self, environ: WSGIEnvironment) -> WsgiAnswer | None:
        """Return the complete answer to an API request, or None, without effect, for other requests."""
        if "wsgi_app" in vars(self) or self._has_teardown:
            return None
        return self.mock.service.shortcut(environ, nowhere=not self.view_functions)

    @property
    def _has_teardown(self) -> bool:
        """Whether a program registered teardown functions, for which Flask has to push contexts."""
        return bool(self.teardown_request_funcs or request_tearing_down.receivers)

    @property
    def control(self) -> LeanFlask:
        """The application of the control calls, made on first use."""
        with self._making:
            self._control = self._control or self._make_control()
            return self._control

    @property
    def dashboard(self) -> LeanFlask:
        """The application of the dashboard's pages, made on first use."""
        from mockserver.dashboard.application import dashboard_of  # noqa: PLC0415  # slow, and not every server needs it

        with self._making:
            self._dashboard = self._dashboard or dashboard_of(self.control)
            return self._dashboard

    def _make_control(self) -> LeanFlask:
        from mockserver.app.control_api import control_of  # noqa: PLC0415  # as above
        from mockserver.control.framework.target import ControlDependencies, Tls  # noqa: PLC0415  # as above
        from mockserver.control.server.trace import TraceWriter  # noqa: PLC0415  # as above
        from mockserver.control.sessions import Sessions  # noqa: PLC0415  # as above

        mock, settings, storage = self.mock, self.settings, self.store.storage
        self.add_component(
            ControlDependencies(
                mock.store,
                mock.library,
                settings.yaml_limit,
                settings.depth_limit,
                mock.token is not None,
                mock.health,
                settings.beyond,
                settings.lint_timeout,
                mock.started,
                None if mock.tls is None else Tls(mock.tls.ca),
            )
        )
        self.add_component(TraceWriter(_trace_of))
        sessions = Sessions(mock.token, cast("SharedStorage", storage) if storage.is_shared else None)
        return control_of(self, mock.log, sessions, mock.names)

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return None for service requests, which Flask would not find.

        Flask's error for an unknown address refers to the request, and both would wait for a collection.
        """
        if request is not None and self.mock.service.endpoints.has(request):
            return None
        return super().create_url_adapter(request)

    def full_dispatch_request(self) -> Response:  # type: ignore[override]  # it is only called, by `wsgi_app`
        """Let the service answer its requests before Flask refuses unknown addresses."""
        found: Request = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001  # the proxy costs more with each use
        service = self.mock.service
        route = service.endpoints.route(found, is_matched=found.url_rule is not None)
        return super().full_dispatch_request() if route is None else service.answer(found, route)

    def make_response(self, rv: Any) -> Any:
        """Return service responses unchanged."""
        return rv if isinstance(rv, ApiResponse) else super().make_response(rv)

    def failed(self, environ: WSGIEnvironment, error: Exception) -> Response:
        """Log an error of the mock, and return its response.

        Raises:
            ConnectionResetError: `error` itself.
        """
        with self.request_context(environ):
            return self.handle_exception(error)


def _trace_of(workspace: Workspace) -> str:
    from mockserver.dashboard.trace import trace_of  # noqa: PLC0415  # slow, and few servers are asked for a trace

    return trace_of(workspace)


def create_app(settings: Settings | None = None) -> Application:
    """Return an application with workspaces for any WSGI server, by default with default settings.

    Raises:
        StorageError: the store cannot be opened or read.
        ScenarioError: the scenario of the settings is unknown or invalid.
        ValueError: a setting is malformed, a folder does not exist, or the token or the certificate cannot be used.
    """
    settings = settings or Settings()
    app = Mock(settings, Application).flask
    assert isinstance(app, Application), "the mock made it"
    if settings.store != "memory":
        # A program that leaves the application to a WSGI server never closes it.
        weakref.finalize(app, app.store.storage.close)
    return app

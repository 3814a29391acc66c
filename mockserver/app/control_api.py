"""The control API of a server: its resources, its guard and its error handlers, in an application of its own."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING

from flask import Response
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from mockserver.control.access.guard import Guard
from mockserver.control.access.sessions import Sessions
from mockserver.control.framework import nowhere
from mockserver.control.framework.problem import Problem, of_mistakes
from mockserver.control.framework.protection import protect_own
from mockserver.control.framework.resource import ControlApi
from mockserver.control.server import changes
from mockserver.control.server.beyond import BEYOND
from mockserver.control.server.call_log import CallLog
from mockserver.control.server.coverage import COVERAGE
from mockserver.control.server.documents import CA, DOCUMENTS
from mockserver.control.server.health import HEALTH
from mockserver.control.server.index import INDEX, WELCOME
from mockserver.control.server.metrics import METRICS
from mockserver.control.server.pages import PAGES
from mockserver.control.traffic.calls import CALLS
from mockserver.control.traffic.deliveries import DELIVERIES
from mockserver.control.traffic.exports import EXPORTS
from mockserver.control.traffic.faults import FAULTS
from mockserver.control.traffic.inbound import INBOUND
from mockserver.control.traffic.mailbox import MAILBOX
from mockserver.control.traffic.receivers import RECEIVER, RECEIVERS
from mockserver.control.traffic.requests import REQUESTS
from mockserver.control.traffic.stream import STREAM
from mockserver.control.traffic.stubs import STUBS
from mockserver.control.traffic.trigger import TRIGGER
from mockserver.control.workspaces.clock import CLOCK
from mockserver.control.workspaces.dns import DNS
from mockserver.control.workspaces.keys import KEYS
from mockserver.control.workspaces.machines import MACHINES
from mockserver.control.workspaces.oauth_apps import OAUTH_APPS
from mockserver.control.workspaces.snapshots import SNAPSHOTS
from mockserver.control.workspaces.state import STATE
from mockserver.control.workspaces.timers import TIMERS
from mockserver.control.workspaces.workspaces import WORKSPACES
from mockserver.core.workspaces.storage import StorageError
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.web.application import LeanFlask
from mockserver.web.logs.request_log import LogFormat, RequestLog
from mockserver.web.routing.audience import DASHBOARD_PREFIX
from mockserver.web.server import loop

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from mockserver.dashboard.application import DashboardFlask

CONTROL_API = ControlApi(
    (
        INDEX, HEALTH, CA, WORKSPACES, STATE, SNAPSHOTS, KEYS, CLOCK, TIMERS, MACHINES, DNS, FAULTS, STUBS, BEYOND,
        REQUESTS, CALLS, COVERAGE, MAILBOX, DELIVERIES, TRIGGER, INBOUND, RECEIVER, RECEIVERS, EXPORTS, OAUTH_APPS,
        METRICS, STREAM, DOCUMENTS, PAGES,
    )
)  # fmt: skip


class ControlFlask(LeanFlask):
    """The application of the control calls, which finds the components of the application that it belongs to."""

    def __init__(self, owner: LeanFlask, log: RequestLog, sessions: Sessions, allowed_hosts: Collection[str]) -> None:
        super().__init__(owner.name)
        self.config, self.json, self.components = owner.config, owner.json, owner.components
        # Functions that a program adds to the application run for control calls as well.
        self.before_request_funcs = owner.before_request_funcs
        self.after_request_funcs = owner.after_request_funcs
        self.teardown_request_funcs = owner.teardown_request_funcs
        self.add_component(CONTROL_API)
        self._making = threading.Lock()
        self._log_calls(log)
        self.after_request(changes.tell)
        self.after_request(protect_own)
        self.take_addresses(_addresses())
        self.components[Sessions] = sessions  # of whichever kind
        self.before_request(Guard(sessions, CONTROL_API.calls, allowed_hosts))
        self.register_error_handler(Problem, lambda error: error.response())
        self.register_error_handler(StorageError, lambda error: Problem(503, str(error)).response())
        self.register_error_handler(ScenarioError, lambda error: of_mistakes(error.mistakes).response())
        self.register_error_handler(HTTPException, _http_error)

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Leave what is below `/_mock/ui` to the dashboard."""
        if f"{environ['PATH_INFO']}/".startswith(f"{DASHBOARD_PREFIX}/"):
            if "_dashboard" not in vars(self):
                loop.leave(environ)  # others are answered while it is imported
            with self._making:
                dashboard = self._dashboard
            return dashboard.wsgi_app(environ, start_response)
        return super().wsgi_app(environ, start_response)

    @cached_property
    def _dashboard(self) -> DashboardFlask:
        """The pages; they are imported and made when somebody first opens one."""
        from mockserver.dashboard.application import DashboardFlask  # noqa: PLC0415  # see above

        return DashboardFlask(self)

    def _log_calls(self, log: RequestLog) -> None:
        """Log control calls, unless the log is off."""
        if log.format is not LogFormat.OFF:
            calls = CallLog(log)
            self.before_request(calls.begin)
            self.after_request(calls.end)


@cache
def _addresses() -> LeanFlask:
    """An application with the addresses of all control calls, for every server of this process."""
    found = LeanFlask(__name__)
    found.register_blueprint(WELCOME)
    for resource in CONTROL_API.resources:
        found.register_blueprint(resource.blueprint)
    return found


def _http_error(error: HTTPException) -> Response:
    """The answer to what Flask refuses by itself, and to an error within the mock.

    Flask has logged the traceback of the latter.
    """
    found = nowhere.problem(error).response()
    if isinstance(error, MethodNotAllowed):
        found.headers["Allow"] = ", ".join(nowhere.allowed(error))
    return found

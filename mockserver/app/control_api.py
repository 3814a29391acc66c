"""The control API of a server: its resources, its guard and its error handlers, in an application of its own."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING

from werkzeug.exceptions import HTTPException

from mockserver.control.framework.call import ControlApi, refused_by_flask
from mockserver.control.framework.problem import Problem, of_mistakes, protect_own
from mockserver.control.guard import Guard
from mockserver.control.server.after_call import CallLog, tell
from mockserver.control.server.coverage import COVERAGE
from mockserver.control.server.documents import CA, DOCUMENTS, PAGES
from mockserver.control.server.health import HEALTH
from mockserver.control.server.index import BEYOND, INDEX, WELCOME
from mockserver.control.server.metrics import METRICS
from mockserver.control.sessions import Sessions
from mockserver.control.traffic.deliveries import DELIVERIES, EXPORTS, RECEIVER, RECEIVERS
from mockserver.control.traffic.faults import FAULTS
from mockserver.control.traffic.mailbox import MAILBOX
from mockserver.control.traffic.requests import CALLS, REQUESTS
from mockserver.control.traffic.stream import STREAM
from mockserver.control.traffic.stubs import STUBS
from mockserver.control.traffic.trigger import INBOUND_MAILS, TRIGGER
from mockserver.control.workspaces.apps import OAUTH_APPS
from mockserver.control.workspaces.clock import CLOCK, TIMERS
from mockserver.control.workspaces.dns import DNS
from mockserver.control.workspaces.machines import MACHINES
from mockserver.control.workspaces.state import SNAPSHOTS, STATE
from mockserver.control.workspaces.workspaces import KEYS, WORKSPACES
from mockserver.core.workspaces.keeping import KeepingError
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
        REQUESTS, CALLS, COVERAGE, MAILBOX, DELIVERIES, TRIGGER, INBOUND_MAILS, RECEIVER, RECEIVERS, EXPORTS,
        OAUTH_APPS, METRICS, STREAM, DOCUMENTS, PAGES,
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
        self.after_request(tell)
        self.after_request(protect_own)
        self.take_addresses(_addresses())
        self.components[Sessions] = sessions  # of whichever kind
        self.before_request(Guard(sessions, CONTROL_API.calls, allowed_hosts))
        self.register_error_handler(Problem, lambda error: error.response())
        self.register_error_handler(KeepingError, lambda error: Problem(503, str(error)).response())
        self.register_error_handler(ScenarioError, lambda error: of_mistakes(error.mistakes).response())
        self.register_error_handler(HTTPException, refused_by_flask)

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

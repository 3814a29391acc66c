"""The control API of a server: resources, guard and error handlers."""

from __future__ import annotations

from functools import cache

from werkzeug.exceptions import HTTPException

from mockserver.control.framework.call import ControlApi, refused_by_flask
from mockserver.control.framework.problem import Problem, of_mistakes
from mockserver.control.guard import Guard
from mockserver.control.server.after_call import CallLog, protect_own, tell
from mockserver.control.server.coverage import COVERAGE
from mockserver.control.server.documents import CA, DOCUMENTS, PAGES
from mockserver.control.server.health import HEALTH
from mockserver.control.server.index import BEYOND, INDEX, WELCOME
from mockserver.control.server.metrics import METRICS
from mockserver.control.server.trace import TRACE
from mockserver.control.sessions import Sessions
from mockserver.control.traffic.deliveries import DELIVERIES, EXPORTS, RECEIVER, RECEIVERS
from mockserver.control.traffic.faults import FAULTS
from mockserver.control.traffic.findings import FINDINGS
from mockserver.control.traffic.mailbox import MAILBOX
from mockserver.control.traffic.report import REPORT
from mockserver.control.traffic.requests import CALLS, REQUESTS
from mockserver.control.traffic.stream import STREAM
from mockserver.control.traffic.stubs import STUBS
from mockserver.control.traffic.trigger import INBOUND_MAILS, TRIGGER
from mockserver.control.workspaces.apps import OAUTH_APPS
from mockserver.control.workspaces.clock import CLOCK, TIMERS
from mockserver.control.workspaces.dns import DNS
from mockserver.control.workspaces.expectations import EXPECTATIONS
from mockserver.control.workspaces.machines import MACHINES
from mockserver.control.workspaces.state import SNAPSHOTS, STATE
from mockserver.control.workspaces.vary import VARY
from mockserver.control.workspaces.workspaces import KEYS, WORKSPACES
from mockserver.core.text.host_names import HostNames
from mockserver.core.workspaces.storage import StorageError
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.web.application import LeanFlask
from mockserver.web.logs import LogFormat, RequestLog

CONTROL_API = ControlApi(
    (
        INDEX, HEALTH, CA, WORKSPACES, STATE, SNAPSHOTS, KEYS, CLOCK, TIMERS, MACHINES, DNS, FAULTS, VARY, STUBS,
        BEYOND, REQUESTS, CALLS, FINDINGS, REPORT, EXPECTATIONS, COVERAGE, MAILBOX, DELIVERIES, TRIGGER, INBOUND_MAILS,
        RECEIVER, RECEIVERS, EXPORTS, OAUTH_APPS, METRICS, STREAM, TRACE, DOCUMENTS, PAGES,
    )
)  # fmt: skip


def control_of(owner: LeanFlask, log: RequestLog, sessions: Sessions, names: HostNames) -> LeanFlask:
    """Return the application of control calls, as part of `owner`, with the same registered functions."""
    found = owner.part(_addresses())
    found.add_component(CONTROL_API)
    if log.format is not LogFormat.OFF:
        calls = CallLog(log)
        found.before_request(calls.begin)
        found.after_request(calls.end)
    found.after_request(tell)
    found.after_request(protect_own)
    found.components[Sessions] = sessions  # whichever subclass it is of
    found.before_request(Guard(sessions, CONTROL_API.calls, names))
    found.register_error_handler(Problem, lambda error: error.response())
    found.register_error_handler(StorageError, lambda error: Problem(503, str(error)).response())
    found.register_error_handler(ScenarioError, lambda error: of_mistakes(error.mistakes).response())
    found.register_error_handler(HTTPException, refused_by_flask)
    return found


@cache
def _addresses() -> LeanFlask:
    """Return an application with all control addresses, shared by all servers of a process."""
    found = LeanFlask(__name__)
    found.register_blueprint(WELCOME)
    for resource in CONTROL_API.resources:
        found.register_blueprint(resource.blueprint)
    return found

"""The control API of an application: its resources, its guard and its error handlers."""

from __future__ import annotations

from typing import cast

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from mockserver.control.access.guard import Guard
from mockserver.control.framework import nowhere
from mockserver.control.framework.problem import Problem, of_mistakes
from mockserver.control.framework.resource import ControlApi
from mockserver.control.server.coverage import COVERAGE
from mockserver.control.server.documents import DOCUMENTS
from mockserver.control.server.health import HEALTH
from mockserver.control.server.index import INDEX, WELCOME
from mockserver.control.server.metrics import METRICS
from mockserver.control.server.pages import PAGES
from mockserver.control.traffic.deliveries import DELIVERIES
from mockserver.control.traffic.exports import EXPORTS
from mockserver.control.traffic.faults import FAULTS
from mockserver.control.traffic.inbound import INBOUND
from mockserver.control.traffic.mailbox import MAILBOX
from mockserver.control.traffic.receivers import RECEIVER, RECEIVERS
from mockserver.control.traffic.requests import REQUESTS
from mockserver.control.traffic.stream import STREAM
from mockserver.control.traffic.trigger import TRIGGER
from mockserver.control.workspaces.clock import CLOCK
from mockserver.control.workspaces.dns import DNS
from mockserver.control.workspaces.keys import KEYS
from mockserver.control.workspaces.machines import MACHINES
from mockserver.control.workspaces.oauth_apps import OAUTH_APPS
from mockserver.control.workspaces.snapshots import SNAPSHOTS
from mockserver.control.workspaces.state import STATE
from mockserver.control.workspaces.workspaces import WORKSPACES
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.web.application import ServiceFlask
from mockserver.web.routing.audience import CONTROL_PREFIX

CONTROL_API = ControlApi(
    (
        INDEX, HEALTH, WORKSPACES, STATE, SNAPSHOTS, KEYS, CLOCK, MACHINES, DNS, FAULTS, REQUESTS, COVERAGE,
        MAILBOX, DELIVERIES, TRIGGER, INBOUND, RECEIVER, RECEIVERS, EXPORTS, OAUTH_APPS, METRICS, STREAM, DOCUMENTS,
        PAGES,
    )
)  # fmt: skip


def add_control_api(app: Flask, guard: Guard) -> None:
    """Let an application answer the control calls that `guard` admits, and refuse others with problem details."""
    app.register_blueprint(WELCOME)
    for resource in CONTROL_API.resources:
        app.register_blueprint(resource.blueprint)
    app.before_request(guard)
    app.register_error_handler(Problem, Problem.response)
    app.register_error_handler(ScenarioError, lambda error: of_mistakes(error.mistakes).response())
    app.register_error_handler(HTTPException, _http_error)


def _http_error(error: HTTPException) -> Response:
    """The answer to what Flask refuses by itself, and to an error within the mock.

    Flask has logged the traceback of the latter.
    """
    code = error.code or 500
    if code < 400:
        return Response(status=code, headers=error.get_headers())
    if not request.path.startswith(CONTROL_PREFIX):
        return cast(ServiceFlask, current_app).service.fail()
    found = nowhere.problem(error).response()
    if isinstance(error, MethodNotAllowed):
        found.headers["Allow"] = ", ".join(nowhere.allowed(error))
    return found

"""The one place where the parts meet."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from mockserver.app.effects import ServerEffects
from mockserver.control.access.guard import Guard
from mockserver.control.access.token import token_of
from mockserver.control.framework import nowhere
from mockserver.control.framework.inputs import Bodies
from mockserver.control.framework.parts import TOKEN_WANTED
from mockserver.control.framework.problem import Problem, of_mistakes
from mockserver.control.server.call_log import CallLog
from mockserver.control.server.coverage import COVERAGE
from mockserver.control.server.documents import DOCUMENTS
from mockserver.control.server.health import HEALTH
from mockserver.control.server.index import INDEX, WELCOME
from mockserver.control.server.ledger import LEDGER
from mockserver.control.server.metrics import METRICS
from mockserver.control.traffic import redaction
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
from mockserver.core.state.keys import Keyring
from mockserver.core.workspaces.origin import Origin, WorkspaceLimits
from mockserver.core.workspaces.store import KeyMode, Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.oauth.tokens.bearer import Bearer
from mockserver.resources.oauth.tokens.signing import Signer
from mockserver.resources.registry import ALL_OPERATIONS, OPERATIONS
from mockserver.scenario.documents.document import MappingNode
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.load import load
from mockserver.scenario.rules.fault_header import of_header
from mockserver.settings import Settings
from mockserver.web.logs.request_log import LogFormat, RequestLog, Secrecy
from mockserver.web.server.http_limits import HttpLimits
from mockserver.web.service import service
from mockserver.web.service.application import CONTROL_PREFIX, ServiceFlask, path_within

#: What the control API speaks of.
CONTROL_RESOURCES = (
    INDEX, HEALTH, WORKSPACES, STATE, SNAPSHOTS, KEYS, CLOCK, MACHINES, DNS, FAULTS, REQUESTS, COVERAGE,
    MAILBOX, DELIVERIES, TRIGGER, INBOUND, RECEIVER, RECEIVERS, EXPORTS, OAUTH_APPS, METRICS, STREAM, DOCUMENTS,
    LEDGER,
)  # fmt: skip


def create_app(settings: Settings | None = None) -> Flask:
    """The application with its workspaces, an ordinary WSGI application.

    Raises:
        ScenarioError: the scenario of the settings is no good one.
        ValueError: an address among the settings is none, a folder is not there, the control token is no good one.
    """
    settings = settings or Settings()
    if settings.scenarios and not Path(settings.scenarios).is_dir():
        raise ValueError(f"there is no folder {settings.scenarios} of scenarios")
    token = token_of(settings)
    library = Library(*([Path(settings.scenarios)] if settings.scenarios else []))
    app = ServiceFlask("mockserver", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the default provider has it
    effects = ServerEffects(settings)
    store, signer = _store(settings, library, effects), Signer()
    log = RequestLog(LogFormat(settings.log_format), Secrecy(redaction.text, redaction.query_text))
    app.extensions |= {
        "mockserver.store": store,
        "mockserver.library": library,
        "mockserver.resources": CONTROL_RESOURCES,
        "mockserver.log": log,
        "mockserver.effects": effects,
        "mockserver.started": time.monotonic(),
        "mockserver.signer": signer,
        "mockserver.operations": OPERATIONS.values(),
        "mockserver.http_limits": _http_limits(settings),
        "mockserver.early_refusal": _early_refusal,
        "mockserver.bodies": Bodies(settings.yaml_limit, settings.depth_limit),
    }
    service.Service(
        app,
        store,
        ALL_OPERATIONS.values(),
        faults=of_header,
        bearers=Bearer(store, signer),
        body_limit=settings.body_limit,
        prepare=effects.prepare,
        log=None if log.form is LogFormat.OFF else log,
    )
    if log.form is not LogFormat.OFF:
        calls = CallLog(log)
        app.before_request(calls.begin)
        app.after_request(calls.end)
    _add_control(app, Guard(token, CONTROL_RESOURCES, settings.allowed_host))
    return app


def _store(settings: Settings, library: Library, effects: ServerEffects) -> Store:
    return Store(
        _loader(library, settings),
        settings.scenario,
        seed=settings.seed,
        keys=KeyMode(settings.keys),
        limit=settings.workspaces_limit,
        effects=effects,
    )


def _http_limits(settings: Settings) -> HttpLimits:
    return HttpLimits(
        settings.head_limit,
        settings.headers_limit,
        settings.head_timeout,
        settings.body_timeout,
        settings.connections_limit,
        settings.bodies_limit,
        settings.answers_limit,
    )


def _early_refusal(path: str, status: int, message: str) -> Response:
    """What is said of a request that was not read to its end, in the words of whoever it went to."""
    if path_within(path).startswith(CONTROL_PREFIX):
        return Problem(status, message).response()
    return service.early_refusal(path, status, message)


def _add_control(app: Flask, guard: Guard) -> None:
    """The control API, which is guarded, and tells mistakes as problems."""
    app.register_blueprint(WELCOME)
    for resource in CONTROL_RESOURCES:
        app.register_blueprint(resource.blueprint)
    app.config[TOKEN_WANTED] = guard.wants_token
    app.before_request(guard)
    app.register_error_handler(Problem, Problem.response)
    app.register_error_handler(ScenarioError, lambda error: of_mistakes(error.mistakes).response())
    app.register_error_handler(HTTPException, _http_error)


def _loader(library: Library, settings: Settings) -> Any:
    limits = WorkspaceLimits(**{name: getattr(settings, f"{name}_limit") for name in WorkspaceLimits._fields})

    def from_library(
        scenario: object, *, name: str, seed: int | None = None, keyring: Callable[[int], Keyring] | None = None
    ) -> Workspace:
        title = scenario if isinstance(scenario, str) else getattr(scenario, "title", MappingNode.title)
        found = load(library.document(scenario), name=name, title=title, seed=seed, keyring=keyring, limits=limits)
        found.origin = Origin(scenario, seed, found.origin.keyring)
        return found

    return from_library


def _http_error(error: HTTPException) -> Response:
    """What Flask refuses by itself, and mistakes of ours, whose traceback Flask has written to the log."""
    code = error.code or 500
    if code < 400:
        return Response(status=code, headers=error.get_headers())
    if not request.path.startswith(CONTROL_PREFIX):
        app: Any = current_app
        failed: Response = app.service.fail()
        return failed
    found = nowhere.problem(error).response()
    if isinstance(error, MethodNotAllowed):
        found.headers["Allow"] = ", ".join(nowhere.allowed(error))
    return found

"""The one place where the parts meet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from mockserver.control import redaction
from mockserver.control.call import Bodies
from mockserver.control.clock import CLOCK
from mockserver.control.coverage import COVERAGE
from mockserver.control.deliveries import DELIVERIES
from mockserver.control.dns import DNS
from mockserver.control.documents import DOCUMENTS
from mockserver.control.exports import EXPORTS
from mockserver.control.faults import FAULTS
from mockserver.control.guard import Guard
from mockserver.control.health import HEALTH
from mockserver.control.inbound import INBOUND
from mockserver.control.index import INDEX, WELCOME
from mockserver.control.keys import KEYS
from mockserver.control.machines import MACHINES
from mockserver.control.mailbox import MAILBOX
from mockserver.control.metrics import METRICS
from mockserver.control.oauth_apps import OAUTH_APPS
from mockserver.control.problem import Problem, of_mistakes
from mockserver.control.receivers import RECEIVER, RECEIVERS
from mockserver.control.requests import REQUESTS
from mockserver.control.snapshots import SNAPSHOTS
from mockserver.control.state import STATE
from mockserver.control.stream import STREAM
from mockserver.control.trigger import TRIGGER
from mockserver.control.workspaces import WORKSPACES
from mockserver.core.keys import Keyring
from mockserver.core.origin import Limits, Origin
from mockserver.core.store import KeyMode, Store
from mockserver.core.workspace import Workspace
from mockserver.outside import Outside
from mockserver.resources.oauth.bearer import Bearer
from mockserver.resources.oauth.signing import Signer
from mockserver.resources.rooms import ALL_OPERATIONS, OPERATIONS
from mockserver.scenario.document import Mapping
from mockserver.scenario.fault_header import of_header
from mockserver.scenario.library import Library
from mockserver.scenario.load import load
from mockserver.scenario.mistakes import ScenarioError
from mockserver.settings import Settings
from mockserver.web.application import CONTROL_PREFIX, ServiceFlask
from mockserver.web.request_log import Form, RequestLog, Secrecy
from mockserver.web.service import Service

#: What the control API speaks of.
NOUNS = (
    INDEX, HEALTH, WORKSPACES, STATE, SNAPSHOTS, KEYS, CLOCK, MACHINES, DNS, FAULTS, REQUESTS, COVERAGE,
    MAILBOX, DELIVERIES, TRIGGER, INBOUND, RECEIVER, RECEIVERS, EXPORTS, OAUTH_APPS, METRICS, STREAM, DOCUMENTS,
)  # fmt: skip


def create_app(settings: Settings | None = None) -> Flask:
    """The application with its worlds, an ordinary WSGI application.

    Raises:
        ScenarioError: the scenario of the settings is no good one.
        ValueError: an address among the settings is none.
    """
    settings = settings or Settings()
    library = Library(*([Path(settings.scenarios)] if settings.scenarios else []))
    app = ServiceFlask("mockserver", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the default provider has it
    outside = Outside(settings)
    store, signer = _store(settings, library, outside), Signer()
    log = RequestLog(Form(settings.log_format), Secrecy(redaction.text, redaction.query_text))
    app.extensions |= {
        "mockserver.store": store,
        "mockserver.library": library,
        "mockserver.nouns": NOUNS,
        "mockserver.log": log,
        "mockserver.outside": outside,
        "mockserver.signer": signer,
        "mockserver.operations": OPERATIONS.values(),
        "mockserver.bodies": Bodies(settings.yaml_limit, settings.depth_limit),
    }
    Service(
        app,
        store,
        ALL_OPERATIONS.values(),
        faults=of_header,
        bearers=Bearer(store, signer),
        body_limit=settings.body_limit,
        prepare=outside.prepare,
        log=None if log.form is Form.OFF else log,
    )
    _add_control(app, settings.control_token)
    return app


def _store(settings: Settings, library: Library, outside: Outside) -> Store:
    return Store(
        _loader(library, settings),
        settings.scenario,
        seed=settings.seed,
        keys=KeyMode(settings.keys),
        limit=settings.workspaces_limit,
        outside=outside,
    )


def _add_control(app: Flask, token: str | None) -> None:
    """The control API, which asks for its token if there is one, and tells mistakes as problems."""
    app.register_blueprint(WELCOME)
    for noun in NOUNS:
        app.register_blueprint(noun.blueprint)
    if token:
        app.before_request(Guard(token, NOUNS))
    app.register_error_handler(Problem, Problem.response)
    app.register_error_handler(ScenarioError, lambda error: of_mistakes(error.mistakes).response())
    app.register_error_handler(HTTPException, _http_error)


def _loader(library: Library, settings: Settings) -> Any:
    limits = Limits(
        settings.mailbox_limit,
        settings.journal_limit,
        settings.journal_bytes_limit,
        settings.snapshots_limit,
        settings.deliveries_limit,
    )

    def from_library(
        scenario: object, *, name: str, seed: int | None = None, keyring: Callable[[int], Keyring] | None = None
    ) -> Workspace:
        title = scenario if isinstance(scenario, str) else "document"
        document = library.read(scenario) if isinstance(scenario, str) else library.extended(_as_mapping(scenario))
        found = load(document, name=name, title=title, seed=seed, keyring=keyring, limits=limits)
        found.origin = Origin(scenario, seed, found.origin.keyring)
        return found

    return from_library


def _as_mapping(document: Any) -> Mapping:
    """A document that came as JSON, in the form of one that came as YAML."""
    return document if isinstance(document, Mapping) else Mapping.of(document)


def _http_error(error: HTTPException) -> Response:
    """What Flask refuses by itself, and mistakes of ours, whose traceback Flask has written to the log."""
    code = error.code or 500
    if code < 400:
        return Response(status=code, headers=error.get_headers())
    if not request.path.startswith(CONTROL_PREFIX):
        app: Any = current_app
        failed: Response = app.service.fail()
        return failed
    found = Problem(code, f"{request.method} {request.path}: {error.description}").response()
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        found.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return found

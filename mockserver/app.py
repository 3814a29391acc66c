"""The one place where the parts meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from mockserver.control import clock, dns, documents, health, index, machines, mailbox, state
from mockserver.control.problem import Problem, of_mistakes
from mockserver.core.store import KeyMode, Store
from mockserver.core.workspace import Workspace
from mockserver.resources.rooms import OPERATIONS
from mockserver.scenario.document import Mapping
from mockserver.scenario.library import Library
from mockserver.scenario.load import load
from mockserver.scenario.mistakes import ScenarioError
from mockserver.settings import Settings
from mockserver.web.service import CONTROL_PREFIX, Service, ServiceFlask

_BLUEPRINTS = (
    clock.BLUEPRINT,
    dns.BLUEPRINT,
    documents.BLUEPRINT,
    health.BLUEPRINT,
    index.BLUEPRINT,
    machines.BLUEPRINT,
    mailbox.BLUEPRINT,
    state.BLUEPRINT,
)


def create_app(settings: Settings | None = None) -> Flask:
    """The application with its worlds, an ordinary WSGI application.

    Raises:
        ScenarioError: the scenario of the settings is no good one.
    """
    settings = settings or Settings()
    library = Library(*([Path(settings.scenarios)] if settings.scenarios else []))
    app = ServiceFlask("mockserver", static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]  # the default provider has it
    store = Store(_loader(library, settings), settings.scenario, keys=KeyMode(settings.keys))
    app.extensions["mockserver.store"] = store
    app.extensions["mockserver.library"] = library
    Service(app, store, OPERATIONS.values())
    for blueprint in _BLUEPRINTS:
        app.register_blueprint(blueprint)
    app.register_error_handler(Problem, Problem.response)
    app.register_error_handler(ScenarioError, lambda error: of_mistakes(error.mistakes).response())
    app.register_error_handler(HTTPException, _http_error)
    return app


def _loader(library: Library, settings: Settings) -> Any:
    def from_library(scenario: object, *, name: str) -> Workspace:
        title = scenario if isinstance(scenario, str) else "document"
        document = library.read(scenario) if isinstance(scenario, str) else library.extended(_as_mapping(scenario))
        return load(document, name=name, title=title, seed=settings.seed, mailbox_limit=settings.mailbox_limit)

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
    return Problem(code, f"{request.method} {request.path}: {error.description}").response()

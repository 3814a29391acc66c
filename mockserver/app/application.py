"""The application: the composition root, where all layers below are created and connected."""

from __future__ import annotations

from functools import partial

from flask import Flask

from mockserver.app.effects.server_effects import ServerEffects
from mockserver.app.workspaces import library_of, store_of
from mockserver.control.access.token import token_of
from mockserver.control.framework.dependencies import Bodies, ControlDependencies
from mockserver.core.workspaces.store import Store
from mockserver.resources.oauth.parts import OAuthParts
from mockserver.resources.oauth.tokens.bearer import Bearer
from mockserver.resources.oauth.tokens.signing import Signer
from mockserver.resources.registry import ALL_OPERATIONS, OPERATIONS
from mockserver.scenario.documents.library import Library
from mockserver.scenario.rules.fault_header import of_header
from mockserver.settings import Settings
from mockserver.views.traffic import redaction
from mockserver.web.application import ServiceFlask
from mockserver.web.logs.request_log import LogFormat, RequestLog, Secrecy
from mockserver.web.service.service import Service


class Application(ServiceFlask):
    """The mock as a WSGI application, with the settings, store, effects and log that a server needs to run it."""

    def __init__(self, settings: Settings, store: Store, effects: ServerEffects, log: RequestLog) -> None:
        super().__init__("mockserver")
        self.settings = settings
        self.store = store
        self.effects = effects
        self.log = log
        self.json.sort_keys = False  # type: ignore[attr-defined]  # the default provider has it


def create_app(settings: Settings | None = None) -> Application:
    """An application with its workspaces, which any WSGI server can serve; the default settings if none are given.

    Raises:
        ScenarioError: the scenario of the settings is unknown or not valid.
        ValueError: an address among the settings is malformed, a folder does not exist, or the control token cannot be
            used.
    """
    settings = settings or Settings()
    library = library_of(settings)
    token = token_of(settings)
    effects = ServerEffects(settings)
    store = store_of(settings, library, effects)
    log = RequestLog(LogFormat(settings.log_format), Secrecy(redaction.text, redaction.query_text))
    app = Application(settings, store, effects, log)
    _add_components(app, library, wants_token=token is not None)
    _add_service(app)
    app.add_control(partial(_control, app, token))
    return app


def _add_components(app: Application, library: Library, *, wants_token: bool) -> None:
    """Add the components that the endpoints of OAuth and the control calls look up by their type."""
    settings = app.settings
    bodies = Bodies(settings.yaml_limit, settings.depth_limit)
    app.add_component(OAuthParts(Signer(), OPERATIONS.values()))
    app.add_component(ControlDependencies(app.store, library, bodies, wants_token, app.effects.health))


def _add_service(app: Application) -> None:
    service = Service(
        app.store,
        ALL_OPERATIONS.values(),
        faults=of_header,
        bearers=Bearer(app.store, app.component(OAuthParts).signer),
        body_limit=app.settings.body_limit,
        prepare=app.effects.look_ups.prepare,
        log=None if app.log.format is LogFormat.OFF else app.log,
    )
    app.add_service(service)


def _control(app: Application, token: str | None) -> Flask:
    """The application of the control calls; what they need is imported now, as a server may never be asked for one."""
    from mockserver.app.control_api import ControlFlask  # noqa: PLC0415  # see above

    return ControlFlask(app, app.log, token, app.settings.allowed_host)

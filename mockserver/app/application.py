"""The application: the composition root, where all layers below are created and connected."""

from __future__ import annotations

import time
import weakref
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from flask import Flask

from mockserver.app.effects.server_effects import ServerEffects
from mockserver.app.keeping import keeping_of
from mockserver.app.settling import Settling
from mockserver.app.tls import TlsParts, tls_of
from mockserver.app.workspaces import library_of, store_of
from mockserver.control.access.token import token_of
from mockserver.core.late import late
from mockserver.core.workspaces.keeping import Keeping, NoKeeping
from mockserver.core.workspaces.store import Store
from mockserver.resources.oauth.parts import OAuthParts
from mockserver.resources.oauth.tokens.bearer import Bearer
from mockserver.resources.oauth.tokens.signing import Signer
from mockserver.resources.registry import ALL_OPERATIONS, OPERATIONS
from mockserver.scenario.documents.library import Library
from mockserver.settings import Settings
from mockserver.web.application import ServiceFlask
from mockserver.web.logs.request_log import LogFormat, RequestLog, Secrecy
from mockserver.web.service.service import Service

if TYPE_CHECKING:
    from mockserver.beyond import answering
    from mockserver.control.framework.dependencies import Tls
    from mockserver.scenario.documents import stub_libraries
    from mockserver.scenario.rules import fault_header
    from mockserver.storage.working_set import WorkingSet
    from mockserver.views.traffic import redaction
else:
    # For requests that no operation answers.
    (answering,) = late("mockserver.beyond", "answering")
    (stub_libraries,) = late("mockserver.scenario.documents", "stub_libraries")
    # For requests with a fault of their own, and for lines of the log.
    (fault_header,) = late("mockserver.scenario.rules", "fault_header")
    (redaction,) = late("mockserver.views.traffic", "redaction")


class Application(ServiceFlask):
    """The mock as a WSGI application, with the settings, store, effects and log that a server needs to run it."""

    def __init__(
        self, settings: Settings, store: Store, effects: ServerEffects, log: RequestLog, tls: TlsParts | None = None
    ) -> None:
        super().__init__("mockserver")
        self.settings = settings
        #: The certificates of the server; None: it does not speak TLS.
        self.tls = tls
        self.store = store
        #: Which workspaces are in memory; None: all are, as nothing keeps them.
        self.working_set = _working_set_of(settings, store)
        self.effects = effects
        self.log = log
        #: Where the server speaks TLS, as soon as there is one; None: it does not.
        self.tls_port: int | None = None
        self.json.sort_keys = False  # type: ignore[attr-defined]  # the default provider has it

    def health(self) -> dict[str, dict[str, Any]]:
        """The members that this server adds to the answer of `health`."""
        tls = {} if self.tls_port is None else {"tls": {"port": self.tls_port}}
        return {**self.effects.health(), **tls}

    def open(self) -> None:
        """Fire timers in real time, take e-mails, and go on with what was under way when the workspaces were kept.

        Raises:
            OSError: the SMTP listener cannot listen on its address.
        """
        self.effects.open(self.store)
        if self.working_set is not None:
            self.working_set.open()

    def close(self) -> None:
        """End all effects and the log, and keep what has changed last; the application answers no more requests."""
        if self.working_set is not None:
            self.working_set.close()
        self.effects.close()
        self.store.keeping.close()
        self.log.close()


def create_app(settings: Settings | None = None) -> Application:
    """An application with its workspaces, which any WSGI server can serve; the default settings if none are given.

    Raises:
        KeepingError: the store cannot be opened or read.
        ScenarioError: the scenario of the settings is unknown or not valid.
        ValueError: an address among the settings is malformed, a folder does not exist, or the control token or the
            certificate cannot be used.
    """
    settings = settings or Settings()
    keeping = keeping_of(settings)
    try:
        app = _create_app(settings, keeping)
    except BaseException:
        keeping.close()
        raise
    if settings.store != "memory":
        # A program that leaves the application to a WSGI server never closes it.
        weakref.finalize(app, keeping.close)
    return app


def _create_app(settings: Settings, keeping: Keeping) -> Application:
    library = library_of(settings)
    token = token_of(settings)
    tls = tls_of(settings)
    effects = ServerEffects(settings, None if tls is None else tls.ca)
    store = store_of(settings, library, effects, keeping)
    log = RequestLog(LogFormat(settings.log_format), Secrecy(redaction.text, redaction.query_text))
    app = Application(settings, store, effects, log, tls)
    app.add_component(OAuthParts(Signer(store.keeping), OPERATIONS.values()))
    _add_service(app)
    app.add_control(partial(_control, app, library, token, time.monotonic()))
    if settings.store_sync == "always" and settings.store != "memory":
        app.wsgi_app = Settling(app.wsgi_app, keeping)  # type: ignore[method-assign]  # as Flask wants it done
    return app


def _working_set_of(settings: Settings, store: Store) -> WorkingSet | None:
    if isinstance(store.keeping, NoKeeping):
        return None
    from mockserver.storage.working_set import WorkingSet  # noqa: PLC0415  # few servers keep anything

    return WorkingSet(store, settings.store_cache)


def _add_service(app: Application) -> None:
    service = Service(
        app.store,
        ALL_OPERATIONS.values(),
        faults=fault_header.of_header,
        beyond=cache(partial(answering.Answering, app.settings.beyond, stub_libraries.by_operation)),
        bearers=Bearer(app.store, app.component(OAuthParts).signer),
        body_limit=app.settings.body_limit,
        prepare=app.effects.look_ups.prepare,
        log=None if app.log.format is LogFormat.OFF else app.log,
    )
    app.add_service(service)


def _control(app: Application, library: Library, token: str | None, started: float) -> Flask:
    """The application of the control calls; what they need is imported now, as a server may never be asked for one."""
    from mockserver.app.control_api import ControlFlask  # noqa: PLC0415  # see above
    from mockserver.control.framework.dependencies import Bodies, ControlDependencies  # noqa: PLC0415  # see above

    settings = app.settings
    bodies = Bodies(settings.yaml_limit, settings.depth_limit)
    wants_token = token is not None
    app.add_component(
        ControlDependencies(
            app.store, library, bodies, wants_token, app.health, settings.beyond, started, _shown(app.tls)
        )
    )
    return ControlFlask(app, app.log, token, settings.allowed_host)


def _shown(tls: TlsParts | None) -> Tls | None:
    from mockserver.control.framework.dependencies import Tls  # noqa: PLC0415  # see above

    return None if tls is None else Tls(tls.ca)

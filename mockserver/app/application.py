"""The application: Flask around the mock, for all that is not of the API, and for programs that serve it themselves."""

from __future__ import annotations

import weakref
from functools import partial
from typing import TYPE_CHECKING, cast

from flask import Flask

from mockserver.app.mock import Mock, mock_of
from mockserver.app.sessions import InSessions
from mockserver.settings import Settings
from mockserver.web.application import ServiceFlask

if TYPE_CHECKING:
    from mockserver.app.tls import TlsParts
    from mockserver.control.framework.target import Tls
    from mockserver.control.sessions import Sessions
    from mockserver.core.workspaces.keeping import SharedKeeping


class Application(ServiceFlask):
    """The mock as a WSGI application of Flask's, with the settings, store, effects and log of the mock."""

    def __init__(self, mock: Mock) -> None:
        super().__init__("mockserver")
        self.mock = mock
        self.settings = mock.settings
        self.store = mock.store
        self.effects = mock.effects
        self.log = mock.log
        self.json.sort_keys = False  # type: ignore[attr-defined]  # the default provider has it
        self.add_component(mock.oauth)
        self.add_service(mock.service)
        self.add_control(partial(_control, self))
        if mock.store.keeping.in_sessions:
            self.wsgi_app = InSessions(self.wsgi_app, mock.store.keeping, mock.settings.body_limit)  # type: ignore[method-assign]  # as Flask wants it done

    def close(self) -> None:
        """Close the mock; the application answers no more requests."""
        self.mock.close()


def create_app(settings: Settings | None = None) -> Application:
    """An application with its workspaces, which any WSGI server can serve; the default settings if none are given.

    Raises:
        KeepingError: the store cannot be opened or read.
        ScenarioError: the scenario of the settings is unknown or not valid.
        ValueError: an address among the settings is malformed, a folder does not exist, or the control token or the
            certificate cannot be used.
    """
    settings = settings or Settings()
    app = mock_of(settings).flask
    if settings.store != "memory":
        # A program that leaves the application to a WSGI server never closes it.
        weakref.finalize(app, app.store.keeping.close)
    return app


def _control(app: Application) -> Flask:
    """The application of the control calls; what they need is imported now, as a server may never be asked for one."""
    from mockserver.app.control_api import ControlFlask  # noqa: PLC0415  # see above
    from mockserver.control.framework.target import Bodies, ControlDependencies  # noqa: PLC0415  # see above

    mock, settings = app.mock, app.settings
    bodies = Bodies(settings.yaml_limit, settings.depth_limit)
    wants_token = mock.token is not None
    app.add_component(
        ControlDependencies(
            mock.store, mock.library, bodies, wants_token, mock.health, settings.beyond, mock.started, _shown(mock.tls)
        )
    )
    return ControlFlask(app, mock.log, _sessions(mock), settings.allowed_host)


def _sessions(mock: Mock) -> Sessions:
    """Who has signed in to the dashboard: at this server, or at any of those that share its store."""
    from mockserver.control.sessions import Sessions  # noqa: PLC0415  # see above

    keeping = mock.store.keeping
    return Sessions(mock.token, cast("SharedKeeping", keeping) if keeping.is_shared else None)


def _shown(tls: TlsParts | None) -> Tls | None:
    from mockserver.control.framework.target import Tls  # noqa: PLC0415  # see above

    return None if tls is None else Tls(tls.ca)

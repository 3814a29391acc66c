"""The mock: what every server of it runs, put together out of settings; Flask comes when it is first asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Response

from mockserver.app.server_effects import ServerEffects
from mockserver.app.tls import TlsParts, tls_of
from mockserver.app.workspaces import library_of, storage_of, store_of
from mockserver.control.token import token_of
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.storage import Storage
from mockserver.core.workspaces.store import Store
from mockserver.resources.oauth.signing import Bearer, OAuthParts, Signer
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS
from mockserver.scenario.documents.library import Library
from mockserver.settings import Settings
from mockserver.web.logs import LogFormat, RequestLog, Secrecy
from mockserver.web.routing.address import CONTROL_PREFIX, split_workspace
from mockserver.web.server import loop
from mockserver.web.server.wsgi import Shortcut
from mockserver.web.service.exchange import early_refusal
from mockserver.web.service.service import Service

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from mockserver.app import application
    from mockserver.beyond import answering
    from mockserver.scenario import fault_header
    from mockserver.storage.working_set import WorkingSet
    from mockserver.views import redaction
else:
    # For all that is not of the API.
    (application,) = lazy("mockserver.app", "application")
    # For requests that no operation answers.
    (answering,) = lazy("mockserver.beyond", "answering")
    # For requests with a fault of their own, and for lines of the log.
    (fault_header,) = lazy("mockserver.scenario", "fault_header")
    (redaction,) = lazy("mockserver.views", "redaction")


class Mock:
    """The settings, store, effects and log of a server, with the service and the application that answer by them.

    It is a WSGI application that makes its Flask application when a request comes that is not of the API.
    """

    def __init__(
        self,
        settings: Settings,
        library: Library,
        store: Store,
        effects: ServerEffects,
        tls: TlsParts | None,
        token: str | None,
    ) -> None:
        self.settings = settings
        #: What the control API asks for; None: it asks for none.
        self.token = token
        self.library = library
        self.store = store
        self.effects = effects
        #: The certificates of the server; None: it does not speak TLS.
        self.tls = tls
        #: Where the server speaks TLS, as soon as there is one; None: it does not.
        self.tls_port: int | None = None
        #: Which workspaces are in memory; None: all are, as nothing keeps them.
        self.working_set = _working_set_of(settings, store)
        self.log = RequestLog(LogFormat(settings.log_format), Secrecy(redaction.text, redaction.query_text))
        self.oauth = OAuthParts(Signer(store.storage), API_OPERATIONS.values())
        self.service = self._service()
        #: When it was made, by the monotonic clock.
        self.started = time.monotonic()
        self._making = threading.Lock()

    def _service(self) -> Service:
        return Service(
            self.store,
            ALL_OPERATIONS.values(),
            faults=fault_header.of_header,
            beyond=cache(partial(answering.Answering, self.settings.beyond)),
            bearers=Bearer(self.store, self.oauth.signer),
            body_limit=self.settings.body_limit,
            prepare=self.effects.look_ups.prepare,
            log=None if self.log.format is LogFormat.OFF else self.log,
            failed=self._failed,
        )

    @property
    def flask(self) -> application.Application:
        """The application of Flask's, which answers all requests; it is made when it is first asked for.

        Many servers are started for the service alone, and Flask takes 4 MB.
        """
        with self._making:
            return self._made_flask

    @cached_property
    def _made_flask(self) -> application.Application:
        return application.Application(self)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if "_made_flask" not in vars(self):
            loop.leave(environ)  # others are answered while Flask is imported
        return self.flask(environ, start_response)

    @property
    def shortcut(self) -> Shortcut:
        """Answers requests of the API without Flask."""
        return self.service.shortcut

    def _failed(self, environ: WSGIEnvironment, error: Exception) -> Response:
        return self.flask.failed(environ, error)

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

    def close(self) -> bool:
        """End all effects and the log, and save the last changes. Return whether all changes are saved.

        The mock answers no more requests.
        """
        if self.working_set is not None:
            self.working_set.close()
        self.effects.close()
        is_saved = self.store.storage.close()
        self.log.close()
        return is_saved


def mock_of(settings: Settings) -> Mock:
    """A mock of these settings, with its workspaces.

    Raises:
        StorageError: the store cannot be opened or read.
        ScenarioError: the scenario of the settings is unknown or not valid.
        ValueError: an address among the settings is malformed, a folder does not exist, or the control token or the
            certificate cannot be used.
    """
    storage = storage_of(settings)
    try:
        return _mock_of(settings, storage)
    except BaseException:
        storage.close()
        raise


def _mock_of(settings: Settings, storage: Storage) -> Mock:
    library = library_of(settings)
    token = token_of(settings)
    tls = tls_of(settings)
    effects = ServerEffects(settings, None if tls is None else tls.ca)
    store = store_of(settings, library, effects, storage)
    return Mock(settings, library, store, effects, tls, token)


def _working_set_of(settings: Settings, store: Store) -> WorkingSet | None:
    if settings.store == "memory":
        return None
    from mockserver.core.workspaces.shared_store import SharedStore  # noqa: PLC0415  # as below
    from mockserver.storage.working_set import SharedWorkingSet, WorkingSet  # noqa: PLC0415  # few servers keep anything

    if isinstance(store, SharedStore):
        return SharedWorkingSet(store, settings.store_cache)
    return WorkingSet(store, settings.store_cache)


def refusal(path: str, status: int, message: str) -> Response:
    """Return the refusal of a request that reaches no handler, in the format of the audience of its path."""
    if not split_workspace(path)[1].startswith(CONTROL_PREFIX):
        return early_refusal(path, status, message)
    from mockserver.control.framework.problem import Problem, protect  # noqa: PLC0415  # slow: it imports all records

    return protect(Problem(status, message).response())

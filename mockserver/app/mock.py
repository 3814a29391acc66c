"""The mock of a server, made from settings; Flask is made on demand."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from werkzeug.wrappers import Response

from mockserver.app.server_effects import ServerEffects
from mockserver.app.tls import tls_of
from mockserver.app.workspaces import library_of, storage_of, store_of
from mockserver.core.lazy import lazy
from mockserver.core.text.host_names import HostNames
from mockserver.core.workspaces.store import Store
from mockserver.resources.oauth.signing import Bearer, OAuthParts, Signer
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.settings import Settings
from mockserver.settings.settings import token_of
from mockserver.web.logs import LogFormat, RequestLog, Secrecy
from mockserver.web.routing.address import CONTROL_PREFIX, split_workspace
from mockserver.web.server import loop
from mockserver.web.server.wsgi import Shortcut
from mockserver.web.service.exchange import early_refusal
from mockserver.web.service.service import Service

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from mockserver.beyond import answering
    from mockserver.scenario import fault_header
    from mockserver.storage.working_set import WorkingSet
    from mockserver.views import redaction
else:
    # For requests that no operation answers.
    (answering,) = lazy("mockserver.beyond", "answering")
    # For requests with a fault of their own, and for lines of the log.
    (fault_header,) = lazy("mockserver.scenario", "fault_header")
    (redaction,) = lazy("mockserver.views", "redaction")


class FlaskApplication(Protocol):
    """The Flask application of a mock; it imports this module, which knows no more of it."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse, /) -> Iterable[bytes]: ...

    def failed(self, environ: WSGIEnvironment, error: Exception) -> Response:
        """Log an error of the mock, and return its response."""


class Mock:
    """Settings, store, effects, log and service of a server.

    A WSGI application that makes its Flask application for the first request beyond the API.
    """

    def __init__(self, settings: Settings, make_flask: Callable[[Mock], FlaskApplication]) -> None:
        """Open the store, and make the workspaces; raises as `create_app`."""
        self.settings = settings
        storage = storage_of(settings)
        try:
            self.library = library_of(settings)
            #: The token that the control API asks for, or None.
            self.token = token_of(settings)
            self.names = HostNames(settings.allowed_names, has_token=self.token is not None)
            #: The certificates of the server, or None without TLS.
            self.tls = tls_of(settings)
            self.effects = ServerEffects(settings, None if self.tls is None else self.tls.ca)
            self.store = store_of(settings, self.library, self.effects, storage)
        except BaseException:
            storage.close()
            raise
        #: The port that speaks TLS, or None.
        self.tls_port: int | None = None
        #: The saved workspaces in memory, or None if nothing is saved.
        self.working_set = _working_set_of(settings, self.store)
        self.log = RequestLog(LogFormat(settings.log_format), Secrecy(redaction.plain, redaction.query_text))
        self.oauth = OAuthParts(Signer(storage))
        self.service = Service(
            self.store,
            ALL_OPERATIONS.values(),
            faults=fault_header.of_header,
            beyond=cache(partial(answering.Answering, settings.beyond)),
            names=self.names,
            bearers=Bearer(self.store, self.oauth.signer),
            public_root=settings.public_root,
            body_limit=settings.body_limit,
            prepare=self.effects.look_ups.prepare,
            log=None if self.log.format is LogFormat.OFF else self.log,
            failed=lambda environ, error: self.flask.failed(environ, error),  # noqa: PLW0108  # Flask is made late
        )
        #: Answers API requests without Flask.
        self.shortcut: Shortcut = self.service.shortcut
        #: The moment of its creation, by the monotonic clock.
        self.started = time.monotonic()
        self._making = threading.Lock()
        self._make_flask = make_flask
        self._flask: FlaskApplication | None = None

    @property
    def flask(self) -> FlaskApplication:
        """The Flask application for all requests, made on first use, as Flask takes 4 MB."""
        with self._making:
            self._flask = self._flask or self._make_flask(self)
            return self._flask

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if self._flask is None:
            loop.leave()  # others are answered while Flask is imported
        return self.flask(environ, start_response)

    def health(self) -> dict[str, Any]:
        """Return this server's members in answers of `health`."""
        tls = {} if self.tls_port is None else {"tls": {"port": self.tls_port}}
        public = {} if self.settings.public_root is None else {"public_url": self.settings.public_root}
        return {**self.effects.health(), **tls, **public}

    def open(self) -> None:
        """Start timers, e-mails and unfinished effects of saved workspaces."""
        self.effects.open(self.store)
        if self.working_set is not None:
            self.working_set.open()

    def close(self) -> bool:
        """End effects and log, and save last changes. Return whether all changes are saved."""
        if self.working_set is not None:
            self.working_set.close()
        self.effects.close()
        is_saved = self.store.storage.close()
        self.log.close()
        return is_saved


def _working_set_of(settings: Settings, store: Store) -> WorkingSet | None:
    if settings.store == "memory":
        return None
    from mockserver.core.workspaces.shared_store import SharedStore  # noqa: PLC0415  # as below
    from mockserver.storage.working_set import SharedWorkingSet, WorkingSet  # noqa: PLC0415  # few servers keep anything

    if isinstance(store, SharedStore):
        return SharedWorkingSet(store, settings.store_cache)
    return WorkingSet(store, settings.store_cache)


def refusal(path: str, status: int, message: str) -> Response:
    """Refuse a request without handler, in the format of its path's audience."""
    if not split_workspace(path)[1].startswith(CONTROL_PREFIX):
        return early_refusal(path, status, message)
    from mockserver.control.framework.problem import Problem  # noqa: PLC0415  # slow: it imports all records
    from mockserver.control.server.after_call import protect  # noqa: PLC0415  # as above

    return protect(Problem(status, message).response())

"""A server in this process."""

from __future__ import annotations

import atexit
import threading
from typing import TYPE_CHECKING

from mockserver.control.token import token_of
from mockserver.settings import Settings, needing_server
from mockserver.testing import trust
from mockserver.testing.client import MockServerError, Trust

if TYPE_CHECKING:
    from mockserver.app.runtime import Runtime

__tracebackhide__ = True  # pytest shows the line of the test instead


class LocalServer:
    """A server in this process, which can be started again after a stop. Threads may share it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._runtime: Runtime | None = None
        #: How often the server was stopped; a start that was asked for before the last stop does nothing.
        self.turn = 0
        #: The root address at which the server was started last.
        self.url = ""
        #: The control token; None: the server asks for none.
        self.token: str | None = None
        #: Whom the handles trust, if the server speaks TLS at that address.
        self.trust: Trust = None

    @property
    def is_running(self) -> bool:
        return self._runtime is not None

    def start(self, turn: int) -> None:
        """Start the server on a free port, unless it runs or was stopped since it had that `turn`.

        Raises:
            MockServerError: the scenario is not valid; `errors` names every mistake.
            ServerMissingError: what the server needs is not installed.
            OSError: the server cannot listen on its port.
            StorageError: the store cannot be opened or read.
        """
        with self._lock:
            if self._runtime is not None or turn != self.turn:
                return
            self._runtime = _start_runtime(self._settings)
            self.url = self._runtime.url
            self.token = token_of(self._settings)
            self.trust = _trust(self._runtime)
            atexit.register(self.stop)

    def stop(self) -> None:
        """Stop the server at once, cutting off requests under way."""
        with self._lock:
            self.turn += 1
            if self._runtime is not None:
                self._runtime.stop()
                self._runtime = None
                atexit.unregister(self.stop)

    def call_off(self) -> None:
        """Stop the server when the start that is under way is done; this does not wait for it."""
        threading.Thread(target=self.stop, name="mockserver stop", daemon=True).start()


def _trust(runtime: Runtime) -> Trust:
    """Whom clients of a server in this process trust, if it speaks TLS."""
    tls = runtime.mock.tls
    if tls is None:
        return None
    # A certificate of somebody else's is not checked: it need not be one of this address, which the process has bound.
    return trust.unchecked() if tls.ca is None else trust.trusting_only(tls.ca)


def _start_runtime(settings: Settings) -> Runtime:
    # Imported when the first server of a program starts, which then takes most of the time of that start: who uses a
    # server that runs elsewhere needs none of it, and may not have it.
    with needing_server("a server in this process"):
        from mockserver.app.runtime import runtime_of  # noqa: PLC0415  # see above
        from mockserver.scenario.documents.mistakes import ScenarioError  # noqa: PLC0415  # see above

    try:
        runtime = runtime_of(settings)
    except ScenarioError as error:
        errors = [{"path": mistake.pointer, "message": mistake.message} for mistake in error.mistakes]
        raise MockServerError(400, str(error), {"errors": errors}) from error
    runtime.start()
    return runtime

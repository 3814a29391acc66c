"""A running server: an application at an address, with its timers, its SMTP listener and its outgoing requests."""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from typing import Self

from flask import Response

from mockserver.app.application import Application
from mockserver.web.routing.audience import CONTROL_PREFIX
from mockserver.web.routing.workspace_name import split_workspace
from mockserver.web.server.connections.http_limits import HttpLimits
from mockserver.web.server.server import address, server
from mockserver.web.service.early_refusal import early_refusal

#: How long a start and a stop may take, in seconds; chosen far above the milliseconds that they do take.
_TIMEOUT_S = 10.0


class Runtime:
    """A server that runs once: in a thread of its own, with `start` and `stop`, or with `open`, `run` and `close`.

    When it stops it releases all its resources, the socket included.
    """

    def __init__(self, app: Application, listener: socket.socket) -> None:
        self.app = app
        #: The root address of the server, without a slash at its end.
        self.url = address(listener)
        self.port: int = listener.getsockname()[1]
        self.server = server(app, HttpLimits.of(app.settings), _early_refusal, app.shortcut)
        self._listener = listener
        # A daemon thread does not keep the program from ending.
        self._thread = threading.Thread(target=self.run, name="mockserver", daemon=True)

    def open(self) -> None:
        """Start the timers of the workspaces, and the SMTP listener if the settings ask for one.

        Raises:
            OSError: the SMTP listener cannot listen on its address; the server is closed.
        """
        try:
            self.app.effects.open(self.app.store)
        except OSError:
            self.close()
            raise

    def run(self) -> None:
        """Answer requests until `interrupt` is called."""
        self.server.run(sockets=[self._listener])

    @property
    def is_running(self) -> bool:
        """Whether the thread that `start` has begun is alive."""
        return self._thread.is_alive()

    def interrupt(self) -> None:
        """Make `run` return soon; may be called from any thread and from a signal handler."""
        self.server.stop()

    def close(self) -> None:
        """Release the socket, the effects and the log of a server that does not run any more."""
        self._listener.close()
        self.app.effects.close()
        self.app.log.close()

    def start(self) -> None:
        """Open the server and run it in a thread of its own; it answers requests when this returns.

        Raises:
            OSError: the SMTP listener cannot listen on its address.
        """
        self.open()
        self._thread.start()
        self.server.wait_started(_TIMEOUT_S)

    def stop(self) -> None:
        """End the thread that `start` has begun, and close the server; requests under way are cut off."""
        self.interrupt()
        self._thread.join(_TIMEOUT_S)
        self.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, type_: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _early_refusal(path: str, status: int, message: str) -> Response:
    """The refusal of a request that was not read to its end, in the format of the audience of its path."""
    if split_workspace(path)[1].startswith(CONTROL_PREFIX):
        from mockserver.control.framework.problem import Problem  # noqa: PLC0415  # with it come all views

        return Problem(status, message).response()
    return early_refusal(path, status, message)

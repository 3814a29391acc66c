"""A running server: an application at an address, with what leaves and enters it by other ways than HTTP."""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from typing import Self

from flask import Response

from mockserver.app.application import Application
from mockserver.control.framework.problem import Problem
from mockserver.web.routing.audience import CONTROL_PREFIX
from mockserver.web.routing.workspace_name import split_workspace
from mockserver.web.server.http_limits import HttpLimits
from mockserver.web.server.server import address, server
from mockserver.web.service.early_refusal import early_refusal

#: How long a start and a stop may take, in seconds: much longer than they do.
_PATIENCE_S = 10.0


class Runtime:
    """A server that is run once: by `start` and `stop` in a thread of its own, or by `open`, `run` and `close`.

    All that it holds, the socket included, is given back when it stops.
    """

    def __init__(self, app: Application, listener: socket.socket) -> None:
        self.app = app
        #: The root address.
        self.url = address(listener)
        self.port: int = listener.getsockname()[1]
        self.server = server(app, HttpLimits.of(app.settings), _early_refusal)
        self._listener = listener
        # A daemon: it does not hold up the end of the program.
        self._thread = threading.Thread(target=self.run, name="mockserver", daemon=True)

    def open(self) -> None:
        """Let workspaces go on with what is due, and take mails, if that was asked for.

        Raises:
            OSError: mails cannot be taken at their address; the server is closed.
        """
        try:
            self.app.effects.open(self.app.store)
        except OSError:
            self.close()
            raise

    def run(self) -> None:
        """Answer requests, until somebody interrupts it."""
        self.server.run(sockets=[self._listener])

    @property
    def is_running(self) -> bool:
        """Whether the thread of `start` has not come to its end."""
        return self._thread.is_alive()

    def interrupt(self) -> None:
        """Let `run` end soon, from whatever thread, or from a signal's handler."""
        self.server.stop()

    def close(self) -> None:
        """Give back what it holds, when it does not run any more."""
        self._listener.close()
        self.app.effects.close()
        self.app.log.close()

    def start(self) -> None:
        """Open it, and run it in a thread of its own; when this returns, it answers.

        Raises:
            OSError: mails cannot be taken at their address.
        """
        self.open()
        self._thread.start()
        self.server.wait_started(_PATIENCE_S)

    def stop(self) -> None:
        """End what `start` has begun, at once: requests that hang are cut off."""
        self.interrupt()
        self._thread.join(_PATIENCE_S)
        self.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _early_refusal(path: str, status: int, message: str) -> Response:
    """What is said of a request that was not read to its end, in the words of whoever it went to."""
    if split_workspace(path)[1].startswith(CONTROL_PREFIX):
        return Problem(status, message).response()
    return early_refusal(path, status, message)

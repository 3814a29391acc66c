"""A running server: an application at an address, with its timers, its SMTP listener and its outgoing requests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from mockserver.app.mock import Mock, mock_of, refusal
from mockserver.settings import Settings
from mockserver.web.server.limits import HttpLimits
from mockserver.web.server.server import BindError, address, bind, server
from mockserver.web.server.wsgi import WsgiAnswer

if TYPE_CHECKING:
    from mockserver.app.application import Application
    from mockserver.app.tls import Wait
    from mockserver.web.server.tls_front import Tls

#: How long a start and a stop may take, in seconds; chosen far above the milliseconds that they do take.
_TIMEOUT_S = 10.0


class Runtime:
    """A server that runs once: in a thread of its own, with `start` and `stop`, or with `open`, `run` and `close`.

    When it stops it releases all its resources, the sockets included.
    """

    def __init__(self, app: Mock | Application, listener: socket.socket) -> None:
        """Prepare a server for requests that come to a socket, and for those to `tls_port` if the settings have one.

        An application, to which a program has perhaps added something, is served as it is; without one the server
        makes its own when it needs it, which saves memory and time until then.

        Raises:
            BindError: it cannot listen on `tls_port`; the socket is closed.
        """
        self.mock = mock = app if isinstance(app, Mock) else app.mock
        self._listeners = _listeners(mock.settings, listener)
        secured = self._listeners[-1] if mock.tls is not None else None
        #: The root address of the server, without a slash at its end; where it speaks both, that of plain HTTP.
        self.url = address(listener, "https" if secured is listener else "http")
        #: The root address at which it speaks TLS; None: it does not.
        self.tls_url = None if secured is None else address(secured, "https")
        self.port: int = listener.getsockname()[1]
        mock.tls_port = None if secured is None else secured.getsockname()[1]
        tls = None if mock.tls_port is None else partial(self._tls, mock.tls_port)
        limits = HttpLimits.of(mock.settings)
        self.server = server(app, limits, _refused, app.shortcut, tls, mock.store.storage)
        # A daemon thread does not keep the program from ending.
        self._thread = threading.Thread(target=self.run, name="mockserver", daemon=True)

    def _tls(self, port: int, wait: Wait) -> Tls:
        from mockserver.app.tls import Handshakes  # noqa: PLC0415  # see above
        from mockserver.web.server.tls_front import Tls  # noqa: PLC0415  # few servers speak TLS

        assert self.mock.tls is not None, "the port speaks TLS"
        return Tls(self.mock.tls.certificates, Handshakes(self.mock.store, wait).fault, (port,))

    def open(self) -> None:
        """Start the timers of the workspaces, and the SMTP listener if the settings ask for one.

        Raises:
            OSError: the SMTP listener cannot listen on its address; the server is closed.
        """
        try:
            self.mock.open()
        except OSError:
            self.close()
            raise

    def run(self) -> None:
        """Answer requests until `interrupt` is called."""
        self.server.run(sockets=list(self._listeners))

    @property
    def is_running(self) -> bool:
        """Whether the thread that `start` has begun is alive."""
        return self._thread.is_alive()

    def interrupt(self) -> None:
        """Make `run` return soon; may be called from any thread and from a signal handler."""
        self.server.stop()

    def close(self) -> bool:
        """Release the sockets, the effects and the log of a server that has stopped.

        Returns:
            Whether all changes are saved, if the server has a store.
        """
        for listener in self._listeners:
            listener.close()
        return self.mock.close()

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


def runtime_of(settings: Settings) -> Runtime:
    """A server of these settings, which is not open yet.

    Raises:
        BindError: it cannot listen on an address of the settings.
        StorageError, ScenarioError, ValueError: as `create_app`.
    """
    mock = mock_of(settings)
    try:
        return Runtime(mock, bind(settings.host, settings.port))
    except BaseException:
        mock.close()
        raise


def _listeners(settings: Settings, listener: socket.socket) -> Sequence[socket.socket]:
    """The socket, and that of `tls_port` if the settings have one.

    Raises:
        BindError: it cannot listen there; the socket is closed.
    """
    if settings.tls_port is None:
        return (listener,)
    try:
        return listener, bind(settings.host, settings.tls_port)
    except BindError:
        listener.close()
        raise


def _refused(path: str, status: int, message: str) -> WsgiAnswer:
    response = refusal(path, status, message)
    headers = [(name.lower(), value) for name, value in response.headers]
    return WsgiAnswer(response.status_code, headers, response.get_data())

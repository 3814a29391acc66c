"""A running server: an application at an address, with timers, SMTP listener and outgoing requests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Self

from mockserver.app.mock import Mock, refusal
from mockserver.core.lazy import lazy
from mockserver.settings import Settings
from mockserver.web.server.server import BindError, address, bind, server
from mockserver.web.server.wsgi import WsgiAnswer

if TYPE_CHECKING:
    from mockserver.app import application
    from mockserver.app.application import Application
    from mockserver.app.tls import Wait
    from mockserver.web.server.tls_front import Tls
else:
    (application,) = lazy("mockserver.app", "application")  # with it comes Flask

#: How long a start and a stop may take, in seconds; chosen far above the milliseconds that they do take.
_TIMEOUT_S = 10.0


class Runtime:
    """A server that runs once, in a thread (`start`, `stop`) or here (`open`, `run`, `close`).

    Stopping releases all resources, sockets included.
    """

    def __init__(self, app: Mock | Application, listener: socket.socket) -> None:
        """Prepare a server for requests to a socket, and to `tls_port` of the settings.

        A given application is served unchanged; a `Mock` makes its own on demand, which saves memory and time.

        Raises:
            BindError: `tls_port` is unavailable; the socket is closed.
        """
        self.mock = mock = app if isinstance(app, Mock) else app.mock
        self._listeners = _listeners(mock.settings, listener)
        secured = self._listeners[-1] if mock.tls is not None else None
        #: The root address of the server, without a slash at its end; where it speaks both, that of plain HTTP.
        self.url = address(listener, "https" if secured is listener else "http")
        #: The root address at which it speaks TLS; None: it does not.
        self.tls_url = None if secured is None else address(secured, "https")
        self.port: int = listener.getsockname()[1]
        is_trusted = mock.tls is None or mock.tls.ca is not None or secured is not listener
        if (public := mock.settings.public_root) is not None and is_trusted:
            mock.effects.own = public, self.url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
        mock.tls_port = None if secured is None else secured.getsockname()[1]
        tls = None if mock.tls_port is None else partial(self._tls, mock.tls_port)
        self.server = server(app, mock.settings, _refused, app.shortcut, tls, mock.store.storage)
        # A daemon thread does not keep the program from ending.
        self._thread = threading.Thread(target=self.run, name="mockserver", daemon=True)

    def _tls(self, port: int, wait: Wait) -> Tls:
        from mockserver.app.tls import Handshakes  # noqa: PLC0415  # see above
        from mockserver.web.server.tls_front import Tls  # noqa: PLC0415  # few servers speak TLS

        assert self.mock.tls is not None, "the port speaks TLS"
        return Tls(self.mock.tls.certificates, Handshakes(self.mock.store, wait).fault, (port,))

    def open(self) -> None:
        """Start timers and SMTP listener.

        Raises:
            OSError: the SMTP listener's address is unavailable; the server is closed.
        """
        try:
            self.mock.open()
        except OSError:
            self.close()
            raise

    def run(self) -> None:
        self.server.run(sockets=list(self._listeners))

    @property
    def is_running(self) -> bool:
        return self._thread.is_alive()

    def interrupt(self) -> None:
        """Make `run` return soon, from any thread or signal handler."""
        self.server.stop()

    def close(self) -> bool:
        """Release sockets, effects and log of a stopped server. Return whether all changes are saved."""
        for listener in self._listeners:
            listener.close()
        return self.mock.close()

    def start(self) -> None:
        """Open the server, run it in a thread, and wait until it answers."""
        self.open()
        self._thread.start()
        self.server.wait_started(_TIMEOUT_S)

    def stop(self) -> None:
        """End the thread of `start`, and close the server; running requests are cut off."""
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
    """Return a server of these settings, ready to open; raises as `create_app`.

    Raises:
        BindError: an address is unavailable.
    """
    mock = Mock(settings, lambda mock: application.Application(mock))  # noqa: PLW0108  # imported when it is called
    try:
        return Runtime(mock, bind(settings.host, settings.port))
    except BaseException:
        mock.close()
        raise


def _listeners(settings: Settings, listener: socket.socket) -> Sequence[socket.socket]:
    if settings.tls_port is None:
        return (listener,)
    try:
        return listener, bind(settings.host, settings.tls_port, "--tls-port 0")
    except BindError:
        listener.close()
        raise


def _refused(path: str, status: int, message: str) -> WsgiAnswer:
    response = refusal(path, status, message)
    headers = [(name.lower(), value) for name, value in response.headers]
    return WsgiAnswer(response.status_code, headers, response.get_data())

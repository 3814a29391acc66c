"""Uvicorn with the bridge, on a socket bound in advance."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from operator import attrgetter
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any, cast

import uvicorn

from mockserver.core.workspaces.storage import Storage
from mockserver.settings import Settings
from mockserver.web.server import loop
from mockserver.web.server.bridge import Bridge
from mockserver.web.server.connection import Connection, Parts
from mockserver.web.server.http1 import Sending
from mockserver.web.server.limits import Admission
from mockserver.web.server.runner import Runner
from mockserver.web.server.wsgi import Heads, Refusal, Shortcut, no_shortcut

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from mockserver.web.server.tls_front import Tls

#: How many seconds an idle connection is kept, as nginx does by default. Chosen: longer than the pools of clients keep
#: one, so that no request meets a connection that is being closed.
_KEEP_ALIVE = 75
#: How many connections the system may keep before the server accepts them, as uvicorn has it by default.
_BACKLOG = 2048
#: How many seconds a server that stops waits for the last answers to leave. Chosen: a test suite hardly notices.
_GRACE = 1.0
#: The seconds between two ticks of the server, which renew the `Date` header and enforce time limits. As in uvicorn.
_TICK = 0.1


class BindError(OSError):
    """The address cannot be listened on."""


def bind(host: str, port: int, free: str = "--port 0") -> socket.socket:
    """Return a listening socket, on a free port if `port` is 0. `free` is the option that chooses a free port.

    Raises:
        BindError: the address is taken, or is not one of this machine.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
    except (OSError, OverflowError) as error:
        is_taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        advice = f"; stop the program that has the port, or choose a free port with {free}" if is_taken else ""
        raise BindError(f"cannot listen on {host}:{port}: {error}{advice}") from error
    return listener


def address(listener: socket.socket, scheme: str = "http") -> str:
    """Return the root address of a listening socket: `http://127.0.0.1:8003`."""
    host, port = listener.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def cut_off(connections: Collection[Connection], most: int) -> None:
    """Abort connections, the longest unread first, until at most `most` bytes are unread."""
    unread = sum(connection.unread for connection in connections)
    if unread <= most:
        return
    for connection in sorted(connections, key=attrgetter("unread_since")):
        if unread > most and connection.unread:
            unread -= connection.unread
            connection.transport.abort()


class Server(uvicorn.Server):
    """Uvicorn's server that stops within milliseconds, by an event instead of sleeping."""

    def __init__(self, config: uvicorn.Config, bridge: Bridge, unread_limit: int) -> None:
        super().__init__(config)
        self._bridge = bridge
        self._unread_limit = unread_limit
        self._running = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()

    def wait_started(self, seconds: float) -> bool:
        """Wait until the server answers. Return False after this many seconds."""
        return self._running.wait(seconds)

    def stop(self) -> None:
        self.should_exit = True
        if self._loop is not None:
            with suppress(RuntimeError):  # the server has stopped already
                self._loop.call_soon_threadsafe(self._stopping.set)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.stop()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        loop.begin_here()
        await super().startup(sockets)
        self._running.set()

    async def main_loop(self) -> None:
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            self._check_connections()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _TICK)

    def _check_connections(self) -> None:
        now = monotonic()
        connections = cast("set[Connection]", self.server_state.connections)
        for connection in tuple(connections):
            connection.check(now, _KEEP_ALIVE)
        cut_off(connections, self._unread_limit)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close idle connections, cancel waiting requests, and answer other requests for a moment."""
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        self._bridge.runner.cancel_waiting()
        tasks = list(self.server_state.tasks)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=_GRACE)
            for task in late:
                task.cancel()
            if late:
                # The tasks close their connections; what a thread still does for them is lost.
                await asyncio.wait(late, timeout=_GRACE)
        for connection in cast("set[Connection]", self.server_state.connections):
            if connection.carrier is not None:
                connection.carrier.close()  # the client may take its time to end TLS
        self._bridge.close()
        loop.end_here()


#: Makes what speaks TLS out of a way to do work that waits for a workspace.
MakeTls = Callable[[Callable[..., Any]], "Tls"]


def server(
    app: WSGIApplication,
    settings: Settings,
    refusal: Refusal,
    shortcut: Shortcut = no_shortcut,
    tls: MakeTls | None = None,
    storage: Storage | None = None,
) -> Server:
    """Return a server for an application, ready to run, with limits of `settings`.

    `refusal` makes answers of refused requests, and `shortcut` answers requests before `app`, in steps of `storage`.
    """
    runner = Runner(app, refusal, shortcut, storage)
    bridge = Bridge(runner, settings.body_limit, settings.bodies_limit)
    admission = Admission(settings.connections_limit)
    parts = Parts(settings, refusal, admission, runner.first_run, Heads(), Sending())
    connection: Any = partial(Connection, parts=parts)
    if tls is not None:
        from mockserver.web.server.tls_front import FailedHandshakes, Front  # noqa: PLC0415  # few servers speak TLS

        wait, limit_s = runner.threads.run_waiting, settings.head_timeout
        connection = partial(Front, connection, tls(wait), admission, FailedHandshakes(), limit_s)
    config = uvicorn.Config(
        bridge,
        loop="uvloop",
        http=connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )
    return Server(config, bridge, settings.answers_limit)

"""The HTTP server: uvicorn with the bridge, on a socket that is bound before anything is said about it."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from operator import attrgetter
from time import monotonic
from types import FrameType
from typing import cast

import uvicorn
from flask import Flask

from mockserver.web.server.admission import Admission
from mockserver.web.server.bridge import Bridge
from mockserver.web.server.connection import Connection
from mockserver.web.server.http_limits import HttpLimits, Refusal

#: Idle connections live longer than any client's pool keeps them, so that no request meets a closing one; in seconds.
_KEEP_ALIVE = 75
#: How long a stop waits for the last answers to leave, in seconds.
_GRACE = 1.0
#: How often the server's own clock ticks, in seconds; it renews the `Date` header, and looks after slow requests.
_TICK = 0.1


class BindError(OSError):
    """The address cannot be listened on."""


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        BindError: the address is taken, or none of this machine's.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(2048)
        except OSError:
            listener.close()
            raise
    except (OSError, OverflowError) as error:
        raise BindError(f"cannot listen on {host}:{port}: {error}") from error
    return listener


def address(listener: socket.socket) -> str:
    """The root address of what listens there."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def cut_off(connections: Collection[Connection], most: int) -> None:
    """Where more bytes wait to be read, end the connections whose clients have read nothing for longest."""
    unread = sum(connection.unread for connection in connections)
    if unread <= most:
        return
    for connection in sorted(connections, key=attrgetter("unread_since")):
        if unread > most and connection.unread:
            unread -= connection.unread
            connection.transport.abort()


class Server(uvicorn.Server):
    """Uvicorn, which starts and stops within milliseconds: it waits for events where uvicorn waits for a while."""

    def __init__(self, config: uvicorn.Config, bridge: Bridge, unread_limit: int) -> None:
        super().__init__(config)
        self._bridge = bridge
        self._unread_limit = unread_limit
        self._running = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()

    def wait_started(self, seconds: float) -> bool:
        """Whether it answers, at the latest after so many seconds."""
        return self._running.wait(seconds)

    def stop(self) -> None:
        """Let it stop, from whatever thread."""
        self.should_exit = True
        if self._loop is not None:
            with suppress(RuntimeError):  # it has stopped by itself
                self._loop.call_soon_threadsafe(self._stopping.set)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.stop()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
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
        """Stop: idle connections and requests that wait for something at once, the others when they are answered."""
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        for task in list(self._bridge.waiting):
            task.cancel()
        tasks = list(self.server_state.tasks)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=_GRACE)
            for task in late:
                task.cancel()
            if late:
                # They hear that their connections are gone; whatever a thread still does for them ends unheard.
                await asyncio.wait(late, timeout=_GRACE)
        self._bridge.close()


def server(app: Flask, limits: HttpLimits, refusal: Refusal) -> Server:
    """A server for the application, not yet running."""
    bridge = Bridge(app, app.config["MAX_CONTENT_LENGTH"] or sys.maxsize, limits.bodies, refusal)
    connection = partial(Connection, limits=limits, refusal=refusal, admission=Admission(limits.connections))
    config = uvicorn.Config(
        bridge,
        loop="uvloop",
        http=connection,  # type: ignore[arg-type]  # what makes one will do,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
    )
    return Server(config, bridge, limits.answers)

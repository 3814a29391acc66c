"""Two servers of one store, without the store: a front that holds no workspace, and a back that holds all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from werkzeug.serving import WSGIRequestHandler, make_server

from mockserver import Settings
from mockserver.app.refusal import refusal
from mockserver.app.runtime import Runtime, runtime_of
from mockserver.core.workspaces.keeping import HeldElsewhereError
from mockserver.web.server.connections.http_limits import HttpLimits
from mockserver.web.server.peers.forwarding import Forwarding
from mockserver.web.server.peers.introduction import Introduction
from mockserver.web.server.peers.trust import Trust
from mockserver.web.server.peers.wsgi_forwarding import WsgiForwarding
from mockserver.web.server.server import address, bind, server

SECRET = b"a secret of the store"
#: A store that servers share, where the fixture `shared` stands in for its database.
STORE = "redis://shared"


class Holders:
    """What a server knows of the others: what the test says, and what it has heard of them."""

    def __init__(self, is_held=lambda elsewhere: True):
        self.is_held = is_held
        self.heard = []

    def confirm(self, elsewhere):
        self.heard.append("confirmed")

    def doubt(self, elsewhere):
        self.heard.append("doubted")


def forwarding(is_held=lambda elsewhere: True, trust=None):
    return Forwarding(Introduction(SECRET), trust or Trust(), Holders(is_held), refusal)


class Elsewhere:
    """A WSGI application that has no workspace: all are held at an address, which may change."""

    def __init__(self, holder: str) -> None:
        self.holder = holder
        #: How often it was asked.
        self.asked = 0

    def __call__(self, environ, start_response):
        self.asked += 1
        raise HeldElsewhereError("default", self.holder)


@contextmanager
def holder(settings: Settings) -> Iterator[Runtime]:
    """A running server that answers what others forward to it."""
    runtime = runtime_of(settings)
    runtime.server = server(runtime.mock, HttpLimits.of(settings), refusal, runtime.mock.shortcut, None, forwarding())
    with runtime:
        yield runtime


@contextmanager
def front(
    held_at: str, settings: Settings, *, is_held=lambda elsewhere: True, trust=None
) -> Iterator[tuple[str, Elsewhere]]:
    """The root address of a running server that forwards all its requests, and its application."""
    app = Elsewhere(held_at)
    listener = bind("127.0.0.1", 0)
    running = server(app, HttpLimits.of(settings), refusal, forwarding=forwarding(is_held, trust))
    thread = threading.Thread(target=running.run, args=([listener],), daemon=True)
    thread.start()
    assert running.wait_started(20)
    try:
        yield address(listener), app
    finally:
        running.stop()
        thread.join(20)
        listener.close()


@contextmanager
def wsgi_server(app=None):
    """A running WSGI server with a thread for each request, whose `app` may be set later, and its root address."""
    running = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield running, f"http://127.0.0.1:{running.port}"
    finally:
        running.shutdown()
        thread.join(20)
        running.server_close()


class _Quiet(WSGIRequestHandler):
    """Logs nothing, and speaks HTTP/1.1, with answers in chunks."""

    protocol_version = "HTTP/1.1"

    def log(self, type, message, *args):  # noqa: A002  # of werkzeug
        pass


@contextmanager
def wsgi_front(
    held_at: str, settings: Settings, *, is_held=lambda elsewhere: True, trust=None
) -> Iterator[tuple[str, Elsewhere]]:
    """As `front`, under an ordinary WSGI server."""
    app = Elsewhere(held_at)
    forwards = WsgiForwarding(
        app, settings.body_limit, Introduction(SECRET), trust or Trust(), Holders(is_held), refusal
    )
    with wsgi_server(forwards) as (_, root):
        yield root, app

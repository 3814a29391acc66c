"""A server in this process, and workspaces whose webhooks lead to a real receiver, made with `http.server`."""

import json
import socket
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mockserver import MockServerError

START = "2026-01-15T09:00:00Z"
PATIENCE = 10


class Peer(ThreadingHTTPServer):
    """A receiver that answers each call as `answers` say: a status, `reset`, or `hold` until `lets_go` is set."""

    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        self.bodies = []
        #: How to answer the first calls, one after the other, all later ones, and one that was held.
        self.answers, self.always, self.after_hold = [], 200, 200
        #: Called with every call, before it is answered.
        self.on_call = lambda body: None
        self.lets_go = threading.Event()
        self.arrived = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def take(self, body):
        with self._lock:
            self.bodies.append(body)
            answer = self.answers.pop(0) if self.answers else self.always
        self.arrived.release()
        return answer

    def await_calls(self, number):
        for _ in range(number):
            assert self.arrived.acquire(timeout=PATIENCE)

    def close(self):
        self.lets_go.set()
        self.shutdown()
        self._thread.join(PATIENCE)
        self.server_close()

    def handle_error(self, request, client_address):
        """Ignore that the other side has closed the connection."""


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.server.take(body)
        self.server.on_call(body)
        if answer == "hold":
            self.server.lets_go.wait(PATIENCE)
            answer = self.server.after_hold
        if answer == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.connection.close()
            return
        with suppress(OSError):
            self.send_response(answer)
            self.send_header("Content-Length", "0")
            self.end_headers()

    def finish(self):
        with suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *_):
        pass


@contextmanager
def _peers():
    made = []

    def make():
        made.append(Peer())
        return made[-1]

    yield make
    for peer in made:
        peer.close()


@pytest.fixture
def peers():
    """A factory of receivers."""
    with _peers() as make:
        yield make


@pytest.fixture
def peer(peers):
    return peers()


@pytest.fixture
def refusing():
    """An address at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/hook"


@pytest.fixture
def make_workspace(server):
    """A factory of workspaces with a webhook for each address, told of `delivered` by default, on a frozen clock."""
    made = []

    def make(*urls, frozen=True, events=("delivered",), **members):
        hooks = [{"id": number, "url": url, "events": list(events)} for number, url in enumerate(urls, 1)]
        document = {"clock": {"start": START, "frozen": frozen}, "webhooks": hooks, **members}
        made.append(server.workspace(document))
        return made[-1]

    yield make
    for workspace in made:
        workspace.drop()


@pytest.fixture
def hooked_workspace(make_workspace, peer):
    """A workspace whose only webhook leads to the receiver."""
    return make_workspace(peer.url)


@pytest.fixture
def later():
    """Calls a function in a thread; returns a function that waits for the result and returns it."""
    threads = []

    def begin(function, *arguments, **options):
        found = []

        def work():
            try:
                found.append(function(*arguments, **options))
            except MockServerError as error:
                found.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        threads.append(thread)

        def result():
            thread.join(PATIENCE)
            assert not thread.is_alive()
            return found[0]

        return result

    yield begin
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture
def ask(server):
    """Calls the API of a workspace; returns the answer."""

    def send(workspace, method, path, body=None):
        path = workspace.url.removeprefix(server.url) + path
        return server.client.json(method, path, body=body, headers={"api-key": workspace.api_key})

    return send


@pytest.fixture
def await_watcher(server):
    """Waits until so many requests are suspended."""

    def wait(number=1):
        while f"mockserver_watchers {number}.0" not in server.client.call("GET", "/_mock/metrics").text:
            pass

    return wait

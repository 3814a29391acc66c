"""Several applications on one store, each behind a socket of its own, which tests use like one application."""

from __future__ import annotations

from contextlib import ExitStack, closing
from http.client import HTTPConnection
from string import punctuation
from urllib.parse import quote, urlsplit

from ports import free_port
from round_robin import RoundRobin
from werkzeug.test import Client
from werkzeug.wrappers import Response

from mockserver import create_app
from mockserver.app.runtime import Runtime
from mockserver.core.workspaces.store import DEFAULT
from mockserver.web.server.server import bind

#: How many replicated applications a test may have at the same time, and how long an answer may take, in seconds.
_AT_ONCE, _PATIENCE_S = 20, 40
#: Those of a connection, and not of what is sent over it.
_HOP_BY_HOP = ("connection", "keep-alive", "transfer-encoding")


class Balancers:
    """nginx with an address for each replicated application that may be there at the same time."""

    def __init__(self, folder, count):
        groups = [[free_port() for _ in range(count)] for _ in range(_AT_ONCE)]
        # A request that a fault has cut off is not tried again.
        self._balancer = RoundRobin(folder, *groups, retry="off")
        self._free = list(zip(groups, self._balancer.urls, strict=True))

    def take(self):
        """Ports for replicas, and the address of all of them."""
        return self._free.pop()

    def give_back(self, taken):
        self._free.append(taken)

    def __enter__(self):
        self._balancer.__enter__()
        return self

    def __exit__(self, *_):
        self._balancer.__exit__()


class ReplicatedApp:
    """Servers of the same settings on one store; each request goes to the next of them."""

    def __init__(self, settings, balancers):
        self.settings, self._balancers = settings, balancers
        self._taken = balancers.take()
        ports, self.url = self._taken
        with ExitStack() as stack:
            stack.callback(balancers.give_back, self._taken)
            self.replicas = []
            for port in ports:
                listener = stack.enter_context(bind("127.0.0.1", port))
                app = create_app(settings)
                stack.enter_context(Runtime(app, listener))
                self.replicas.append(app)
            self._stack = stack.pop_all()
        self.store = ReplicatedStore([app.store for app in self.replicas])

    def test_client(self):
        """A client with cookies of its own."""
        return Client(self._pass_on, Response)

    def close(self):
        self._stack.close()

    def _pass_on(self, environ, start_response):
        """Send a request over a socket, as it is, and give its answer as it comes."""
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=_PATIENCE_S)
        connection.putrequest(environ["REQUEST_METHOD"], _target(environ), skip_host=True, skip_accept_encoding=True)
        for name, value in _headers(environ):
            connection.putheader(name, value)
        connection.endheaders(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)))
        answer = connection.getresponse()
        headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in _HOP_BY_HOP]
        start_response(f"{answer.status} {answer.reason}", headers)
        if answer.length is not None:
            with closing(connection):
                return [answer.read()]
        return _chunks(connection, answer)


def _target(environ):
    """What stands in the first line of a request: ASCII, with all that was quoted as it was."""
    path = quote(environ["REQUEST_URI"].partition("?")[0], safe=punctuation, encoding="latin-1")
    query = quote(environ["QUERY_STRING"], safe=punctuation, encoding="latin-1")
    return f"{path}?{query}" if query else path


def _headers(environ):
    for name, value in environ.items():
        if name.startswith("HTTP_"):
            yield name[5:].replace("_", "-").title(), value
        elif name in ("CONTENT_TYPE", "CONTENT_LENGTH") and value:
            yield name.replace("_", "-").title(), value


def _chunks(connection, answer):
    try:
        while chunk := answer.read1():
            yield chunk
    finally:
        connection.close()


class ReplicatedStore:
    """The workspaces of several servers on one store, for whoever looks at them in the memory of the test."""

    def __init__(self, stores):
        self._stores = stores

    @property
    def storage(self):
        """The storage of the first server, whose steps read what no server has in memory."""
        return self._stores[0].storage

    @property
    def default(self):
        return self.get(DEFAULT)

    def get(self, name):
        """The workspace of a name: the copy that somebody watches, any other copy, or as the first server finds it."""
        having = [store for store in self._stores if store.peek(name) is not None] or self._stores
        chosen = next((store for store in having if (found := store.peek(name)) and found.watchers), having[0])
        return chosen.storage.run(lambda: chosen.get(name))

    def names(self):
        return self._stores[0].names()

    def loaded(self):
        return [workspace for store in self._stores for workspace in store.loaded()]

"""Connections of a server that keeps workspaces: an answer leaves when it is kept what it tells, and not before."""

import asyncio
from functools import wraps

import pytest
from transports import transport_at

from mockserver import Settings, create_app
from mockserver.app.runtime import Runtime
from mockserver.web.server.server import bind

GET = b"GET /v3/senders HTTP/1.1\r\nhost: mock\r\napi-key: any\r\n\r\n"
LAST = GET.replace(b"host", b"connection: close\r\nhost")
OTHER = GET.replace(b"senders", b"account")
OK, GONE = b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 503 Service Unavailable\r\n"
#: Turns of the loop in which a task that waits for nothing comes to its end.
TURNS = 10


def in_a_loop(test):
    """A test whose steps are those of a coroutine."""

    @wraps(test)
    def run(**fixtures):
        asyncio.run(test(**fixtures))

    return run


class Server:
    """A server of which the test says when what a request has done is kept, or why it is not."""

    def __init__(self, runtime):
        self._server, self._config = runtime.server, runtime.server.config
        self._config.load()
        self.waiting = []
        runtime.mock.store.keeping.settled = self._settled

    def _settled(self):
        self.waiting.append(asyncio.get_running_loop().create_future())
        return self.waiting[-1]

    def connect(self):
        transport = transport_at("127.0.0.1")
        made = self._config.http_protocol_class(self._config, self._server.server_state, {}, asyncio.get_running_loop())
        made.connection_made(transport)
        return made, transport

    @property
    def tasks(self):
        return len(self._server.server_state.tasks)

    async def settle(self, failure=None):
        """Let all be kept that requests have done by now, or not."""
        waiting, self.waiting = self.waiting, []
        for future in waiting:
            future.set_result(failure)
        await turns()


async def turns():
    for _ in range(TURNS):
        await asyncio.sleep(0)


@pytest.fixture
def server(tmp_path):
    settings = Settings(log_format="off", store=f"sqlite:{tmp_path / 'store.db'}", store_sync="always")
    runtime = Runtime(create_app(settings), bind("127.0.0.1", 0))
    yield Server(runtime)
    runtime.close()


@pytest.fixture(params=[0, 3], ids=["new head", "known head"])
def connected(server, request):
    """Opens a connection at which this request has come so often that its head is known, or never."""

    async def connect(data):
        connection, transport = server.connect()
        for _ in range(request.param):
            connection.data_received(data)
            await server.settle()
        transport.sent = b""
        return connection, transport

    return connect


@in_a_loop
async def test_an_answer_leaves_when_it_is_kept_without_a_task(server, connected):
    connection, transport = await connected(GET)

    connection.data_received(GET)
    await turns()
    assert (transport.sent, server.tasks) == (b"", 0)

    await server.settle()
    assert transport.sent.startswith(OK)


@in_a_loop
async def test_what_could_not_be_kept_is_told(server, connected):
    connection, transport = await connected(GET)
    connection.data_received(GET)

    await server.settle("the disk is full")

    assert transport.sent.startswith(GONE)
    assert b"the disk is full" in transport.sent


@in_a_loop
async def test_a_connection_with_a_late_answer_is_not_idle(server, connected):
    connection, _ = await connected(GET)
    connection.data_received(GET)
    assert not connection.is_idle

    await server.settle()
    assert connection.is_idle


@in_a_loop
async def test_a_request_that_comes_meanwhile_is_answered_behind_it(server, connected):
    connection, transport = await connected(GET)

    connection.data_received(GET)
    connection.data_received(OTHER)
    await turns()
    assert transport.sent == b""

    await server.settle()
    assert transport.sent.count(OK) == 1
    assert b'"senders"' in transport.sent

    await server.settle()
    assert transport.sent.count(OK) == 2
    assert transport.sent.index(b'"senders"') < transport.sent.index(b'"companyName"')


@in_a_loop
async def test_the_next_request_is_answered_as_any(server, connected):
    connection, transport = await connected(GET)
    for _ in range(2):
        connection.data_received(GET)
        await server.settle()

    assert transport.sent.count(OK) == 2


@in_a_loop
async def test_the_last_answer_leaves_before_the_connection_is_closed(server, connected):
    connection, transport = await connected(GET)
    connection.data_received(LAST)
    assert not transport.is_closed

    await server.settle()

    assert transport.sent.startswith(OK)
    assert transport.is_closed


@in_a_loop
async def test_a_server_that_stops_waits_for_it(server, connected):
    connection, transport = await connected(GET)
    connection.data_received(GET)

    connection.shutdown()
    assert (transport.is_closed, server.tasks) == (False, 1)

    await server.settle()
    assert transport.sent.startswith(OK)
    assert transport.is_closed


@pytest.mark.parametrize("failure", [None, "the disk is full"])
@in_a_loop
async def test_a_client_that_leaves_is_sent_nothing(server, connected, failure):
    connection, transport = await connected(GET)
    connection.data_received(GET)
    transport.close()
    connection.connection_lost(None)

    waiting = server.waiting[0]
    waiting.set_result(failure)
    await asyncio.sleep(0)

    assert (transport.sent, server.tasks) == (b"", 0)

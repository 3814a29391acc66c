"""The fast path: when the answer to a request leaves that was answered at once."""

import asyncio
from functools import wraps

import pytest
from transports import transport_at

from mockserver import Settings, create_app
from mockserver.app.runtime import Runtime
from mockserver.web.server.server import bind

GET = b"GET /v3/senders HTTP/1.1\r\nhost: mock\r\napi-key: any\r\n\r\n"
LAST = GET.replace(b"host", b"connection: close\r\nhost")


@pytest.fixture
def connect():
    """Opens connections to a server, within a running event loop."""
    runtime = Runtime(create_app(Settings(log_format="off")), bind("127.0.0.1", 0))
    config = runtime.server.config
    config.load()

    def connected(address="127.0.0.1"):
        transport = transport_at(address)
        state = runtime.server.server_state
        made = config.http_protocol_class(config, state, {}, asyncio.get_running_loop())
        made.connection_made(transport)
        return made, transport

    yield connected
    runtime.close()


def in_a_loop(steps):
    """Let a test run in an event loop."""

    @wraps(steps)
    def test(*arguments, **fixtures):
        asyncio.run(steps(*arguments, **fixtures))

    return test


@pytest.mark.parametrize("times", [1, 3], ids=["new head", "known head"])
@in_a_loop
async def test_an_answer_leaves_at_the_end_of_the_turn(connect, times):
    connection, transport = connect()
    for _ in range(times):
        before = transport.sent
        connection.data_received(GET)
        assert transport.sent == before
        await asyncio.sleep(0)
    assert transport.sent.count(b"HTTP/1.1 200 OK\r\n") == times


@in_a_loop
async def test_an_answer_leaves_before_its_connection_is_closed_by_its_client(connect):
    connection, transport = connect()
    connection.data_received(LAST)
    assert transport.is_closed
    assert transport.sent.startswith(b"HTTP/1.1 200 OK\r\n")


@in_a_loop
async def test_an_answer_leaves_before_its_connection_is_closed_by_a_server_that_stops(connect):
    connection, transport = connect()
    connection.data_received(GET)
    connection.shutdown()
    assert transport.is_closed
    assert transport.sent.startswith(b"HTTP/1.1 200 OK\r\n")


@in_a_loop
async def test_an_answer_leaves_before_its_connection_could_make_room_for_another(connect):
    connection, transport = connect()
    connection.data_received(GET)
    connect()
    assert transport.sent.startswith(b"HTTP/1.1 200 OK\r\n")


@in_a_loop
async def test_a_head_that_has_come_at_another_address_of_the_server_tells_the_one_at_which_it_comes(connect):
    shared = b"GET /v3/emailCampaigns/11/sharedUrl HTTP/1.1\r\napi-key: any\r\n\r\n"
    for address in ("127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.1"):
        connection, transport = connect(address)
        connection.data_received(shared)
        await asyncio.sleep(0)
        assert f'"http://{address}/' in transport.sent.decode()


@in_a_loop
async def test_what_is_no_http_is_refused_behind_the_answer_before(connect):
    connection, transport = connect()
    connection.data_received(GET)
    connection.data_received(b"NONSENSE\r\n\r\n")
    answer, refusal = transport.sent.split(b"HTTP/1.1 ")[1:]
    assert (answer[:3], refusal[:3]) == (b"200", b"400")

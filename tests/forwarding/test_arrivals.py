"""Connections of clients whose requests are forwarded without a task, if the holder answers plainly and soon."""

import asyncio
from functools import wraps

import pytest
from transports import transport_at
from two_servers import SECRET, Elsewhere, forwarding

from mockserver import Settings
from mockserver.app.refusal import refusal
from mockserver.web.server.connections.http_limits import HttpLimits
from mockserver.web.server.peers import handing_on
from mockserver.web.server.peers.departure import Departure
from mockserver.web.server.peers.introduction import Introduction
from mockserver.web.server.server import server

GET = b"GET /v3/senders HTTP/1.1\r\nhost: mock\r\napi-key: any\r\n\r\n"
LAST = GET.replace(b"host", b"connection: close\r\nhost")
POST = b"POST /v3/senders HTTP/1.1\r\nhost: mock\r\ncontent-length: 2\r\n\r\n{}"
HEAD = b"HTTP/1.1 200 OK\r\ndate: of the peer\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n"
ANSWER = HEAD + b"{}"
IN_CHUNKS = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
NOT_HELD = b"HTTP/1.1 421 Misdirected Request\r\nx-mock-peer: %s not-held\r\ncontent-length: 0\r\n\r\n" % (
    SECRET.hex().encode()
)
OK = b"HTTP/1.1 200 OK\r\n"
#: Nothing listens there.
HOLDER = "http://127.0.0.1:9"
#: Turns of the loop in which a task that waits for nothing comes to its end.
TURNS = 20
#: Seconds until something must have come.
PATIENCE_S = 20


def in_a_loop(test):
    """A test whose steps are those of a coroutine."""

    @wraps(test)
    def run(**fixtures):
        asyncio.run(test(**fixtures))

    return run


async def turns():
    for _ in range(TURNS):
        await asyncio.sleep(0)


class Front:
    """A server that holds nothing, at which a client has a connection, and which has one to the holder."""

    def __init__(self):
        self.forwarding = forwarding()
        self._server = server(Elsewhere(HOLDER), HttpLimits.of(Settings()), refusal, forwarding=self.forwarding)
        self._server.config.load()
        self.server_state = self._server.server_state
        self.departure, self.peer = Departure(), transport_at("127.0.0.1")
        self.departure.connection_made(self.peer)
        self.given_back = []
        self.forwarding.at_hand = lambda address: self.departure
        self.forwarding.give_back = lambda address, connection: self.given_back.append(connection)

    def connect(self):
        self.client = transport_at("127.0.0.1")
        self.connection = self._server.config.http_protocol_class(
            self._server.config, self.server_state, {}, asyncio.get_running_loop()
        )
        self.connection.connection_made(self.client)
        return self

    @property
    def tasks(self):
        return len(self.server_state.tasks)

    async def ask(self, request):
        self.peer.sent = b""
        self.connection.data_received(request)
        await turns()

    async def answered(self, times):
        """Wait until the client has so many answers."""
        while self.client.sent.count(b"HTTP/1.1 ") < times:
            self.client.wrote.clear()
            await asyncio.wait_for(self.client.wrote.wait(), PATIENCE_S)

    async def answer(self, *pieces):
        for piece in pieces:
            self.departure.data_received(piece)
            await turns()


@pytest.fixture
def front(monkeypatch):
    monkeypatch.setattr(handing_on, "_PATIENCE_S", 0.0)
    return Front()


@pytest.mark.parametrize("times", [1, 3], ids=["new head", "known head"])
@pytest.mark.parametrize("request_", [GET, POST], ids=["GET", "POST"])
@in_a_loop
async def test_a_request_is_forwarded_and_its_answer_handed_back_without_a_task(front, request_, times):
    front.connect()
    for _ in range(times):
        await front.ask(request_)
        assert front.tasks == 0
        await front.answer(ANSWER)

    assert front.client.sent.count(OK) == times
    assert front.given_back == [front.departure] * times
    assert front.forwarding.holders.heard == ["confirmed"] * times


@pytest.mark.parametrize("times", [1, 4], ids=["new head", "known head"])
@in_a_loop
async def test_the_holder_is_told_who_has_asked_before_all_that_the_client_says(front, times):
    front.connect()
    for _ in range(times):
        await front.ask(GET)
        await front.answer(ANSWER)

    lines = front.peer.sent.split(b"\r\n")
    assert lines[0] == b"GET /v3/senders HTTP/1.1"
    assert lines[1] == b"x-mock-peer: %s http 127.0.0.1 1 127.0.0.1 80" % SECRET.hex().encode()
    assert lines[2:] == GET.split(b"\r\n")[1:]


@in_a_loop
async def test_the_client_gets_what_the_holder_says_but_for_what_each_server_says_itself(front):
    front.server_state.default_headers = [(b"date", b"of this server")]
    await front.connect().ask(GET)
    await front.answer(ANSWER)

    head, body = front.client.sent.split(b"\r\n\r\n")
    assert b"content-type: application/json" in head
    assert (b"date: of this server" in head, b"date: of the peer" in head) == (True, False)
    assert body == b"{}"


@in_a_loop
async def test_an_answer_in_several_packets_needs_no_task(front):
    await front.connect().ask(GET)

    await front.answer(HEAD[:20], HEAD[20:] + b"{")
    assert (front.client.sent, front.tasks) == (b"", 0)

    await front.answer(b"}")
    assert front.client.sent.endswith(b"{}")


@in_a_loop
async def test_an_answer_without_a_body_needs_none(front):
    await front.connect().ask(GET.replace(b"GET", b"DELETE"))

    await front.answer(b"HTTP/1.1 204 No Content\r\n\r\n")

    assert front.client.sent.startswith(b"HTTP/1.1 204 No Content\r\n")
    assert front.given_back == [front.departure]


@in_a_loop
async def test_an_answer_of_untold_length_is_handed_back_by_a_task(front):
    await front.connect().ask(GET)

    await front.answer(IN_CHUNKS)

    assert front.client.sent.startswith(OK)
    assert b"{}" in front.client.sent
    assert front.given_back == []


@in_a_loop
async def test_an_answer_that_is_long_in_coming_is_waited_for_by_a_task(front):
    await front.connect().ask(GET)

    for _ in range(2):
        front.connection.check(0.0, 75.0)
        await turns()
    assert front.tasks == 1

    await front.answer(ANSWER)
    assert front.client.sent.endswith(b"{}")
    assert front.peer.sent.count(b"GET ") == 1


@in_a_loop
async def test_a_request_behind_it_is_answered_after_it(front):
    await front.connect().ask(GET)
    front.connection.data_received(POST)
    await turns()
    assert front.peer.sent.count(b"GET ") == 1

    await front.answer(ANSWER)
    assert (front.client.sent.count(OK), front.peer.sent.count(b"POST ")) == (1, 1)

    await front.answer(ANSWER)
    assert front.client.sent.count(OK) == 2


@in_a_loop
async def test_a_client_that_leaves_ends_what_it_has_asked_for(front):
    await front.connect().ask(GET)

    front.connection.connection_lost(None)

    assert (front.peer.is_closed, front.tasks) == (True, 0)


@in_a_loop
async def test_a_server_that_stops_waits_for_the_answer(front):
    await front.connect().ask(GET)

    front.connection.shutdown()
    await turns()
    assert (front.client.is_closed, front.tasks) == (False, 1)

    await front.answer(ANSWER)
    assert front.client.sent.endswith(b"{}")
    assert front.client.is_closed


@in_a_loop
async def test_the_last_request_of_a_connection_ends_it(front):
    await front.connect().ask(LAST)

    await front.answer(ANSWER)

    assert b"connection: close\r\n" in front.client.sent
    assert front.client.is_closed


@pytest.mark.parametrize(("answer", "sentence"), [(NOT_HELD, b"nothing was done"), (None, b"may have been done")])
@in_a_loop
async def test_a_holder_that_does_not_answer_is_told_of_as_ever(front, answer, sentence):
    await front.connect().ask(GET)

    if answer is None:
        front.departure.connection_lost(None)
    else:
        await front.answer(answer)
    await front.answered(1)

    assert front.client.sent.startswith(b"HTTP/1.1 503 ")
    assert sentence in front.client.sent


@in_a_loop
async def test_what_a_peer_has_forwarded_is_not_forwarded_again(front):
    name, value = Introduction(SECRET).header({"client": None, "server": None, "scheme": "http"})

    await front.connect().ask(GET.replace(b"host", b"%s: %s\r\nhost" % (name, value)))

    assert front.client.sent.startswith(b"HTTP/1.1 421 ")
    assert front.peer.sent == b""

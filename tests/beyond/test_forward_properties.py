"""Whatever a client sends: what leaves is one plain HTTP call below `/v3/`, without anything of the mock's own."""

from urllib.parse import unquote, urlsplit

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from mockserver.beyond.forward import forward
from mockserver.core.contract.errors import ServiceError
from mockserver.core.effects import PeerAnswer
from mockserver.core.text import addresses
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.request import ServiceRequest

SECRETS = {"api-key": "xkeysib-0123456789", "authorization": "Bearer 0123456789abcdef", "cookie": "a=0123456789abcdef"}
NOTHING = PeerAnswer(204)


class Captured:
    """A forwarder that keeps what it is to send, and answers at once."""

    peer, writes, timeout_s, name = "http://peer.test", True, 1.0, "mockserver-1"

    def __init__(self):
        self.calls = []
        self.answer = NOTHING

    def send(self, call, done):
        self.calls.append(call)
        done(self.answer)

    def close(self):
        """There is no connection to close."""


@pytest.fixture(scope="module")
def send(make_api):
    """Sends a request where all is forwarded; what has left, and the reply or None."""
    workspace = make_api("empty").workspace
    forwarder = Captured()
    workspace.effects.forwarder = forwarder
    (account, *_) = workspace.state.accounts.values()

    def sent(method="GET", path="/v3/companies", query="", headers=(), answer=NOTHING):
        forwarder.calls.clear()
        forwarder.answer = answer
        environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query}
        request = ServiceRequest(environ, 100)
        rows = [(name.lower(), value) for name, value in headers]
        exchange = Exchange("1", workspace.state.clock.now(), method, request.path, query, rows, b"", {})
        try:
            reply = forward(Caller(workspace, account), request, exchange)
        except ServiceError:
            reply = None
        assert len(forwarder.calls) <= 1
        return (*forwarder.calls, None)[0], reply

    return sent


#: The characters of paths and queries in a WSGI environment: bytes, as Latin-1.
BYTES = st.text(st.characters(max_codepoint=255), max_size=30)
ODD = st.lists(
    st.sampled_from(["/", ".", "..", "%2e", "\\", ";", "a", "%", "?", "#", " ", "\r\n", "\x00", "é", "//"]), max_size=12
)


@given(path=BYTES | ODD.map("".join), query=BYTES)
@examples(500)
def test_every_address_that_leaves_is_plain_and_below_the_api(send, path, query):
    call, _ = send(path=f"/v3/{path}", query=query)

    if call is not None:
        assert call.target.startswith("/v3/")
        sent_path = call.target.partition("?")[0]
        assert sent_path.isascii()
        assert sent_path.isprintable()
        assert " " not in sent_path
        steps = unquote(sent_path).replace("\\", "/").split("/")
        assert not {".", ".."} & {step.partition(";")[0] for step in steps}
        assert urlsplit(f"http://peer.test{sent_path}").netloc == "peer.test"


KEPT_HERE = {
    "api-key", "authorization", "cookie", "connection", "te", "host", "via", "content-length", "partner-key",
    "transfer-encoding", "proxy-authorization", "forwarded",
}  # fmt: skip
NAMES = st.sampled_from([*KEPT_HERE, "X-Mock-Fault", "x-mock-workspace", "Accept", "X-Custom", "x-a", "a b", "", "é"])
VALUES = st.text(st.characters(max_codepoint=300), max_size=8) | st.sampled_from(
    [*SECRETS.values(), "x-a, close", "chunked"]
)


@given(st.lists(st.tuples(NAMES, VALUES), max_size=8))
@examples(500)
def test_no_header_of_this_side_leaves(send, rows):
    call, _ = send(headers=list({**dict(rows), **SECRETS}.items()))

    if call is not None:
        *sent, (last, _) = call.headers
        assert last == "via"
        assert not {name for name, _ in sent} & KEPT_HERE
        assert not any(name.startswith("x-mock-") for name, _ in sent)
        assert all(addresses.is_header_name(name) and addresses.is_header_value(value) for name, value in sent)
        assert not any("0123456789" in value for name, value in sent)


ANSWER_NAMES = st.sampled_from(
    ["Content-Type", "content-type", "Set-Cookie", "X-Mock-Fault", "Connection", "Location", "Server", "Retry-After",
     "sib-request-id", "Content-Length", "Transfer-Encoding", "access-control-allow-origin", "x-a", "a b", "", "é"]
)  # fmt: skip


@given(
    st.integers(-1, 1_000), st.lists(st.tuples(ANSWER_NAMES, st.text(max_size=8)), max_size=8), st.binary(max_size=8)
)
@examples(500)
def test_random_answer_of_the_peer_becomes_a_valid_reply_without_dropped_headers(send, status, rows, body):
    _, reply = send(answer=PeerAnswer(status, rows, body))

    assert reply.is_over
    assert 200 <= reply.status < 600
    names = [name.lower() for name, _ in reply.headers]
    dropped = ["set-cookie", "connection", "content-length", "transfer-encoding", "location", "sib-request-id"]
    assert not set(names) & set(dropped)
    assert names.count("content-type") <= 1
    assert not any(name.startswith("x-mock-") for name in names)
    assert all(addresses.is_header_name(name) and addresses.is_header_value(value) for name, value in reply.headers)

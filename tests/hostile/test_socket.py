"""What only a real socket can show."""

from __future__ import annotations

import http.client
import json
import socket
from urllib.parse import urlsplit

import pytest
from hostile.refusals import GOOD_SENDER, KEY, SCENARIO, UUID

pytestmark = pytest.mark.root(SCENARIO)


@pytest.fixture
def connection(root):
    found = http.client.HTTPConnection(urlsplit(root).netloc, timeout=20)
    yield found
    found.close()


def read_refusal(connection, status, code):
    answer = connection.getresponse()
    body = json.loads(answer.read())
    assert (answer.status, body["code"]) == (status, code)
    assert body["message"]
    assert UUID.fullmatch(answer.headers["sib-request-id"])


def test_bodies_over_the_limit_are_read_and_refused_and_the_connection_serves_on(connection):
    for chunked in (False, True):
        body = (b" " * 100_000 for _ in range(110)) if chunked else b" " * 11_000_000
        connection.request("POST", "/v3/senders", body=body, headers={"api-key": KEY}, encode_chunked=chunked)
        read_refusal(connection, 413, "bad_request")
        connection.request("GET", "/v3/senders", headers={"api-key": KEY})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
    connection.request("POST", "/_mock/reset", body=b" " * 11_000_000)
    answer = connection.getresponse()
    assert (answer.status, answer.headers["Content-Type"]) == (413, "application/problem+json")
    assert json.loads(answer.read())["status"] == 413


def test_a_body_just_at_the_limit_is_read(connection):
    body = json.dumps({**GOOD_SENDER, "email": "no address"}).encode()
    connection.request("POST", "/v3/senders", body=body.ljust(10 * 1024 * 1024), headers={"api-key": KEY})
    read_refusal(connection, 400, "invalid_parameter")


def raw(line, *headers, body=b""):
    return b"\r\n".join([line, b"host: x", b"api-key: k", *headers, b"", body])


NOTHING = b"GET /v3/nothing HTTP/1.1"
POST = b"POST /v3/senders HTTP/1.1"
CHUNKED = b"transfer-encoding: chunked"
RAW_REQUESTS = {
    "a header of 60 KB": (raw(NOTHING, b"x-long: " + b"a" * 61_440), 404),
    "a key of 60 KB": (raw(NOTHING, b"api-key: " + b"a" * 61_440), 401),
    "1,000 headers": (raw(NOTHING, *(b"x-%d: 1" % number for number in range(1000))), 404),
    "two api-key headers": (raw(NOTHING, b"api-key: b"), 404),
    "an empty api-key": (NOTHING + b"\r\nhost: x\r\napi-key:\r\n\r\n", 401),
    "an api-key of other letters": (raw(NOTHING, b"api-key: \xd0\xba\xff"), 401),
    "no host": (NOTHING + b"\r\napi-key: k\r\n\r\n", 404),
    "a hostile host": (NOTHING + b"\r\nhost: a b/../c\r\napi-key: k\r\n\r\n", 400),
    "two hosts": (raw(NOTHING, b"host: y"), 400),
    "a raw byte in the path": (raw(b"GET /v3/senders/\xff HTTP/1.1"), 400),
    "an unknown method": (raw(b"BREW /v3/senders HTTP/1.1"), 400),
    "an absolute address": (raw(b"GET http://elsewhere.test/v3/nothing HTTP/1.1"), 404),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400),
    "an odd version": (raw(b"GET /v3/nothing HTTP/9.9"), 400),
    "a negative length": (raw(POST, b"content-length: -1"), 400),
    "a length of letters": (raw(POST, b"content-length: x"), 400),
    "length and chunks": (raw(POST, b"content-length: 2", CHUNKED, body=b"0\r\n\r\n"), 400),
    "a bad chunk": (raw(POST, CHUNKED, body=b"zz\r\n\r\n"), 400),
}


def test_raw_requests_are_answered_and_the_server_serves_on(root, connection):
    address = urlsplit(root)
    for name, (request_bytes, status) in RAW_REQUESTS.items():
        with socket.create_connection((address.hostname, address.port), timeout=10) as peer:
            peer.sendall(request_bytes)
            line = peer.makefile("rb").readline()
        assert int(line.split()[1]) == status, name
        connection.request("GET", "/_mock/health")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, name


def test_paths_arrive_over_the_socket_as_they_were_sent(connection):
    for path in ("%2e%2e", "../senders/x", "%00", "%ff", "%E2%82%AC"):
        connection.putrequest("PUT", f"/v3/senders/{path}", skip_accept_encoding=True)
        connection.putheader("api-key", KEY)
        connection.endheaders()
        answer = connection.getresponse()
        body = json.loads(answer.read())
        assert (answer.status, body["code"]) in ((400, "invalid_parameter"), (404, "not_found")), path
    for path, status, code in (
        ("/v3/senders/a%2Fb", 400, "invalid_parameter"), ("/v3/senders/1%2fvalidate", 400, "invalid_parameter"),
        ("/v3%2Fsenders/1", 404, "not_found"), ("/w/default%2Fv3/senders/1", 401, "unauthorized"),
    ):  # fmt: skip
        connection.request("PUT", path, body=b"{}", headers={"api-key": KEY})
        read_refusal(connection, status, code)


def test_a_broken_body_that_was_to_be_asked_for_ends_without_a_traceback(root, caplog):
    address = urlsplit(root)
    with socket.create_connection((address.hostname, address.port), timeout=20) as peer:
        peer.sendall(raw(POST, b"expect: 100-continue", CHUNKED, body=b"ZZ\r\n"))
        answer = b"".join(iter(lambda: peer.recv(65_536), b""))

    assert b"HTTP/1.1 400 " in answer
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []

"""What a WSGI server tells of a request, as it is forwarded: nothing in it can be taken for more than one request."""

from __future__ import annotations

import io

import pytest
from two_servers import SECRET

from mockserver.web.server.peers.introduction import HEADER, Introduction
from mockserver.web.server.peers.wsgi_request import WsgiRequest, take_introduction_off

LIMIT = 100


def environ(body=b"", **members):
    """The environment of a request, as WSGI servers make it."""
    return {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/v3/senders",
        "QUERY_STRING": "",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "8003",
        "REMOTE_ADDR": "192.0.2.7",
        "REMOTE_PORT": "4711",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(body),
        **members,
    }


def scope(**members):
    return WsgiRequest(environ(**members), LIMIT).scope


def headers(**members):
    return dict(scope(**members)["headers"])


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({}, b"/v3/senders"),
        ({"PATH_INFO": ""}, b"/"),
        ({"PATH_INFO": "/a b\xc3\xa9%"}, b"/a%20b%C3%A9%25"),
        ({"PATH_INFO": "/a\r\nHost: b"}, b"/a%0D%0AHost%3A%20b"),
        ({"REQUEST_URI": "/a%2Fb?c", "PATH_INFO": "/a/b"}, b"/a%2Fb"),
        ({"RAW_URI": "/a%2Fb?c", "PATH_INFO": "/a/b"}, b"/a%2Fb"),
        ({"REQUEST_URI": "/a b\r\n\xff", "PATH_INFO": "/"}, b"/a%20b%0D%0A%FF"),
        ({"REQUEST_URI": "http://mock/v3/senders"}, b"/v3/senders"),
        ({"REQUEST_URI": "/mount/v3/senders", "SCRIPT_NAME": "/mount"}, b"/v3/senders"),
    ],
)
def test_the_path_is_as_the_client_has_written_it_where_that_is_known(members, path):
    assert scope(**members)["raw_path"] == path


def test_nothing_ends_the_first_line_early():
    assert scope(QUERY_STRING="a=%20b c\r\nd\xe9")["query_string"] == b"a=%20b%20c%0D%0Ad%E9"


def test_nothing_ends_a_header_early():
    assert headers(HTTP_A="b\r\nHost: c\n\rd")[b"a"] == b"b Host: c  d"


def test_what_is_of_the_connection_of_the_client_stays_there():
    found = headers(HTTP_CONNECTION="close", HTTP_KEEP_ALIVE="1", HTTP_TE="x", HTTP_UPGRADE="h2c", HTTP_X_MINE="1")

    assert found == {b"x-mine": b"1"}


def test_a_body_has_its_length_whatever_the_headers_say():
    request = WsgiRequest(environ(b"abc", HTTP_TRANSFER_ENCODING="chunked", **{"wsgi.input_terminated": True}), LIMIT)

    assert request.body == b"abc"
    assert dict(request.scope["headers"]) == {b"content-length": b"3"}


@pytest.mark.parametrize("length", ["", "x", "-1"])
def test_a_body_whose_length_nobody_knows_is_none(length):
    assert WsgiRequest(environ(b"abc", CONTENT_LENGTH=length), LIMIT).body == b""


def test_a_body_is_read_just_past_the_limit():
    request = WsgiRequest(environ(b"a" * 500, CONTENT_LENGTH="500"), LIMIT)

    assert (len(request.body), request.is_complete) == (LIMIT + 1, True)


def test_a_body_that_ends_early_is_told():
    assert not WsgiRequest(environ(b"abc", CONTENT_LENGTH="5"), LIMIT).is_complete


def test_each_run_reads_the_body_from_its_beginning():
    request = WsgiRequest(environ(b"abc", CONTENT_LENGTH="3"), LIMIT)

    assert [request.environ()["wsgi.input"].read() for _ in range(2)] == [b"abc"] * 2


@pytest.mark.parametrize(
    ("members", "client", "server"),
    [
        ({}, ("192.0.2.7", 4711), ("127.0.0.1", 8003)),
        ({"REMOTE_ADDR": "", "SERVER_NAME": "/run/mock.sock", "SERVER_PORT": ""}, None, None),
        ({"REMOTE_ADDR": "a b", "SERVER_NAME": "é"}, None, None),
        ({"REMOTE_PORT": "x"}, None, ("127.0.0.1", 8003)),
    ],
)
def test_a_peer_is_told_who_has_asked_as_far_as_that_is_known(members, client, server):
    seen = environ()
    seen["HTTP_X_MOCK_PEER"] = Introduction(SECRET).header(scope(**members))[1].decode()

    assert take_introduction_off(seen, Introduction(SECRET))
    assert seen["REMOTE_ADDR"] == (client[0] if client else "")
    assert seen["SERVER_NAME"] == (server or ("127.0.0.1",))[0]


@pytest.mark.parametrize("version", ["HTTP/2", "HTTP/3", "", "INCLUDED"])
def test_any_other_version_is_forwarded_as_the_usual_one(version):
    assert scope(SERVER_PROTOCOL=version)["http_version"] == "1.1"


def test_the_header_of_peers_is_spelled_the_same_for_both():
    assert HEADER.decode().upper().replace("-", "_") == "X_MOCK_PEER"

"""Heads that a server has seen before: which of them mean the same again."""

import pytest

from mockserver.web.server import wsgi
from mockserver.web.server.wsgi import Heads

GET = b"GET /v3/senders HTTP/1.1\r\nhost: mock\r\n\r\n"
POST = b"POST /v3/senders HTTP/1.1\r\nhost: mock\r\ncontent-length: 2\r\n\r\n"


def scope_of(method, headers):
    return {
        "method": method, "raw_path": b"/v3/senders", "query_string": b"", "http_version": "1.1", "headers": headers,
        "server": ("127.0.0.1", 8003), "client": ("127.0.0.1", 40001), "scheme": "http",
    }  # fmt: skip


@pytest.fixture
def known():
    found = Heads()
    found.add(GET, scope_of("GET", [(b"host", b"mock")]), 0, keeps=True)
    found.add(POST + b"{}", scope_of("POST", [(b"host", b"mock"), (b"content-length", b"2")]), 2, keeps=True)
    return found


@pytest.mark.parametrize(("data", "method", "body"), [(GET, "GET", b""), (POST + b"[]", "POST", b"[]")])
def test_a_head_that_comes_again_is_known_with_whatever_body(known, data, method, body):
    head, found = known.find(data)

    assert (head.method, found) == (method, body)
    environ = head.environ_of(("127.0.0.2", 40002), found)
    assert [environ[name] for name in ("HTTP_HOST", "REMOTE_ADDR", "SERVER_PORT")] == ["mock", "127.0.0.2", "8003"]
    assert (environ["wsgi.input"].read(), environ["CONTENT_LENGTH"]) == (body, str(len(body)))


@pytest.mark.parametrize(
    "data",
    [
        GET.lower(), GET + GET, GET + b"x", POST, POST + b"{", POST + b"{} ", GET[:-1], GET[:-4], b"\r\n" + GET,
        GET.replace(b"\r\n", b"\n"), b"", b"\r\n\r\n",
    ],
)  # fmt: skip
def test_whatever_is_not_one_whole_request_with_a_known_head_is_unknown(known, data):
    assert known.find(data) is None


@pytest.mark.parametrize(
    ("data", "length"),
    [
        (b"\r\n\r\n" + GET, 0), (b"\r\n" + GET, 0), (POST + b"{}", 1), (GET.replace(b"mock", b"m" * 1_024), 0),
    ],
)  # fmt: skip
def test_a_head_is_not_remembered_if_it_is_long_or_its_end_is_in_doubt(data, length):
    found = Heads()

    if [found.comes_again(data) for _ in range(2)] == [False, True]:
        found.add(data, scope_of("GET", []), length, keeps=True)

    assert found.find(data) is None


def test_a_head_comes_again_with_whatever_body():
    found = Heads()

    assert [found.comes_again(data) for data in (GET, POST + b"{}", POST + b"[]", GET)] == [False, False, True, True]


def test_number_of_noted_heads_is_limited(monkeypatch):
    monkeypatch.setattr(wsgi, "_NOTED", 2)
    found = Heads()
    data = [GET.replace(b"senders", str(number).encode()) for number in (0, 1, 2, 0, 2)]

    assert [found.comes_again(one) for one in data] == [False, False, False, False, True]


def test_number_of_cached_heads_is_limited(monkeypatch):
    monkeypatch.setattr(wsgi, "_REMEMBERED", 2)
    found = Heads()
    data = [GET.replace(b"senders", str(number).encode()) for number in range(3)]

    for one in data:
        found.add(one, scope_of("GET", []), 0, keeps=True)

    assert [found.find(one) is None for one in data] == [True, True, False]

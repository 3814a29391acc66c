"""Faults under an ordinary WSGI server: as far as one can do it, whose threads have nothing else to do."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
import requests
from background_server import in_background

HEADERS = {"api-key": "master-key"}


def ask(api, text, path="/v3/senders"):
    return api.get(path, headers={"X-Mock-Fault": text})


# ---------------------------------------------------------------------- werkzeug's test client


@pytest.mark.parametrize("text", ["connection_reset", "empty_response", "hang", "hang; ms=5"])
def test_the_server_sees_that_no_answer_is_wanted(api, text):
    with pytest.raises(ConnectionResetError, match="a fault was injected"):
        ask(api, text)


@pytest.mark.parametrize("text", ["latency; ms=20", "slow_body; ms=20", "hang; ms=20"])
def test_a_delay_holds_the_thread(api, text):
    began = time.perf_counter()
    with suppress(ConnectionResetError):
        assert ask(api, text).data
    assert time.perf_counter() - began >= 0.02


def test_a_delay_does_not_hold_the_workspace(api):
    thread = threading.Thread(target=ask, args=(api, "latency; ms=1000"))
    thread.start()
    assert api.get("/_mock/requests?fault=header&wait=5").json["count"] == 1
    assert api.get("/v3/senders").status_code == 200
    assert thread.is_alive()
    thread.join()


def test_delayed_answer_under_wsgi_is_complete(api):
    plain = api.get("/v3/senders").data
    assert ask(api, "latency; ms=1").data == ask(api, "slow_body; ms=1").data == plain


def test_a_slow_body_comes_in_pieces(api):
    found = api.get("/v3/senders", headers={"X-Mock-Fault": "slow_body; ms=10"}, buffered=False)
    assert len(list(found.response)) >= 10


def test_a_truncated_body_announces_its_whole_length(api):
    plain = api.get("/v3/senders").data
    found = ask(api, "truncated_body")
    assert (found.data, found.headers["Content-Length"]) == (plain[: len(plain) // 2], str(len(plain)))


def test_an_answer_without_a_body_stays_whole(api):
    found = api.delete("/v3/senders/1", headers={"X-Mock-Fault": "truncated_body"})
    assert (found.status_code, found.data) == (204, b"")
    found = api.delete("/v3/senders/2", headers={"X-Mock-Fault": "slow_body; ms=5"})
    assert (found.status_code, found.data) == (204, b"")


@pytest.mark.parametrize("text", ["latency; ms=1", "slow_body; ms=1", "truncated_body"])
def test_head_of_a_fault_announces_the_length_of_the_body(api, text):
    plain = api.get("/v3/senders").data
    found = api.client.head("/v3/senders", headers={**HEADERS, "X-Mock-Fault": text})
    assert (found.data, found.headers["Content-Length"]) == (b"", str(len(plain)))


# ---------------------------------------------------------------------- a real server


class Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def root(api):
    """The reference server of the standard library, with a thread for each request."""
    with in_background(make_server("127.0.0.1", 0, api.app, Threads, Quiet)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


def get(root, text=None):
    headers = HEADERS if text is None else {**HEADERS, "X-Mock-Fault": text}
    return requests.get(f"{root}/v3/senders", headers=headers, timeout=10)


@pytest.mark.parametrize("text", ["connection_reset", "empty_response", "hang; ms=5"])
def test_a_client_gets_no_answer(root, capfd, text):
    with pytest.raises(requests.ConnectionError):
        get(root, text)
    assert get(root).status_code == 200
    assert "Traceback" not in capfd.readouterr().err


def test_a_client_gets_half_of_a_body(root):
    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        get(root, "truncated_body")


@pytest.mark.parametrize("text", ["latency; ms=20", "slow_body; ms=20"])
def test_a_client_gets_the_whole_body_late(root, text):
    plain = get(root)
    began = time.perf_counter()
    assert get(root, text).content == plain.content
    assert time.perf_counter() - began >= 0.02


def test_a_client_cannot_read_a_malformed_body(root):
    with pytest.raises(json.JSONDecodeError):
        json.loads(get(root, "malformed_body").content)

"""Servers that share a store: an answer leaves when it is kept what it tells, and says so if it could not be kept."""

from contextlib import ExitStack, contextmanager

import httpx
import pytest
from redis_server import RedisServer

from mockserver import MockServer
from mockserver.core.workspaces.storage import StorageError
from mockserver.resources.oauth.discovery import TOKEN
from mockserver.storage.engine import EngineError
from mockserver.storage.redis_engine import Engine
from mockserver.web.service.service import Service

KEY = {"api-key": "any"}
#: A request in each dialect, with the member of a refusal that says why.
DIALECTS = [
    ("POST", "/v3/senders", "message"),
    ("GET", "/v3/account", "message"),
    ("POST", TOKEN, "error_description"),
    ("POST", "/_mock/reset", "detail"),
]


@pytest.fixture
def redis(tmp_path):
    with RedisServer(tmp_path) as found:
        yield found


@pytest.fixture
def start(redis):
    """Starts a server on the store."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(MockServer(store=redis.url(), **settings))


@contextmanager
def full():
    """Let the store take nothing more within a `with` block."""

    def write(engine, batch):
        raise EngineError("the store is full")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "write", write)
        yield


def make_sender(server, name="a"):
    body = {"name": name, "email": f"{name}@acme.com"}
    return httpx.post(f"{server.url}/v3/senders", headers=KEY, json=body, timeout=30)


def senders(server):
    found = httpx.get(f"{server.url}/v3/senders", headers=KEY, timeout=30)
    assert found.status_code == 200, found.text
    return {row["name"] for row in found.json().get("senders", ())}


def test_what_one_server_answers_every_other_knows(start):
    one, two = start(), start()
    assert make_sender(one, "one").status_code == 201
    assert make_sender(two, "two").status_code == 201
    assert senders(one) >= {"one", "two"}


def test_another_server_goes_on_when_one_ends(start):
    one, two = start(), start()
    make_sender(one, "one")
    one.stop()
    assert "one" in senders(two)


@pytest.mark.parametrize(("method", "path", "member"), DIALECTS)
def test_a_request_that_cannot_be_kept_is_told_so_in_the_dialect_of_its_address(start, method, path, member):
    server = start()
    with full():
        answer = httpx.request(method, f"{server.url}{path}", headers=KEY)
    assert answer.status_code == 503
    assert "the store is full" in answer.json()[member]


def test_a_request_whose_workspace_cannot_be_read_is_told_so(start, monkeypatch, caplog):
    def fail(*_):
        raise StorageError("workspace default is damaged")

    server = start()
    monkeypatch.setattr(Service, "_exchange", fail)
    answer = httpx.get(f"{server.url}/v3/account", headers=KEY)
    assert (answer.status_code, answer.json()["message"]) == (503, "workspace default is damaged")
    assert caplog.text == ""


def test_the_next_request_finds_what_was_kept_last(start):
    server = start()
    make_sender(server, "kept")
    with full():
        assert make_sender(server, "lost").status_code == 503
    assert "kept" in senders(server)
    assert "lost" not in senders(server)


def test_while_the_store_is_away_all_that_is_not_a_look_is_refused(start, redis):
    server = start()
    make_sender(server, "kept")
    redis.kill()
    assert make_sender(server).status_code == 503
    assert httpx.get(f"{server.url}/_mock/readyz").status_code == 503
    assert "cannot be reached" in httpx.get(f"{server.url}/_mock/readyz").json()["detail"]
    assert httpx.get(f"{server.url}/_mock/livez").status_code == 200

"""Servers that share a store: an answer leaves when it is kept what it tells, and says so if its workspace is lost."""

from contextlib import ExitStack

import httpx
import pytest
from shared_engine import SharedBytes

from mockserver import MockServer
from mockserver.app import keeping
from mockserver.core.workspaces.keeping import KeepingError
from mockserver.resources.oauth.addresses import TOKEN
from mockserver.settings.value_types import StoreReference
from mockserver.web.service.service import Service

KEY = {"api-key": "any"}


@pytest.fixture
def shared(monkeypatch):
    """What all servers of a test share, in the place of a database; `engines` are those of the servers."""
    found = SharedBytes()
    found.engines = []

    def engine(settings):
        found.engines.append(found.engine(settings.peer_address))
        return found.engines[-1]

    monkeypatch.setattr(keeping, "_shared_engine", engine)
    monkeypatch.setattr(StoreReference, "takes", lambda self, value: True)
    return found


@pytest.fixture
def start(shared):
    """Starts a server; gives it with its engine."""
    with ExitStack() as stack:

        def started(**settings):
            server = stack.enter_context(MockServer(store="redis://shared", **settings))
            server.engine = shared.engines[-1]
            return server

        yield started


def make_sender(server, name="a", root=""):
    body = {"name": name, "email": f"{name}@acme.com"}
    return httpx.post(f"{server.url}{root}/v3/senders", headers=KEY, json=body, timeout=30)


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


def test_an_answer_leaves_when_what_it_tells_is_written(start):
    server = start()
    for _ in range(3):
        written = len(server.engine.batches)
        assert make_sender(server, f"s{written}").status_code == 201
        assert len(server.engine.batches) > written


@pytest.mark.parametrize(
    ("method", "path", "member"),
    [
        ("POST", "/v3/senders", "message"),
        ("GET", "/v3/account", "message"),
        ("POST", TOKEN, "error_description"),
        ("POST", "/_mock/reset", "detail"),
    ],
)
def test_a_request_whose_workspace_gets_lost_is_told_so_in_the_dialect_of_its_address(
    start, shared, method, path, member
):
    server = start()
    make_sender(server)
    shared.steal("default")
    answer = httpx.request(method, f"{server.url}{path}", headers=KEY)
    assert answer.status_code == 503
    assert "held by another server" in answer.json()[member]


def test_a_request_that_finds_its_workspace_lost_is_told_so(start, monkeypatch, caplog):
    def fail(service, request, route):
        raise KeepingError("workspace default is lost")

    server = start()
    monkeypatch.setattr(Service, "answer", fail)
    answer = httpx.get(f"{server.url}/v3/account", headers=KEY)
    assert (answer.status_code, answer.json()["message"]) == (503, "workspace default is lost")
    assert caplog.text == ""


def test_the_next_request_finds_what_was_kept_last(start, shared):
    server = start()
    make_sender(server, "kept")
    shared.steal("default")
    assert make_sender(server, "lost").status_code == 503
    assert "kept" in senders(server)
    assert "lost" not in senders(server)


def test_while_the_store_is_away_all_that_is_not_a_look_is_refused(start):
    server = start()
    make_sender(server, "kept")
    server.engine.trouble = "the store cannot be reached"
    assert make_sender(server).status_code == 503
    assert httpx.get(f"{server.url}/_mock/readyz").json()["detail"] == "the store cannot be reached"
    assert httpx.get(f"{server.url}/_mock/livez").status_code == 200

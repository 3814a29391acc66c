"""With `--store-sync always` no answer tells of what is not kept, and what could not be kept was not done."""

import smtplib
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from mockserver import MockServer
from mockserver.resources.oauth.discovery import TOKEN
from mockserver.storage.engine import EngineError
from mockserver.storage.sqlite_engine import Engine

KEY = {"api-key": "any"}


@pytest.fixture
def engine(monkeypatch):
    """What the engines of all servers do: `trouble` says why they cannot write; they count the workspaces written."""

    class State:
        trouble = None
        written = 0

    state, write = State(), Engine.write

    def watched(self, batch):
        if state.trouble is not None:
            raise EngineError(state.trouble)
        write(self, batch)
        state.written += len(batch.rows)

    monkeypatch.setattr(Engine, "write", watched)
    yield state
    state.trouble = None


@pytest.fixture
def start(engine, tmp_path):
    """Starts a server on the store; the one before has ended."""
    return lambda **settings: MockServer(store=f"sqlite:{tmp_path / 'mock.db'}", **settings)


@pytest.fixture
def running_server(start):
    with start() as found:
        yield found


def make_sender(server, name="a"):
    return httpx.post(f"{server.url}/v3/senders", headers=KEY, json={"name": name, "email": f"{name}@acme.com"})


def senders(server):
    found = httpx.get(f"{server.url}/v3/senders", headers=KEY).json()["senders"]
    return {row["name"] for row in found}


def test_an_answer_leaves_when_what_it_tells_is_written(running_server, engine):
    for written in range(engine.written + 1, engine.written + 4):
        assert httpx.get(f"{running_server.url}/v3/account", headers=KEY).status_code == 200
        assert engine.written >= written


@pytest.mark.parametrize(
    ("method", "path", "member"),
    [
        ("POST", "/v3/senders", "message"), ("GET", "/v3/senders", "message"), ("POST", TOKEN, "error_description"),
        ("POST", "/_mock/reset", "detail"), ("POST", "/w/default/_mock/reset", "detail"),
    ],
)  # fmt: skip
def test_while_nothing_can_be_kept_requests_are_refused_in_the_dialect_of_their_address(
    running_server, engine, method, path, member
):
    engine.trouble = "the disk is full"
    answer = httpx.request(method, f"{running_server.url}{path}", headers=KEY)
    assert (answer.status_code, answer.json()[member]) == (503, "the disk is full")


def test_what_was_refused_so_was_not_done_and_later_requests_are_answered_again(running_server, start, engine):
    engine.trouble = "the disk is full"
    assert make_sender(running_server, "refused").status_code == 503
    engine.trouble = None
    assert make_sender(running_server, "kept").status_code == 201
    assert senders(running_server) & {"refused", "kept"} == {"kept"}
    running_server.stop()

    with start() as later:
        assert senders(later) & {"refused", "kept"} == {"kept"}


def test_a_workspace_that_could_not_be_kept_is_not_there_and_its_name_is_free(running_server, engine):
    body = {"name": "mine"}
    engine.trouble = "the disk is full"
    assert httpx.post(f"{running_server.url}/_mock/workspaces", json=body).status_code == 503
    engine.trouble = None
    assert httpx.get(f"{running_server.url}/_mock/workspaces/mine").status_code == 404
    assert httpx.post(f"{running_server.url}/_mock/workspaces", json=body).status_code == 201


@pytest.mark.parametrize("path", ["health", "livez", "metrics", "requests", "workspaces"])
def test_while_nothing_can_be_kept_the_control_api_can_still_be_looked_at(running_server, engine, path):
    engine.trouble = "the disk is full"
    make_sender(running_server)
    assert httpx.get(f"{running_server.url}/_mock/{path}").status_code == 200


def test_readyz_says_why_nothing_can_be_kept_until_something_can(running_server, engine):
    engine.trouble = "the disk is full"
    make_sender(running_server)
    answer = httpx.get(f"{running_server.url}/_mock/readyz")
    assert (answer.status_code, answer.json()["detail"]) == (503, "the disk is full")
    assert httpx.get(f"{running_server.url}/_mock/health").json()["kept"]["last_error"] == "the disk is full"
    engine.trouble = None
    assert make_sender(running_server).status_code == 201
    assert httpx.get(f"{running_server.url}/_mock/readyz").status_code == 200


def test_a_stream_begins_without_waiting_for_its_end(running_server):
    with httpx.stream("GET", f"{running_server.url}/_mock/stream", timeout=30) as answer:
        assert answer.status_code == 200
        make_sender(running_server)
        assert next(answer.iter_lines())


def test_a_request_that_waits_is_answered_when_what_it_waits_for_has_happened(running_server):
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(
            httpx.get,
            f"{running_server.url}/_mock/requests",
            params={"wait": 30, "operation": "getAccount"},
            timeout=40,
        )
        httpx.get(f"{running_server.url}/v3/account", headers=KEY)
        assert len(waiting.result().json()["items"]) == 1


def test_a_mail_that_could_not_be_kept_is_not_taken(start, engine):
    with start(smtp_in="127.0.0.1:0") as server:
        host, _, port = httpx.get(f"{server.url}/_mock/health").json()["smtp_in"]["address"].rpartition(":")
        with smtplib.SMTP(host, int(port)) as client:
            assert client.sendmail("a@acme.com", ["b@acme.com"], "Subject: kept\r\n\r\n") == {}
            engine.trouble = "the disk is full"
            with pytest.raises(smtplib.SMTPDataError, match="could not be saved"):
                client.sendmail("a@acme.com", ["b@acme.com"], "Subject: not kept\r\n\r\n")

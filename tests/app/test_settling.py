"""With `--store-sync always` no answer tells of what is not kept, and while nothing can be kept that is said."""

import smtplib
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from mockserver import MockServer
from mockserver.resources.oauth.addresses import TOKEN
from mockserver.storage.sqlite import Engine, EngineError

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
        state.written += len(batch.workspaces)

    monkeypatch.setattr(Engine, "write", watched)
    yield state
    state.trouble = None


@pytest.fixture
def server(engine, tmp_path):
    with MockServer(store=f"sqlite:{tmp_path / 'mock.db'}", store_sync="always") as found:
        make_sender(found, "early")  # with its answer all is written that the start has changed
        yield found


def make_sender(server, name="a"):
    return httpx.post(f"{server.url}/v3/senders", headers=KEY, json={"name": name, "email": f"{name}@acme.com"})


def test_an_answer_leaves_when_what_it_tells_is_written(server, engine):
    for written in range(engine.written + 1, engine.written + 4):
        assert httpx.get(f"{server.url}/v3/account", headers=KEY).status_code == 200
        assert engine.written >= written


def test_a_change_that_could_not_be_kept_is_answered_with_503_and_may_be_kept_later(server, engine):
    engine.trouble = "the disk is full"
    answer = make_sender(server)
    assert answer.status_code == 503
    assert "may be kept later, or be gone after a stop: the disk is full" in answer.json()["message"]


@pytest.mark.parametrize(
    ("method", "path", "member"),
    [
        ("POST", "/v3/senders", "message"),
        ("GET", "/v3/senders", "message"),
        ("POST", TOKEN, "error_description"),
        ("POST", "/_mock/reset", "detail"),
        ("POST", "/w/default/_mock/reset", "detail"),
    ],
)
def test_while_nothing_can_be_kept_requests_are_refused_in_the_dialect_of_their_address(
    server, engine, method, path, member
):
    engine.trouble = "the disk is full"
    make_sender(server)
    answer = httpx.request(method, f"{server.url}{path}", headers=KEY)
    assert answer.status_code == 503
    assert answer.json()[member] == "Nothing can be kept, so that nothing was done: the disk is full"


def test_what_was_refused_so_was_not_done_and_what_could_not_be_kept_is_when_that_goes_again(server, engine, tmp_path):
    engine.trouble = "the disk is full"
    assert [make_sender(server, name).status_code for name in ("first", "second")] == [503, 503]
    engine.trouble = None
    server.stop()

    with MockServer(store=f"sqlite:{tmp_path / 'mock.db'}") as later:
        found = httpx.get(f"{later.url}/v3/senders", headers=KEY).json()["senders"]
    assert {"first", "second"} & {row["name"] for row in found} == {"first"}


@pytest.mark.parametrize("path", ["health", "livez", "metrics", "requests", "workspaces"])
def test_while_nothing_can_be_kept_the_control_api_can_still_be_looked_at(server, engine, path):
    engine.trouble = "the disk is full"
    make_sender(server)
    assert httpx.get(f"{server.url}/_mock/{path}").status_code == 200


def test_readyz_says_why_nothing_can_be_kept(server, engine):
    engine.trouble = "the disk is full"
    make_sender(server)
    answer = httpx.get(f"{server.url}/_mock/readyz")
    assert (answer.status_code, answer.json()["detail"]) == (503, "the disk is full")
    assert httpx.get(f"{server.url}/_mock/health").json()["kept"]["last_error"] == "the disk is full"


def test_a_stream_begins_without_waiting_for_its_end(server):
    with httpx.stream("GET", f"{server.url}/_mock/stream", timeout=30) as answer:
        assert answer.status_code == 200
        make_sender(server)
        assert next(answer.iter_lines())


def test_a_request_that_waits_is_answered_when_what_it_waits_for_has_happened(server):
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(
            httpx.get, f"{server.url}/_mock/requests", params={"wait": 30, "operation": "getAccount"}, timeout=40
        )
        httpx.get(f"{server.url}/v3/account", headers=KEY)
        assert len(waiting.result().json()["items"]) == 1


def test_a_mail_that_could_not_be_kept_is_not_taken(engine, tmp_path):
    with MockServer(store=f"sqlite:{tmp_path / 'mock.db'}", store_sync="always", smtp_in="127.0.0.1:0") as server:
        host, _, port = httpx.get(f"{server.url}/_mock/health").json()["smtp_in"]["address"].rpartition(":")
        with smtplib.SMTP(host, int(port)) as client:
            assert client.sendmail("a@acme.com", ["b@acme.com"], "Subject: kept\r\n\r\n") == {}
            engine.trouble = "the disk is full"
            with pytest.raises(smtplib.SMTPDataError, match="could not be saved"):
                client.sendmail("a@acme.com", ["b@acme.com"], "Subject: not kept\r\n\r\n")

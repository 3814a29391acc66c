"""A server on a store: no answer tells of what is not kept, what could not be kept was not done, and others go on."""

import gc
import smtplib
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from store_trouble import WHY

from mockserver import MockServer, Settings, create_app
from mockserver.core.workspaces.storage import StorageError
from mockserver.resources.oauth.discovery import TOKEN
from mockserver.web.service.service import Service

KEY = {"api-key": "any"}


@pytest.fixture
def server(start):
    with start() as found:
        yield found


@pytest.fixture
def full(trouble):
    """Lets no store take anything more, until `trouble` is over."""
    return lambda: setattr(trouble, "failing", ("write",))


def make_sender(server, name="a"):
    return httpx.post(f"{server.url}/v3/senders", headers=KEY, json={"name": name, "email": f"{name}@acme.com"})


def senders(server):
    return {row["name"] for row in httpx.get(f"{server.url}/v3/senders", headers=KEY).json()["senders"]}


def control(server, method, path, **options):
    return httpx.request(method, f"{server.url}/_mock/{path}", timeout=40, **options)


def test_the_next_server_goes_on_where_one_has_ended(start, store_url):
    with start() as server:
        assert make_sender(server, "lasting").status_code == 201
        for name in ("stays", "goes"):
            assert control(server, "POST", "workspaces", json={"name": name}).status_code == 201
        assert control(server, "DELETE", "workspaces/goes").status_code == 204
        health = control(server, "GET", "health").json()
        assert f"{health['store']}:" in store_url
        assert health["kept"]["place"] == store_url.removeprefix("sqlite:")
    with start() as server:
        assert "lasting" in senders(server)
        assert [control(server, "GET", f"workspaces/{name}").status_code for name in ("stays", "goes")] == [200, 404]
        assert control(server, "POST", "reset").status_code == 200
    with start() as server:
        assert "lasting" not in senders(server)


def test_an_answer_leaves_when_what_it_tells_is_written(server, trouble):
    for number in range(3):
        written = trouble.written
        assert make_sender(server, f"s{number}").status_code == 201
        assert trouble.written > written


@pytest.mark.parametrize(
    ("method", "path", "member"),
    [
        ("POST", "/v3/senders", "message"), ("POST", TOKEN, "error_description"), ("POST", "/_mock/reset", "detail"),
        ("POST", "/w/default/_mock/reset", "detail"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_in_the_dialect_of_its_address(server, full, method, path, member):
    full()
    answer = httpx.request(method, f"{server.url}{path}", headers=KEY)
    assert (answer.status_code, answer.json()[member]) == (503, WHY)


def test_a_workspace_that_cannot_be_read_is_told_in_the_dialect_of_its_address(server, monkeypatch, caplog):
    def fail(*_):
        raise StorageError("workspace default is damaged")

    monkeypatch.setattr(Service, "_exchange", fail)
    answer = httpx.get(f"{server.url}/v3/account", headers=KEY)
    assert (answer.status_code, answer.json()["message"]) == (503, "workspace default is damaged")
    assert caplog.text == ""


def test_what_was_refused_was_not_done_and_later_requests_are_answered_again(start, trouble, full):
    with start() as server:
        full()
        assert make_sender(server, "refused").status_code == 503
        assert control(server, "POST", "workspaces", json={"name": "mine"}).status_code == 503
        trouble.failing = ()
        assert control(server, "GET", "workspaces/mine").status_code == 404
        assert control(server, "POST", "workspaces", json={"name": "mine"}).status_code == 201
        assert make_sender(server, "kept").status_code == 201
        assert senders(server) & {"refused", "kept"} == {"kept"}
    with start() as later:
        assert senders(later) & {"refused", "kept"} == {"kept"}


def test_while_nothing_can_be_kept_the_control_api_can_be_looked_at_and_readyz_says_why(server, trouble, full, caplog):
    full()
    assert make_sender(server).status_code == 503
    for path in ("health", "livez", "metrics", "requests", "workspaces"):
        assert control(server, "GET", path).status_code == 200, path
    readiness = control(server, "GET", "readyz")
    assert (readiness.status_code, readiness.json()["detail"]) == (503, WHY)
    assert control(server, "GET", "health").json()["kept"]["last_error"] == WHY
    trouble.failing = ()
    assert make_sender(server).status_code == 201
    assert control(server, "GET", "readyz").status_code == 200
    told = [row.message.partition(":")[0] for row in caplog.records]
    assert told == ["the store cannot be used", "the store can be used again"]


def test_a_stream_begins_without_waiting_for_its_end(server):
    with httpx.stream("GET", f"{server.url}/_mock/stream", timeout=30) as answer:
        assert answer.status_code == 200
        make_sender(server)
        assert next(answer.iter_lines())


def test_a_request_that_waits_is_answered_when_what_it_waits_for_has_happened(server):
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(control, server, "GET", "requests", params={"wait": 30, "operation": "getAccount"})
        httpx.get(f"{server.url}/v3/account", headers=KEY)
        assert len(waiting.result().json()["items"]) == 1


def test_a_mail_that_could_not_be_kept_is_not_taken(start, full):
    with start(smtp_in="127.0.0.1:0") as server:
        host, _, port = control(server, "GET", "health").json()["smtp_in"]["address"].rpartition(":")
        with smtplib.SMTP(host, int(port)) as client:
            assert client.sendmail("a@acme.com", ["b@acme.com"], "Subject: kept\r\n\r\n") == {}
            full()
            with pytest.raises(smtplib.SMTPDataError, match="could not be saved"):
                client.sendmail("a@acme.com", ["b@acme.com"], "Subject: not kept\r\n\r\n")


def test_what_one_server_answers_one_beside_it_knows_and_goes_on_with(redis_server):
    with MockServer(store=redis_server.url()) as one:
        with MockServer(store=redis_server.url()) as other:
            assert [make_sender(server, name).status_code for server, name in ((one, "a"), (other, "b"))] == [201, 201]
            assert senders(other) >= {"a", "b"}
        assert senders(one) >= {"a", "b"}


def test_a_start_that_fails_lets_go_of_the_file(store):
    with MockServer() as other:
        taken = int(other.url.rpartition(":")[2])
        with pytest.raises(OSError, match=str(taken)), MockServer(store=f"sqlite:{store}", port=taken):
            pass
    with MockServer(store=f"sqlite:{store}") as server:
        assert make_sender(server).status_code == 201


def test_an_application_that_nobody_closes_keeps_all_when_it_is_gone(store):
    settings = Settings(store=f"sqlite:{store}")
    client = create_app(settings).test_client()
    assert client.post("/v3/senders", headers=KEY, json={"name": "a", "email": "a@acme.com"}).status_code == 201
    del client
    gc.collect()  # an application refers to itself
    found = create_app(settings).test_client().get("/v3/senders", headers=KEY).json["senders"]
    assert "a" in {row["name"] for row in found}

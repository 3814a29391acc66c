"""Answering now: a request that a fault holds is let go, and its client gets the answer."""

from __future__ import annotations

import contextlib
import gc
import json
import threading
import time

import pytest
import requests

from mockserver.core.waiting import ANYTHING, Watchers
from mockserver.web.server.wire import Transmission

KEY = {"api-key": "master-key"}
#: Longer than a test may take: what is not let go fails.
LATE_MS = 60_000
#: How long a client waits before it gives up, in seconds.
PATIENCE = 20
HOLDING = [f"latency; ms={LATE_MS}", f"slow_body; ms={LATE_MS}", "hang", f"hang; ms={LATE_MS}"]


class Client(threading.Thread):
    """Sends one request, and keeps its answer or the error in its place."""

    def __init__(self, root, fault, method="GET", path="/v3/account", timeout=PATIENCE, **options):
        super().__init__(daemon=True)
        self.result = None
        headers = {**KEY, "X-Mock-Fault": fault, **options.pop("headers", {})}
        self._send = lambda: requests.request(method, root + path, headers=headers, timeout=timeout, **options)
        self.start()

    def run(self):
        try:
            self.result = self._send()
        except requests.RequestException as error:
            self.result = error

    @property
    def answer(self):
        self.join(PATIENCE)
        assert isinstance(self.result, requests.Response), self.result
        return self.result


class Mock:
    """A server, by its control API."""

    def __init__(self, root):
        self.root = root

    def call(self, method, path, **options):
        return requests.request(method, f"{self.root}/_mock{path}", timeout=PATIENCE, **options)

    def held(self):
        """The request that is held, as soon as there is one."""
        (found,) = self.call("GET", f"/requests?held=true&wait={PATIENCE}").json()["items"]
        return found

    def answer(self, request):
        return self.call("POST", f"/requests/{request['id']}/answer")


@pytest.fixture
def mock(serve, scenario):
    return Mock(serve(scenario))


@pytest.mark.parametrize("fault", HOLDING)
def test_a_client_gets_the_real_answer(mock, fault):
    client = Client(mock.root, fault)

    said = mock.answer(mock.held())

    assert (said.status_code, said.json()["held"], said.json()["status"]) == (200, False, 200)
    assert client.answer.json()["email"] == said.json()["answer"]["body"]["email"]


def test_a_hang_does_its_work_when_it_is_let_go(mock):
    client = Client(mock.root, "hang", "POST", "/v3/senders", json={"name": "New", "email": "new@acme.test"})
    held = mock.held()
    assert (held["status"], held["transitions"]) == (None, [])

    mock.answer(held)

    request = mock.call("GET", f"/requests/{held['id']}").json()
    assert client.answer.status_code == request["status"] == 201
    assert client.answer.headers["sib-request-id"] == held["id"]
    assert [change["event"] for change in request["transitions"]] == ["create"]
    assert request["reason"] is None


def test_a_hang_that_is_let_go_is_refused_as_the_service_would(mock):
    client = Client(mock.root, "hang", "POST", "/v3/senders", json={"name": "New"})

    said = mock.answer(mock.held()).json()

    assert client.answer.status_code == said["status"] == 400
    assert said["reason"]


def test_hanging_request_is_executed_on_release(mock):
    Client(mock.root, "hang", "POST", "/v3/senders", json={"name": "New", "email": "new@acme.test"})
    held = mock.held()
    mock.call("POST", "/clock/advance", json={"by": "PT1H"})

    (change,) = mock.answer(held).json()["transitions"]

    assert (held["at"][:16], change["at"][:16]) == ("2026-01-15T09:00", "2026-01-15T10:00")


def test_a_request_that_is_let_go_counts_once(mock):
    Client(mock.root, "hang")
    mock.answer(mock.held())

    coverage = mock.call("GET", "/coverage").json()["operations"]["getAccount"]
    assert (coverage["calls"], coverage["statuses"]) == (1, {"200": 1})
    assert mock.call("GET", "/requests").json()["count"] == 1


def test_a_request_that_hangs_is_counted_by_the_rate_limit_once(mock):
    hung = Client(mock.root, "hang")
    mock.answer(mock.held())

    after = requests.get(f"{mock.root}/v3/account", headers=KEY, timeout=PATIENCE)

    left = [int(answer.headers["x-sib-ratelimit-remaining"]) for answer in (hung.answer, after)]
    assert left[0] - left[1] == 1


class Watched(Watchers):
    """Says when somebody begins to wait."""

    def __init__(self):
        super().__init__()
        self.begun = threading.Event()

    def add(self, wake, kinds=ANYTHING):
        super().add(wake, kinds)
        self.begun.set()


def test_client_waiting_for_a_status_sees_a_released_request(api, serve_app):
    mock = Mock(serve_app(api.app))
    Client(mock.root, "hang")
    held, found = mock.held(), []
    api.workspace.watchers = watchers = Watched()
    waiting = threading.Thread(
        target=lambda: found.append(mock.call("GET", f"/requests?status=200&wait={PATIENCE}").json()["items"])
    )
    waiting.start()
    assert watchers.begun.wait(PATIENCE)

    mock.answer(held)
    waiting.join(PATIENCE)

    assert [row["id"] for row in found[0]] == [held["id"]]


def test_a_large_body_is_run_again_whole(mock):
    document = {"name": "New", "email": "new@acme.test", "ips": [], "padding": "x" * 100_000}
    client = Client(mock.root, "hang", "POST", "/v3/senders", json=document)

    mock.answer(mock.held())

    assert client.answer.status_code == 201


def test_a_body_that_was_too_large_to_keep_cannot_be_run_again(serve, scenario):
    mock = Mock(serve(scenario, journal_bytes_limit=40_000))
    client = Client(mock.root, "hang; ms=600", "POST", "/v3/senders", json={"name": "x" * 50_000})

    said = mock.answer(mock.held())

    assert (said.status_code, said.json()["detail"]) == (
        409,
        "the request cannot be answered now: its body was too large to keep",
    )
    client.join(PATIENCE)


def test_a_stream_says_that_an_answer_is_held_no_more(mock):
    with requests.get(f"{mock.root}/_mock/stream?kind=answered", stream=True, timeout=PATIENCE) as stream:
        lines = stream.iter_lines()
        Client(mock.root, "hang")
        held = mock.held()
        mock.answer(held)
        data = next(line for line in lines if line.startswith(b"data: "))

    event = json.loads(data[6:])
    assert (event["id"], event["status"], event["held"]) == (held["id"], 200, False)


# ---------------------------------------------------------------------- what cannot be let go


def test_a_request_that_nobody_holds_is_a_conflict(mock):
    requests.get(f"{mock.root}/v3/account", headers=KEY, timeout=PATIENCE)
    (request,) = mock.call("GET", "/requests").json()["items"]

    assert mock.answer(request).status_code == 409


def test_held_request_is_released_once(mock):
    client = Client(mock.root, "hang")
    held = mock.held()

    assert [mock.answer(held).status_code, mock.answer(held).status_code] == [200, 409]
    assert client.answer.status_code == 200


def test_release_of_an_unknown_request_is_404(mock):
    assert mock.answer({"id": "unknown"}).status_code == 404


@pytest.mark.parametrize("fault", HOLDING)
def test_a_client_that_has_left_is_not_held_any_more(mock, fault):
    Client(mock.root, fault, timeout=0.3)
    held = mock.held()

    (gone,) = mock.call("GET", f"/requests?held=false&wait={PATIENCE}").json()["items"]

    assert gone["id"] == held["id"]
    assert mock.answer(held).status_code == 409


@pytest.mark.parametrize("call", [("POST", "/reset"), ("DELETE", "/requests")])
def test_request_missing_in_the_journal_cannot_be_released(mock, call):
    client = Client(mock.root, "hang; ms=1000")
    held = mock.held()

    mock.call(*call)

    assert mock.call("GET", "/requests?held=true").json()["items"] == []
    assert mock.answer(held).status_code == 404
    client.join(PATIENCE)
    assert isinstance(client.result, requests.ConnectionError)


def test_request_after_its_delay_is_not_held(mock):
    client = Client(mock.root, "latency; ms=300")
    held = mock.held()
    assert client.answer.status_code == 200

    (found,) = mock.call("GET", f"/requests?held=false&wait={PATIENCE}").json()["items"]

    assert found["id"] == held["id"]


@pytest.mark.parametrize("fault", ["latency; ms=1", "slow_body; ms=1", "hang; ms=1"])
def test_the_journal_keeps_nothing_of_a_connection(mock, fault):
    before = transmissions()
    for _ in range(3):
        Client(mock.root, fault).join(PATIENCE)
    # A client whose connection is reset knows it before the server has written that down.
    assert eventually(lambda: len(mock.call("GET", "/requests?held=false").json()["items"]) == 3)

    assert eventually(lambda: len(transmissions()) <= len(before))


def eventually(is_so):
    """Whether something is so before long."""
    deadline = time.monotonic() + PATIENCE
    while not (found := is_so()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def transmissions():
    gc.collect()
    return [found for found in gc.get_objects() if type(found) is Transmission]


# ---------------------------------------------------------------------- an ordinary WSGI server


def held_by(api):
    """The id of the request that is held, as soon as there is one."""
    return api.get(f"/_mock/requests?held=true&wait={PATIENCE}").json["items"][0]["id"]


@pytest.mark.parametrize("fault", [f"latency; ms={LATE_MS}", f"slow_body; ms={LATE_MS}"])
def test_an_ordinary_server_lets_go_what_is_late(api, fault):
    began, found = time.monotonic(), []
    thread = threading.Thread(
        target=lambda: found.append(api.get("/v3/account", headers={"X-Mock-Fault": fault}).status_code)
    )
    thread.start()

    assert api.post(f"/_mock/requests/{held_by(api)}/answer").json["held"] is False
    thread.join(PATIENCE)
    assert found == [200]
    assert time.monotonic() - began < PATIENCE


def test_an_ordinary_server_runs_no_request_again(api):
    def ask():
        with contextlib.suppress(ConnectionResetError):
            api.get("/v3/account", headers={"X-Mock-Fault": "hang; ms=500"})

    thread = threading.Thread(target=ask)
    thread.start()

    answer = api.post(f"/_mock/requests/{held_by(api)}/answer")

    thread.join(PATIENCE)
    assert (answer.status_code, answer.json["detail"]) == (
        409,
        "the request cannot be answered now: a WSGI server cannot run a request a second time",
    )

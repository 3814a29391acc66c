"""What happens in a workspace, as server-sent events."""

import contextlib
import itertools
import json
import socket
import threading
import time
from types import SimpleNamespace

import pytest
import requests

from mockserver.app.runtime import Runtime
from mockserver.control.traffic import stream
from mockserver.core.waiting import Watchers
from mockserver.web.server.server import bind


class Live:
    """A server on a socket, and the application behind it."""

    def __init__(self, api):
        self.api = api
        self.workspace = api.workspace
        listener = bind("127.0.0.1", 0)
        # Nothing much is on its way, so that one who does not read is seen soon.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
        self._runtime = Runtime(api.app, listener)
        self._runtime.start()
        self.root = self._runtime.url
        self.http = requests.Session()
        self.http.trust_env = False

    def stop(self):
        self._runtime.stop()
        return not self._runtime.is_running

    def call(self, method, path, **options):
        options["headers"] = {"api-key": "any", "connection": "close"} | options.get("headers", {})
        if path.startswith("/_mock"):
            del options["headers"]["api-key"]
        return self.http.request(method, self.root + path, timeout=10, **options)

    def sender(self, name, **options):
        return self.call("POST", "/v3/senders", json={"name": name, "email": f"{name}@acme.test"}, **options)

    @contextlib.contextmanager
    def events(self, path="/_mock/stream", **options):
        """The events of a stream that is open."""
        with requests.get(self.root + path, stream=True, timeout=10, **options) as answer:
            assert answer.status_code == 200, answer.text
            lines = answer.iter_lines(chunk_size=None)
            assert next(lines).startswith(b"id: ")
            assert next(lines) == b""
            yield Events(lines)

    @contextlib.contextmanager
    def connected(self, path="/_mock/stream"):
        """A connection on which a stream was asked for and has begun."""
        port = int(self.root.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            received = b""
            while b"id: " not in received:
                received += connection.recv(4096)
            yield connection


class Events:
    """The events that come out of lines, one after the other."""

    def __init__(self, lines):
        self._lines = lines

    def next(self):
        fields = {}
        for line in self._lines:
            if not line:
                break
            name, _, value = line.decode().partition(": ")
            fields[name or "comment"] = value
        else:
            return None
        data = json.loads(fields["data"]) if "data" in fields else None
        number = int(fields["id"]) if "id" in fields else None
        return SimpleNamespace(id=number, kind=fields.get("event"), data=data, comment=fields.get("comment"))

    def next_with_data(self):
        while (event := self.next()).data is None:
            pass
        return event

    def take(self, count):
        return [self.next() for _ in range(count)]


class Watched(Watchers):
    """Those who look at a workspace; says when all have left."""

    def __init__(self):
        super().__init__()
        self.nobody = threading.Event()

    def discard(self, wake):
        super().discard(wake)
        if not self:
            self.nobody.set()


@pytest.fixture
def make_live(make_api):
    running = []

    def make(scenario="empty", **settings):
        running.append(Live(make_api(scenario, **settings)))
        return running[-1]

    yield make
    for live in running:
        assert live.stop()
        live.http.close()


@pytest.fixture
def live(make_live):
    return make_live()


def test_a_request_comes_with_what_it_did_as_the_journal_mailbox_and_machines_show_it(live):
    with live.events() as events:
        live.sender("jo")
        transition, mail, request = events.take(3)

    entry = live.call("GET", "/_mock/requests").json()["items"][0]
    assert [transition.kind, mail.kind, request.kind] == ["transition", "mail", "request"]
    assert request.data == entry
    assert transition.data == entry["transitions"][0]
    assert mail.data == live.call("GET", "/_mock/mailbox").json()["items"][0]
    assert [transition.id, mail.id, request.id] == [request.id - 2, request.id - 1, live.workspace.feed.last]


@pytest.fixture
def hooked(live):
    """The same at a standstill, with a webhook that leads to the mock's own receiver, which fails once."""
    hook = {"id": 7, "url": f"{live.root}/_mock/receiver/mine", "events": ["delivered"]}
    assert live.call("PUT", "/_mock/clock", json={"frozen": True}).ok
    assert live.call("POST", "/_mock/seed", json={"webhooks": [hook]}).ok
    assert live.call("PUT", "/_mock/receivers/mine", json={"status": 429, "times": 1}).ok
    return live


def trigger(live, **members):
    assert live.call("POST", "/_mock/trigger", json={"event": "delivered", **members}).ok


def test_an_attempt_that_is_over_comes_with_its_delivery_as_that_is_then(hooked):
    with hooked.events("/_mock/stream?kind=delivery,transition") as events:
        trigger(hooked)
        begun, failed, first = events.take(3)
        shown = hooked.call("GET", "/_mock/deliveries/1").json()
        hooked.call("POST", "/_mock/clock/advance", json={"by": "PT10M"})
        succeeded, second = events.take(2)

    assert [begun.data["event"], failed.data["event"], succeeded.data["event"]] == ["schedule", "fail", "succeed"]
    assert [first.kind, second.kind] == ["delivery", "delivery"]
    assert first.data == shown
    assert (shown["state"], [attempt["status"] for attempt in shown["attempts"]]) == ("retrying", [429])
    assert second.data == hooked.call("GET", "/_mock/deliveries/1").json()
    assert [attempt["status"] for attempt in second.data["attempts"]] == [429, 200]


def test_replayed_delivery_event_is_unchanged_after_later_attempts(hooked):
    with hooked.events("/_mock/stream?kind=delivery") as events:
        trigger(hooked)
        first = events.next()
    hooked.call("POST", "/_mock/clock/advance", json={"by": "PT10M"})

    with hooked.events("/_mock/stream?kind=delivery&replay=true") as events:
        again, second = events.take(2)

    assert (again.id, again.data) == (first.id, first.data)
    assert second.data["state"] == "delivered"


def test_big_payloads_leave_the_feed_early(hooked):
    with hooked.events("/_mock/stream?kind=delivery") as events:
        for number in range(6):
            trigger(hooked, payload={"filler": f"{number}" * 1_000_000})
            assert events.next().kind == "delivery"

    assert hooked.workspace.feed.lost(0) > 0


def test_stream_redacts_secrets_of_a_request(live):
    with live.events("/_mock/stream?kind=request") as events:
        live.call("GET", "/v3/senders?token=secret-one", headers={"api-key": "secret-two"})

        assert "secret" not in json.dumps(events.next().data)


@pytest.mark.parametrize(("query", "first"), [("", "new"), ("&replay=true", "old")])
def test_stream_begins_with_the_present_or_with_what_is_still_known(live, query, first):
    live.sender("old")

    with live.events(f"/_mock/stream?kind=mail{query}") as events:
        live.sender("new")

        assert events.next().data["to"] == f"{first}@acme.test"


def test_each_event_is_put_into_words_once_for_all_who_look_on(live, monkeypatch):
    asked = []
    told = {**stream._VIEWS, "mail": lambda mail, _: asked.append(mail.to) or {"to": mail.to}}  # noqa: SLF001  # the words
    monkeypatch.setattr(stream, "_VIEWS", told)
    with contextlib.ExitStack() as stack:
        watching = [stack.enter_context(live.events("/_mock/stream?kind=mail")) for _ in range(5)]
        live.sender("a")

        assert {events.next().data["to"] for events in watching} == {"a@acme.test"}

    assert asked == ["a@acme.test"]


@pytest.mark.parametrize("form", ["header", "query"])
def test_a_stream_goes_on_after_the_last_event_that_was_seen(live, form):
    with live.events("/_mock/stream?kind=request") as events:
        live.sender("a")
        seen = events.next().id
    live.sender("b")

    path = "/_mock/stream?kind=request"
    how = {"headers": {"Last-Event-ID": str(seen)}} if form == "header" else {}
    with live.events(path if how else f"{path}&last_event_id={seen}", **how) as events:
        assert events.next().data["request"]["body"]["name"] == "b"


def test_a_stream_tells_how_many_events_were_lost(live):
    for _ in range(1_002):
        live.workspace.feed.add("reset", None)

    with live.events(headers={"Last-Event-ID": "1"}) as events:
        lost, first = events.take(2)
    with live.events("/_mock/stream?every=60", headers={"Last-Event-ID": "1"}) as events:
        news = events.next()

    assert (lost.kind, lost.id, lost.data, first.id) == ("lost", 2, {"count": 1}, 3)
    assert news.data == {"reset": 1_000, "lost": 1}


@pytest.mark.parametrize("number", ["0", "4711"], ids=["of this server", "of an earlier server"])
def test_stream_begins_with_the_first_known_event_after_another_number(live, number):
    live.sender("a")

    with live.events(headers={"Last-Event-ID": number}) as events:
        assert events.next().id == 1


def test_big_bodies_leave_the_feed_early(live):
    """Bounded by bytes as the journal is."""
    for number in range(6):
        live.call("POST", "/v3/senders", json={"name": f"{number}" * 1_000_000, "email": "x"})

    with live.events("/_mock/stream?replay=true") as events:
        assert (events.next().kind, live.workspace.feed.lost(0) > 0) == ("lost", True)


def test_stream_reports_due_timers_without_any_request(make_live):
    """On a clock that runs, a sign of life looks at what is due as well."""
    live = make_live({"behaviour": {"otp_lifetime": "PT0.2S"}, "accounts": [{"name": "acme"}]})
    with live.events("/_mock/stream?heartbeat=0.05&kind=transition") as events:
        live.sender("a")

        assert [events.next_with_data().data["event"] for _ in range(2)] == ["create", "expire_otp"]


def test_a_stream_goes_on_over_resets(live):
    with live.events("/_mock/stream?kind=reset,mail") as events:
        live.call("POST", "/_mock/reset")
        live.sender("a")
        live.call("POST", "/_mock/reset", json={"scenario": "standard"})
        live.sender("b")

        found = events.take(4)

    assert [event.kind for event in found] == ["reset", "mail", "reset", "mail"]
    assert [event.id for event in found] == sorted(event.id for event in found)


@pytest.mark.parametrize("query", ["", "?every=60"])
def test_stream_ends_at_once_with_its_workspace(live, query):
    live.call("POST", "/_mock/workspaces", json={"name": "mine"})

    with live.events(f"/w/mine/_mock/stream{query}") as events:
        live.call("DELETE", "/_mock/workspaces/mine")

        assert events.next() is None


@pytest.mark.parametrize("again", [False, True], ids=["gone", "made again"])
def test_stream_of_an_ordinary_server_ends_with_its_workspace(api, again):
    api.post("/_mock/workspaces", json={"name": "mine"})
    chunks = iter(api.client.get("/w/mine/_mock/stream?heartbeat=0.05").response)
    next(chunks)

    api.delete("/_mock/workspaces/mine")
    if again:
        api.post("/_mock/workspaces", json={"name": "mine"})

    assert list(itertools.islice(chunks, 1)) == []


@pytest.mark.parametrize(
    ("path", "headers"), [("/w/mine/_mock/stream", {}), ("/_mock/stream", {"X-Mock-Workspace": "mine"})]
)
def test_a_stream_tells_of_one_workspace_only(live, path, headers):
    key = live.call("POST", "/_mock/workspaces", json={"name": "mine"}).json()["api_key"]

    with live.events(f"{path}?kind=mail", headers=headers) as events:
        live.sender("other")
        live.sender("own", headers={"api-key": key})

        assert events.next().data["to"] == "own@acme.test"


def test_a_client_that_does_not_read_slows_nobody_and_is_told_what_it_lost(make_live):
    live = make_live(feed_limit=50)
    path = "/_mock/stream?kind=request"
    with live.connected(path) as stuck, live.events(path) as events:
        for number in range(200):
            live.call("GET", f"/v3/senders?n={number}&filler={'x' * 2_000}", headers={"connection": "keep-alive"})
            assert events.next().data["query"]["n"] == str(number)

        received = b""
        while b"event: lost" not in received:
            received += stuck.recv(65536)

    assert b'"n":"0"' in received


def test_a_server_with_open_streams_stops_at_once(make_api):
    live = Live(make_api("empty"))
    with live.connected(), live.connected("/_mock/stream?replay=true"):
        begun = time.monotonic()

        assert live.stop()
        assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("query", "told"), [("kind=mail", b"event: mail\n"), ("kind=mail&every=0.1", b'event: news\ndata: {"mail":1}\n')]
)
def test_an_ordinary_server_streams_events_and_news_from_its_thread(api, query, told):
    answer = api.client.get(f"/_mock/stream?heartbeat=0.05&{query}")
    chunks = iter(answer.response)

    assert next(chunks).startswith(b"id: ")
    assert next(chunks) == b": nothing has happened\n\n"
    api.post("/v3/senders", json={"name": "a", "email": "a@acme.test"})
    assert told in next(chunks)
    assert len(api.workspace.watchers) == 1
    answer.close()
    assert len(api.workspace.watchers) == 0


def test_a_stream_of_an_ordinary_server_announces_no_length(api):
    with contextlib.closing(api.client.get("/_mock/stream")) as answer:
        assert "Content-Length" not in answer.headers


def test_head_request_gets_the_headers_of_a_stream(live):
    answer = live.call("HEAD", "/_mock/stream")

    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")


# ---------------------------------------------------------------- how much has happened, every so often


@contextlib.contextmanager
def paced(live, query="every=0.2", **options):
    """The events of a stream that tells only how much has happened, once the pause after its beginning is over."""
    with live.events(f"/_mock/stream?heartbeat=0.05&{query}", **options) as events:
        assert events.next().comment == "nothing has happened"
        yield events


def test_news_are_how_many_of_each_kind_have_happened(live):
    with paced(live) as events:
        live.call("GET", "/v3/senders")
        event = events.next_with_data()

    assert (event.kind, event.id, event.data) == ("news", live.workspace.feed.last, {"request": 1})


def test_news_come_no_more_often_than_asked_for_and_miss_nothing(live):
    with paced(live, "every=0.5&kind=request") as events:
        live.call("GET", "/v3/senders")
        first, begun = events.next_with_data(), time.monotonic()
        for _ in range(5):
            live.call("GET", "/v3/senders")
        second = events.next_with_data()

    assert (first.data, second.data) == ({"request": 1}, {"request": 5})
    assert time.monotonic() - begun > 0.4


def test_counting_stream_is_idle_between_two_news(live, monkeypatch):
    pulls, pull = [], stream.Counting.pull
    monkeypatch.setattr(stream.Counting, "pull", lambda self, **how: pulls.append(1) or pull(self, **how))
    with live.events("/_mock/stream?every=60"):
        for _ in range(20):
            live.call("GET", "/v3/senders")

    assert len(pulls) == 1


@pytest.mark.parametrize("query", ["every=60", "every=60&kind=reset"])
def test_reset_is_streamed_without_delay(live, query):
    with live.events(f"/_mock/stream?{query}") as events:
        live.call("POST", "/_mock/reset")

        assert events.next().data["reset"] == 1


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/_mock/clock", {"frozen": True}), ("POST", "/_mock/faults", {"fault": "server_error"}),
        ("PUT", "/_mock/dns/a.test", {"dkim_record": "ok"}), ("PUT", "/_mock/receivers/a", {"status": 500}),
        ("POST", "/_mock/snapshots", {"name": "a"}),
    ],
)  # fmt: skip
def test_control_calls_that_change_something_are_news(live, method, path, body):
    with paced(live) as events:
        assert live.call(method, path, json=body).ok

        assert events.next_with_data().data["control"] == 1


def test_control_calls_that_read_or_are_refused_are_no_news(live):
    with paced(live) as events:
        live.call("GET", "/_mock/clock")
        live.call("PUT", "/_mock/clock", json={"frozen": 7})
        live.call("GET", "/v3/senders")

        assert events.next_with_data().data == {"request": 1}


def test_news_count_the_wanted_kinds_only(live):
    with paced(live, "every=0.2&kind=mail") as events:
        live.sender("a")

        assert events.next_with_data().data == {"mail": 1}


def test_news_continue_after_the_last_event_id(live):
    live.call("GET", "/v3/senders")
    live.call("GET", "/v3/senders")

    with live.events("/_mock/stream?every=60", headers={"Last-Event-ID": "1"}) as events:
        event = events.next()

    assert (event.id, event.data) == (2, {"request": 1})


@pytest.mark.parametrize("query", ["", "?every=1"])
def test_a_hundred_pages_opened_and_closed_leave_nobody_behind(live, query):
    live.workspace.watchers = watchers = Watched()
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(live.connected(f"/_mock/stream{query}"))
        assert len(watchers) == 100
        live.call("GET", "/v3/senders")

    assert watchers.nobody.wait(10)


BAD_QUERIES = [
    "heartbeat=0", "heartbeat=61", "kind=", "kind=mail,post", "last_event_id=-1", "every=0.05", "every=61", "replay=2",
    "colour=red",
]  # fmt: skip


def test_bad_query_header_or_workspace_is_a_problem(api):
    for query in BAD_QUERIES:
        assert api.get(f"/_mock/stream?{query}").status_code == 400, query
    for number in ("x", "-1", "9" * 20):
        assert api.get("/_mock/stream", headers={"Last-Event-ID": number}).status_code == 400, number
    assert api.get("/w/nowhere/_mock/stream").status_code == 404

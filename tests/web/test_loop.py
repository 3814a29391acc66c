"""Requests that take long or wait for a workspace are run in threads; the event loop answers all others meanwhile."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from event_loop import leaves
from load_balancer import until
from random_user import STORY
from stepped import held_elsewhere

from mockserver.core.traffic.match import Match
from mockserver.web.server.loop import LARGE_SWEEP, LARGE_TABLE

# ---------------------------------------------------------------------- a whole server


class Gate:
    """Blocks every thread that makes a workspace, until the gate is opened."""

    def __init__(self, load):
        self._load = load
        self.reached, self.opened = threading.Event(), threading.Event()
        self.is_shut = False

    def __call__(self, *arguments, **options):
        if self.is_shut:
            self.reached.set()
            assert self.opened.wait(20)
        return self._load(*arguments, **options)


class Live:
    def __init__(self, api, root, pool):
        self.api, self.root, self._pool = api, root, pool
        self.gate = api.store.maker.load = Gate(api.store.maker.load)  # where all workspaces are made

    def ask(self, method, path, key="any", **options):
        headers = {"connection": "close"} | ({} if path.startswith("/_mock") else {"api-key": key})
        headers |= options.pop("headers", {})
        return requests.request(method, self.root + path, headers=headers, timeout=20, **options)

    def later(self, *arguments, **options):
        return self._pool.submit(self.ask, *arguments, **options)

    def held(self, workspace):
        """Let a step have a workspace for long."""
        return held_elsewhere(self.api.app.store.storage, workspace)


@pytest.fixture
def go_live(make_api, serve_app):
    with ThreadPoolExecutor(8) as pool:

        def start(*arguments, **settings):
            api = make_api(*arguments, **settings)
            return Live(api, serve_app(api.app), pool)

        yield start


@pytest.fixture
def live(go_live):
    return go_live("empty")


def names(answer):
    return [row["name"] for row in answer.json().get("senders", ())]


MINE = {"accounts": [{"name": "mine", "senders": [{"name": "Mine", "email": "a@b.test"}]}]}
MAKERS = {
    "a state": ("PUT", "/_mock/state", MINE),
    "a reset": ("POST", "/_mock/reset", {"scenario": MINE}),
    "a workspace": ("POST", "/_mock/workspaces", {"name": "w", "scenario": MINE}),
}


@pytest.mark.parametrize(("method", "path", "body"), MAKERS.values(), ids=MAKERS)
def test_while_a_workspace_is_made_requests_to_all_others_are_answered(live, method, path, body):
    live.gate.is_shut = True
    making = live.later(method, path, json=body)
    assert live.gate.reached.wait(20)

    assert live.ask("GET", "/_mock/livez").status_code == 200
    assert names(live.ask("GET", "/v3/senders")) == []

    live.gate.opened.set()
    assert making.result().ok
    place = "/w/w" if path == "/_mock/workspaces" else ""
    assert names(live.ask("GET", f"{place}/v3/senders", key=making.result().json()["api_key"])) == ["Mine"]


def test_while_a_large_workspace_is_made_for_an_unknown_key_other_requests_are_answered(go_live):
    live = go_live("large", keys="isolate")
    live.gate.is_shut = True
    making = live.later("GET", "/v3/account", key="new")
    assert live.gate.reached.wait(20)

    assert live.ask("GET", "/_mock/livez").json()["workspaces"] == 1

    live.gate.opened.set()
    assert making.result().status_code == 200
    assert live.ask("GET", "/_mock/livez").json()["workspaces"] == 2


@pytest.mark.parametrize("path", ["/v3/senders", "/_mock/requests", "/_mock/stream?heartbeat=0.05", "/_mock/clock"])
def test_a_request_that_waits_for_a_workspace_delays_no_request_to_another_workspace(live, path):
    other = live.ask("POST", "/_mock/workspaces", json={}).json()
    with live.held(live.api.workspace):
        waiting = live.later("GET", path, stream=True)

        assert live.ask("GET", "/_mock/livez").status_code == 200
        assert live.ask("GET", "/v3/account", key=other["api_key"]).status_code == 200
        assert live.ask("GET", "/_mock/workspaces").json()["count"] == 2
        assert not waiting.done()

    with waiting.result() as answer:
        assert answer.status_code == 200


def test_a_stream_that_waits_for_a_workspace_delays_no_request_to_another_workspace(live):
    with live.ask("GET", "/_mock/stream?heartbeat=0.05", stream=True) as answer:
        lines = answer.iter_lines(chunk_size=None)
        assert next(lines).startswith(b"id: ")
        with live.held(live.api.workspace):
            assert [live.ask("GET", "/_mock/livez").status_code for _ in range(3)] == [200] * 3
        live.ask("POST", "/_mock/reset")

        assert any(line == b"event: reset" for line in lines)


def test_a_change_that_ends_while_another_state_is_made_is_replaced_by_it(live):
    """The new state is put in place at the end, so that the two changes come one after the other."""
    live.gate.is_shut = True
    replacing = live.later("PUT", "/_mock/state", json=MINE)
    assert live.gate.reached.wait(20)
    adding = live.ask("POST", "/_mock/seed", json={"senders": [{"name": "Added", "email": "c@d.test"}]})
    assert names(live.ask("GET", "/v3/senders")) == ["Added"]
    live.gate.opened.set()

    assert (replacing.result().status_code, adding.status_code) == (200, 200)
    assert names(live.ask("GET", "/v3/senders")) == ["Mine"]


@pytest.mark.parametrize("body", [MINE, {}], ids=["with keys of its scenario", "without"])
@pytest.mark.parametrize("is_named", [True, False], ids=["by address", "by key"])
def test_while_another_state_is_made_requests_to_the_workspace_are_answered(live, body, is_named):
    made = live.ask("POST", "/_mock/workspaces", json={"name": "w"}).json()
    live.gate.is_shut = True
    place, headers = ("/w/w", {}) if is_named else ("", {"api-key": made["api_key"]})
    replacing = live.later("PUT", f"{place}/_mock/state", json=body, headers=headers)
    assert live.gate.reached.wait(20)

    assert live.ask("GET", "/v3/account", key=made["api_key"]).status_code == 200
    assert not replacing.done()
    live.gate.opened.set()

    assert (replacing.result().status_code, replacing.result().json()["name"]) == (200, "w")


def test_the_call_of_an_unknown_key_replaces_the_state_of_the_default_workspace_and_lets_others_use_it(live):
    live.gate.is_shut = True
    replacing = live.later("PUT", "/_mock/state", json=MINE, headers={"api-key": "unknown"})
    assert live.gate.reached.wait(20)

    assert names(live.ask("GET", "/v3/senders")) == []
    live.gate.opened.set()

    assert replacing.result().json()["name"] == "default"
    assert names(live.ask("GET", "/v3/senders")) == ["Mine"]


@pytest.mark.parametrize("call", ["state", "reset"])
def test_a_key_that_was_drawn_while_another_state_is_made_stays_a_key_of_the_workspace(live, call):
    """A later document may name it, and its clients go on."""
    made = live.ask("POST", "/_mock/workspaces", json={"name": "w", "scenario": STORY}).json()
    live.gate.is_shut = True
    replacing = live.later({"state": "PUT", "reset": "POST"}[call], f"/w/w/_mock/{call}", json={})
    assert live.gate.reached.wait(20)
    wanted = {"id": 1000002, "name": "CI"}
    drawn = live.ask("POST", "/v3/corporate/subAccount/key", key=made["api_key"], json=wanted).json()["key"]
    state = live.ask("GET", "/w/w/_mock/state").json()
    live.gate.opened.set()
    replacing.result()

    assert live.ask("GET", "/v3/account", key=drawn).status_code == 401
    assert live.ask("PUT", "/w/w/_mock/state", json=state).status_code == 200
    assert live.ask("GET", "/v3/account", key=drawn).status_code == 200


def test_a_workspace_that_is_dropped_while_another_state_is_made_for_it_stays_gone(live):
    live.ask("POST", "/_mock/workspaces", json={"name": "w"})
    live.gate.is_shut = True
    replacing = live.later("PUT", "/w/w/_mock/state", json=MINE)
    assert live.gate.reached.wait(20)

    assert live.ask("DELETE", "/_mock/workspaces/w").status_code == 204
    live.gate.opened.set()

    replacing.result()
    assert live.ask("GET", "/w/w/_mock/clock").status_code == 404


def test_a_workspace_in_which_something_happens_is_not_evicted(go_live):
    live = go_live("empty", workspaces_limit=3)
    for name in ("busy", "idle"):
        live.ask("POST", "/_mock/workspaces", json={"name": name})
    with live.held(live.api.store.peek("busy")):
        live.ask("GET", "/w/idle/_mock/clock")  # so that the busy one was used longest ago

        assert live.ask("POST", "/_mock/workspaces", json={"name": "new"}).status_code == 201

    assert {row["name"] for row in live.ask("GET", "/_mock/workspaces").json()["items"]} == {"default", "busy", "new"}


def test_an_event_that_takes_long_to_write_is_streamed(live):
    with live.ask("GET", "/_mock/stream?kind=request", stream=True) as answer:
        lines = answer.iter_lines(chunk_size=None)
        live.ask("POST", "/v3/senders", json={"name": "x" * 500_000, "email": "a@b.test"})
        data = next(line for line in lines if line.startswith(b"data: "))

    assert len(json.loads(data.removeprefix(b"data: "))["request"]["body"]["name"]) == 500_000


# ---------------------------------------------------------------------- what is long by its operation

MANY = LARGE_SWEEP + 1
HOOK = {"url": "http://127.0.0.1:9/x", "type": "marketing", "events": ["delivered"]}


def await_calls(workspace):
    """Wait until no webhook call is under way, and the step that took in the last one is over."""

    def is_idle():
        workspace.open()
        return not workspace.jobs

    until(lambda: workspace.run(is_idle), "all calls are over")


@pytest.mark.parametrize("path", ["/_mock/reset", "/_mock/workspaces"])
def test_a_scenario_that_comes_as_a_text_is_read_in_a_thread(api, path):
    assert leaves(api, "POST", path, json={"yaml": "no: ["})


def workspace_of(count):
    events = [{"date": "-PT1H", "sender": "a@acme.test", "recipient": "b@acme.test"}] * count
    return {"inbound_events": events}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v3/inbound/events?sender=a@acme.test"), ("PUT", "/v3/senders/domains/acme.test/authenticate"),
        ("PUT", "/v3/webhooks/1"), ("DELETE", "/v3/webhooks/1"), ("DELETE", "/v3/senders/domains/acme.test"),
        ("PUT", "/v3/corporate/subAccounts/plan"), ("DELETE", "/v3/smtp/email/1"),
    ],
)  # fmt: skip
def test_a_request_that_goes_through_all_rows_leaves_the_loop_if_there_are_many(make_api, method, path):
    assert leaves(make_api(workspace_of(MANY)), method, path)
    assert not leaves(make_api(workspace_of(3)), method, path)


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ("/_mock/clock/advance", 300_000),
        ("/_mock/machines/export/1/complete", 300_000),
        ("/_mock/machines/export/1/complete", 10),
    ],
)
def test_a_request_that_may_write_an_export_leaves_the_loop_if_there_are_many_calls(make_api, path, size):
    account = {"name": "a", "role": "master", "enterprise": True, "webhooks": [HOOK]}
    api = make_api({"clock": {"frozen": True}, "accounts": [account], "behaviour": {"export": {"after": "P1D"}}})
    call = {"type": "marketing", "event": "delivered", "payload": {"tag": "x" * size}}
    assert api.post("/_mock/trigger", json=call).status_code == 200
    await_calls(api.workspace)
    wanted = {"type": "marketing", "event": "allEvents", "notifyURL": "http://127.0.0.1:9"}
    assert api.post("/v3/webhooks/export", json=wanted).status_code == 202

    body = {"by": "P2D"} if path.endswith("advance") else {}
    assert leaves(api, "POST", path, json=body) == (size > 10)


@pytest.mark.parametrize(("method", "path"), [("GET", "/_mock/state"), ("POST", "/_mock/snapshots")])
@pytest.mark.parametrize("size", [10, 100_000])
def test_a_request_about_a_whole_workspace_leaves_the_loop_if_the_workspace_is_large(make_api, method, path, size):
    calling = make_api({"webhooks": [HOOK]})
    event = {"type": "marketing", "event": "delivered", "payload": {"tag": "x" * size}}
    assert calling.post("/_mock/trigger", json=event).status_code == 200
    await_calls(calling.workspace)

    assert leaves(calling, method, path, json={}) == (size > 10)
    assert leaves(make_api({"description": "x" * size}), method, path, json={}) == (size > 10)


@pytest.mark.parametrize("path", ["/_mock/oauth/apps", "/_mock/oauth/apps/a", "/_mock/state"])
@pytest.mark.parametrize("count", [2, 60])
def test_large_apps_are_written_in_a_thread(api, path, count):
    uris = [f"https://a.test/{number}/{'x' * 1_900}" for number in range(count)]
    assert api.post("/_mock/oauth/apps", json={"client_id": "a", "redirect_uris": uris}).status_code == 201

    assert leaves(api, "GET", path) == (count > 2)


@pytest.mark.parametrize("count", [1, 2])
def test_webhooks_with_large_headers_are_written_in_a_thread(make_api, count):
    headers = [{"key": f"x-{number}", "value": "x" * 8_000} for number in range(7)]
    api = make_api({"webhooks": [{**HOOK, "headers": headers}] * count})

    assert leaves(api, "POST", "/_mock/trigger", json={"type": "marketing", "event": "delivered"}) == (count > 1)


def test_a_request_that_only_adds_a_row_or_gives_a_page_stays_on_the_loop_among_many_rows(make_api):
    api = make_api(workspace_of(MANY))

    assert not leaves(api, "POST", "/v3/senders", json={"name": "A", "email": "a@acme.test"})
    assert not leaves(api, "GET", "/v3/inbound/events")


@pytest.mark.parametrize("count", [3, LARGE_TABLE + 1])
def test_a_page_that_lists_people_leaves_the_loop_if_there_are_many(make_api, count):
    people = [{"email": f"a{number}@acme.test"} for number in range(count)]
    api = make_api({"accounts": [{"name": "a", "users": people}]})

    assert leaves(api, "GET", "/realms/partner/oauth/authorize") == (count > LARGE_TABLE)


def test_a_request_that_waits_for_others_looks_at_each_of_them_once(live, monkeypatch):
    looked, admits = [], Match.admits
    monkeypatch.setattr(Match, "admits", lambda match, one: looked.append(one.id) or admits(match, one))
    for _ in range(10):
        live.ask("GET", "/v3/account")
    waiting = live.later("GET", "/_mock/requests?wait=20&operation=getSenders")
    while not live.api.workspace.watchers:
        time.sleep(0.01)
    for path in ["/v3/account"] * 5 + ["/v3/senders"]:
        live.ask("GET", path)

    assert waiting.result().json()["count"] == 1
    assert len(set(looked)) == len(looked) == 16

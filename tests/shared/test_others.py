"""What is done by one server is seen by all: it makes no difference which of them a client asks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from cluster import PATIENCE_S
from load_balancer import until

from mockserver import MockServer

pytestmark = pytest.mark.slow

#: What names a workspace: the path before an address, and the headers of the request.
WAYS = {
    "its address": lambda made: (f"/w/{made['name']}", {}),
    "its key": lambda made: ("", {"api-key": made["api_key"]}),
    "a header": lambda made: ("", {"X-Mock-Workspace": made["name"]}),
}
SENDER = {"name": "Jo", "email": "jo@acme.test"}
#: Of an app whose users are sent to a callback.
CREDENTIALS, CALLBACK = {"client_id": "app", "client_secret": "s3cret"}, "https://app.test/callback"


@pytest.fixture
def holder(cluster):
    """The server that makes the workspaces of a test."""
    return cluster.servers[0]


@pytest.fixture
def other(cluster):
    """Another one."""
    return cluster.servers[1]


@pytest.fixture
def made(cluster, holder):
    found = cluster.make(server=holder)
    yield found
    cluster.ask("DELETE", f"/_mock/workspaces/{found['name']}")


def ask_all(cluster, path, method="GET", **options):
    """The answers of all servers."""
    return [cluster.ask(method, path, server=server, **options) for server in cluster.servers]


@pytest.mark.parametrize("way", WAYS)
def test_a_workspace_is_found_by_all_that_names_it(cluster, other, made, way):
    prefix, headers = WAYS[way](made)
    headers = {"api-key": made["api_key"], **headers}
    sent = cluster.ask("POST", f"{prefix}/v3/senders", server=other, headers=headers, json=SENDER)
    seen = [answer.json() for answer in ask_all(cluster, f"{prefix}/_mock/requests", headers=headers)]
    assert sent.status_code == 201
    assert seen[0] == seen[1] == seen[2]
    assert [item["path"] for item in seen[0]["items"]] == ["/v3/senders"]


def test_a_workspace_that_is_dropped_is_gone_everywhere(cluster, holder, other):
    made = cluster.make(server=holder)
    address = f"/_mock/workspaces/{made['name']}"
    assert cluster.ask("GET", address, server=other).json()["api_key"] == made["api_key"]
    assert cluster.ask("DELETE", address, server=other).status_code == 204
    assert [answer.status_code for answer in ask_all(cluster, address)] == [404] * 3
    assert [answer.status_code for answer in ask_all(cluster, "/v3/account", key=made["api_key"])] == [401] * 3


def test_all_list_and_count_the_same_workspaces_and_calls(cluster, other, made):
    assert cluster.ask("POST", "/v3/senders", server=other, key=made["api_key"], json=SENDER).status_code == 201
    listed = [answer.json() for answer in ask_all(cluster, "/_mock/workspaces?limit=1000")]
    names = [sorted(row["name"] for row in each["items"]) for each in listed]
    assert names[0] == names[1] == names[2]
    assert made["name"] in names[0]
    assert {answer.json()["workspaces"] for answer in ask_all(cluster, "/_mock/health")} == {listed[0]["count"]}

    assert cluster.ask("DELETE", f"/_mock/workspaces/{made['name']}").status_code == 204
    coverage = [answer.json() for answer in ask_all(cluster, "/_mock/coverage?workspace=*")]
    assert coverage[0]["operations"]["createSender"]["calls"] > 0
    assert coverage[0] == coverage[1] == coverage[2]


def test_servers_share_the_default_workspace(cluster):
    def offsets():
        return [answer.json()["offset_s"] for answer in ask_all(cluster, "/_mock/clock")]

    before = offsets()
    for answer in ask_all(cluster, "/_mock/clock/advance", "POST", json={"by": "PT1H"}):
        assert answer.status_code == 200
    assert [round(now - then) for now, then in zip(offsets(), before, strict=True)] == [3 * 3600] * 3


def test_pages_show_the_workspace(cluster, made):
    for page in ("", "requests", "machines", "clock", "webhooks", "faults"):
        for answer in ask_all(cluster, f"/w/{made['name']}/_mock/ui/{page}"):
            assert answer.status_code == 200
            assert made["name"] in answer.text


def test_the_others_serve_the_workspaces_of_a_stopped_server(cluster, other):
    made = [cluster.make(server=other) for _ in range(4)]
    for each in made:
        assert cluster.create(each, 1, other).status_code == 201
    other.stop()
    for each in made:
        rows = cluster.ask("GET", "/v3/senders", key=each["api_key"]).json()["senders"]
        assert "s1@acme.test" in {row["email"] for row in rows}
    other.start()
    other.wait()


# ------------------------------------------------------------------ what takes its time


def test_a_call_that_waits_hears_of_what_comes_by_another_server(cluster, holder, other, made):
    waiting = f"/w/{made['name']}/_mock/requests?wait=20"
    with ThreadPoolExecutor(1) as pool:
        waited = pool.submit(cluster.ask, "GET", waiting, server=other)
        waiters = f"/w/{made['name']}/_mock/calls"
        until(lambda: cluster.ask("GET", waiters, server=holder).status_code == 200, "the workspace is there")
        assert cluster.create(made, 1, holder).status_code == 201
        assert waited.result().json()["count"] == 1


def test_a_stream_tells_what_comes_by_another_server(cluster, holder, other, made):
    address = f"{other.url}/w/{made['name']}/_mock/stream"
    with requests.get(address, stream=True, timeout=PATIENCE_S) as stream:
        lines = stream.iter_lines(chunk_size=None)
        assert next(lines).startswith(b"id: ")
        assert cluster.ask("GET", "/v3/account", server=holder, key=made["api_key"]).status_code == 200
        assert any(b"/v3/account" in line for line in lines)


def test_time_is_one_and_each_timer_fires_once(cluster):
    made = cluster.make(scenario={"accounts": [{"name": "acme", "enterprise": True}]})
    with MockServer.connect(cluster.url) as server:
        receiver = server.workspace().receiver()
        export = {"days": 2, "type": "transactional", "event": "opened", "notifyURL": receiver.url}
        asked = cluster.ask("POST", "/v3/webhooks/export", key=made["api_key"], json=export)
        assert asked.status_code == 202, asked.text
        path = f"/w/{made['name']}/_mock/clock/advance"
        answers = [answer for _ in range(2) for answer in ask_all(cluster, path, "POST", json={"by": "PT1M"})]
        calls = receiver.calls(count=1, wait=20)
    assert [row["event"] for answer in answers for row in answer.json()["fired"]].count("complete") == 1
    assert len(calls) == 1


def test_an_answer_that_a_fault_slows_cuts_off_or_changes_is_the_same_by_all(cluster, made):
    def answers(fault):
        return ask_all(cluster, "/v3/account", key=made["api_key"], headers={"X-Mock-Fault": fault})

    for answer in answers("latency; ms=300"):
        assert (answer.status_code, answer.elapsed.total_seconds() >= 0.3) == (200, True)
    for fault in ("connection_reset", "empty_response", "truncated_body"):
        with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
            answers(fault)
    for fault in ("malformed_body", "lost_answer", "unavailable"):
        assert len({(answer.status_code, answer.content) for answer in answers(fault)}) == 1


@pytest.mark.parametrize("number", [0, 1])
def test_a_server_that_signs_its_first_token_takes_the_code_once(make_cluster, engine, number):
    cluster = make_cluster(engine.url(), 3)
    asked = {"client_id": "app", "redirect_uri": CALLBACK, "response_type": "code", "scope": "account:read"}
    app = {"client_id": "app", "client_secret": "s3cret", "redirect_uris": [CALLBACK], "scopes": ["account:read"]}
    made = cluster.make(server=cluster.servers[0], scenario={"accounts": [{"name": "acme"}], "oauth_apps": [app]})
    realm, server = f"/w/{made['name']}/realms/partner/oauth", cluster.servers[number]
    consent = {**asked, "mock_user": "owner@acme.test", "mock_consent": "accept"}
    sent = cluster.ask("GET", f"{realm}/authorize", server=server, params=consent, allow_redirects=False)
    code = parse_qs(urlsplit(sent.headers["Location"]).query)["code"][0]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK}

    answer = cluster.ask("POST", f"{realm}/token", server=server, data={**form, **CREDENTIALS})

    assert answer.status_code == 200, answer.text

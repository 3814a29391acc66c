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


@pytest.mark.parametrize("way", WAYS)
def test_a_workspace_is_found_by_all_that_names_it(cluster, holder, other, made, way):
    prefix, headers = WAYS[way](made)
    headers = {"api-key": made["api_key"], **headers}

    sent = cluster.ask("POST", f"{prefix}/v3/senders", server=other, headers=headers, json=SENDER)
    seen = [
        cluster.ask("GET", f"{prefix}/_mock/requests", server=server, headers=headers).json()
        for server in (holder, other)
    ]

    assert sent.status_code == 201
    assert seen[0] == seen[1]
    assert [item["path"] for item in seen[0]["items"]] == ["/v3/senders"]


def test_a_workspace_that_is_dropped_is_gone_everywhere(cluster, holder, other):
    made = cluster.make(server=holder)
    address = f"/_mock/workspaces/{made['name']}"
    assert cluster.ask("GET", address, server=other).json()["api_key"] == made["api_key"]

    assert cluster.ask("DELETE", address, server=other).status_code == 204

    for server in cluster.servers:
        assert cluster.ask("GET", address, server=server).status_code == 404
        assert cluster.ask("GET", "/v3/account", server=server, key=made["api_key"]).status_code == 401


def test_a_given_name_is_made_once(cluster):
    def make(number):
        server = cluster.servers[number % 3]
        return cluster.ask("POST", "/_mock/workspaces", server=server, json={"name": "once"}).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(make, range(24)))

    assert (statuses.count(201), statuses.count(409)) == (1, 23)


def test_all_list_and_count_the_same_workspaces(cluster, made):
    found = [cluster.ask("GET", "/_mock/workspaces?limit=1000", server=server).json() for server in cluster.servers]
    names = [sorted(row["name"] for row in each["items"]) for each in found]
    counts = [cluster.ask("GET", "/_mock/health", server=server).json()["workspaces"] for server in cluster.servers]

    assert names[0] == names[1] == names[2]
    assert made["name"] in names[0]
    assert counts == [found[0]["count"]] * 3


def test_servers_share_the_default_workspace(cluster):
    def offset(server):
        return cluster.ask("GET", "/_mock/clock", server=server).json()["offset_s"]

    before = offset(cluster.servers[0])
    for server in cluster.servers:
        assert cluster.ask("POST", "/_mock/clock/advance", server=server, json={"by": "PT1H"}).status_code == 200

    assert [round(offset(server) - before) for server in cluster.servers] == [3 * 3600] * 3


def test_servers_report_the_same_total_coverage(cluster, other, made):
    assert cluster.ask("POST", "/v3/senders", server=other, key=made["api_key"], json=SENDER).status_code == 201
    assert cluster.ask("DELETE", f"/_mock/workspaces/{made['name']}").status_code == 204

    found = [cluster.ask("GET", "/_mock/coverage?workspace=*", server=server).json() for server in cluster.servers]

    assert found[0]["operations"]["createSender"]["calls"] > 0
    assert found[0] == found[1] == found[2]


def test_pages_show_the_workspace(cluster, holder, other, made):
    for page in ("", "requests", "machines", "clock", "webhooks", "faults"):
        asked = f"/w/{made['name']}/_mock/ui/{page}"

        answers = [cluster.ask("GET", asked, server=server) for server in (holder, other)]

        assert [answer.status_code for answer in answers] == [200, 200]
        assert made["name"] in answers[1].text


# ------------------------------------------------------------------ what takes its time


def test_a_call_that_waits_hears_of_what_comes_by_another_server(cluster, holder, other, made):
    waiting = f"/w/{made['name']}/_mock/requests?wait=20"
    with ThreadPoolExecutor(1) as pool:
        waited = pool.submit(cluster.ask, "GET", waiting, server=other)
        waiters = f"/w/{made['name']}/_mock/calls"
        until(lambda: cluster.ask("GET", waiters, server=holder).status_code == 200, "the workspace is there")
        assert cluster.ask("POST", "/v3/senders", server=holder, key=made["api_key"], json=SENDER).status_code == 201

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
        fired = []
        for each in cluster.servers * 2:
            path = f"/w/{made['name']}/_mock/clock/advance"
            fired += cluster.ask("POST", path, server=each, json={"by": "PT1M"}).json()["fired"]
        calls = receiver.calls(count=1, wait=20)

    assert [row["event"] for row in fired].count("complete") == 1
    assert len(calls) == 1


def test_an_answer_that_a_fault_slows_comes_through(cluster, other, made):
    headers = {"X-Mock-Fault": "latency; ms=300"}

    answer = cluster.ask("GET", "/v3/account", server=other, key=made["api_key"], headers=headers)

    assert answer.status_code == 200
    assert answer.elapsed.total_seconds() >= 0.3


def test_an_answer_that_a_fault_cuts_off_is_cut_off(cluster, other, made):
    for fault in ("connection_reset", "empty_response", "truncated_body"):
        with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
            cluster.ask("GET", "/v3/account", server=other, key=made["api_key"], headers={"X-Mock-Fault": fault})


def test_an_answer_that_a_fault_changes_is_the_same_by_all(cluster, made):
    for fault in ["malformed_body", "lost_answer", "unavailable"]:
        headers = {"X-Mock-Fault": fault}
        answers = [
            cluster.ask("GET", "/v3/account", server=server, key=made["api_key"], headers=headers)
            for server in cluster.servers
        ]

        assert len({(answer.status_code, answer.content) for answer in answers}) == 1


# ------------------------------------------------------------------ what leaves


def test_each_call_of_a_webhook_is_made_once(cluster, made):
    with MockServer.connect(cluster.url) as server:
        receiver = server.workspace().receiver()
        hook = {"url": receiver.url, "events": ["delivered"], "type": "transactional"}
        assert cluster.ask("POST", "/v3/webhooks", key=made["api_key"], json=hook).status_code == 201
        root = f"/w/{made['name']}"
        for number, each in enumerate(cluster.servers * 3):
            body = {"type": "transactional", "event": "delivered", "payload": {"message-id": f"m{number}"}}
            assert cluster.ask("POST", f"{root}/_mock/trigger", server=each, json=body).status_code == 200
        receiver.calls(count=9, wait=20)
        until(
            lambda: all(
                row["state"] == "delivered" for row in cluster.ask("GET", f"{root}/_mock/deliveries").json()["items"]
            ),
            "all is delivered",
        )
        calls = receiver.calls()

    assert sorted(call.body["message-id"] for call in calls) == sorted(f"m{number}" for number in range(9))


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

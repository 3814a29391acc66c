"""A request that waits for DNS holds up nobody, and meets the workspace that there is when DNS has answered."""

import json
import socket
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

PATH = "/v3/senders/domains/good.test/authenticate"


def call(root, method, path, body=None, key="any", **headers):
    request = urllib.request.Request(root + path, method=method, headers={"api-key": key, **headers})
    request.data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.loads(answer.read() or "null"), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, json.load(error), error.headers


@pytest.fixture
def pool():
    with ThreadPoolExecutor(8) as pool:
        yield pool


@pytest.fixture
def root(serve, scenario, stub):
    """A real server with a workspace that asks the stub."""
    root = serve("empty", dns_resolver=stub.address)
    assert call(root, "POST", "/_mock/reset", {"scenario": scenario("good.test", "other.test")})[0] == 200
    return root


def journal(root, wait=0):
    return call(root, "GET", f"/_mock/requests?operation=authenticateDomain&wait={wait}")[1]["items"]


def test_other_requests_are_answered_during_a_look_up(root, stub, held, pool):
    waiting = pool.submit(call, root, "PUT", PATH)
    stub.wait()

    assert call(root, "GET", "/v3/senders")[0] == 200
    assert not waiting.done()

    held.set()
    assert waiting.result()[0] == 200


def test_the_records_are_asked_for_side_by_side(root, stub):
    together = threading.Barrier(3)

    def reply(question):
        together.wait(10)
        return stub.told(question)

    stub.reply = reply

    assert call(root, "PUT", PATH)[0] == 200


def test_suspended_request_counts_once_for_rate_limits(root, stub, held, pool):
    before = int(call(root, "GET", "/v3/senders/domains")[2]["x-sib-ratelimit-remaining"])
    waiting = pool.submit(call, root, "PUT", PATH)
    stub.wait(3)
    call(root, "PUT", "/_mock/dns/other.test", {"brevo_code": "ok"})  # it is run again, in vain
    held.set()

    assert int(waiting.result()[2]["x-sib-ratelimit-remaining"]) == before - 1
    assert [entry["status"] for entry in journal(root)] == [200]


def test_two_requests_for_one_domain_are_both_answered(root, stub, held, pool):
    first, second = pool.submit(call, root, "PUT", PATH), pool.submit(call, root, "PUT", PATH)
    stub.wait(6)
    held.set()

    assert (first.result()[0], second.result()[0]) == (200, 200)


def test_after_a_reset_the_records_of_the_new_workspace_count(root, stub, held, pool, scenario):
    waiting = pool.submit(call, root, "PUT", PATH)
    stub.wait(3)
    fresh = scenario("good.test")
    fresh["domains"][0]["code"] = "f" * 32
    call(root, "POST", "/_mock/reset", {"scenario": fresh})
    held.set()

    status, body, _ = waiting.result()

    assert (status, body["code"]) == (400, "DNS records not properly configured")
    assert "expected 'brevo-code:ffffffff" in journal(root)[0]["reason"]


def test_after_a_reset_to_other_records_these_are_asked_for(root, stub, held, pool, scenario):
    waiting = pool.submit(call, root, "PUT", PATH)
    stub.wait(3)
    call(root, "POST", "/_mock/reset", {"scenario": scenario("good.test", dkim="cname")})
    stub.wait(2)
    held.set()

    assert waiting.result()[0] == 400
    assert call(root, "GET", "/_mock/dns/good.test")[1]["dkim_record"] == "missing"


def test_after_a_reset_to_a_view_dns_changes_nothing(root, stub, held, pool):
    waiting = pool.submit(call, root, "PUT", PATH)
    stub.wait(3)
    call(root, "POST", "/_mock/reset", {"scenario": {"domains": [{"name": "good.test"}]}})
    held.set()

    assert waiting.result()[0] == 400
    assert call(root, "GET", "/_mock/dns/good.test")[1]["brevo_code"] == "missing"


def test_a_domain_that_is_deleted_meanwhile_is_not_there(root, stub, held, pool):
    waiting = pool.submit(call, root, "PUT", PATH)
    stub.wait(3)
    call(root, "DELETE", "/v3/senders/domains/good.test")
    held.set()

    assert waiting.result()[0] == 404
    assert call(root, "GET", "/_mock/dns/good.test")[1]["brevo_code"] == "missing"


def test_a_workspace_that_is_dropped_meanwhile_is_401(root, stub, held, pool, scenario):
    workspace = call(root, "POST", "/_mock/workspaces", {"scenario": scenario("good.test")})[1]
    waiting = pool.submit(call, root, "PUT", PATH, key=workspace["api_key"])
    stub.wait(3)
    call(root, "DELETE", f"/_mock/workspaces/{workspace['name']}")

    assert waiting.result()[0] == 401


def test_a_client_that_leaves_is_served_all_the_same(root, stub, held):
    address = urlsplit(root)
    with socket.create_connection((address.hostname, address.port)) as client:
        client.sendall(f"PUT {PATH} HTTP/1.1\r\nHost: mock\r\napi-key: any\r\nContent-Length: 0\r\n\r\n".encode())
        stub.wait(3)
    held.set()

    assert [entry["status"] for entry in journal(root, wait=10)] == [200]


def test_a_server_that_keeps_silent_costs_a_bounded_time(root, stub, held, monkeypatch):
    monkeypatch.setattr("mockserver.app.look_ups._TIMEOUT_S", 0.2)

    status = call(root, "PUT", PATH)[0]

    assert status == 400
    assert journal(root)[0]["reason"].count(") timeout") == 3


@pytest.mark.parametrize("headers", [{}, {"X-Mock-Fault": "dns_failure"}])
def test_dns_failure_fault_overrides_published_records_for_one_call(root, stub, headers):
    if not headers:
        call(root, "POST", "/_mock/faults", {"fault": "dns_failure", "times": 1})

    status, _, answered = call(root, "PUT", PATH, **headers)

    assert (status, "X-Mock-Fault" in answered) == (400, True)
    assert call(root, "PUT", PATH)[0] == 200


def test_unknown_domain_sends_no_dns_query(root, stub):
    assert call(root, "PUT", PATH.replace("good", "nobody"))[0] == 404
    assert stub.questions == []


def test_a_stranger_lets_nobody_be_asked(serve, scenario, stub):
    root = serve("empty", dns_resolver=stub.address, keys="known")
    call(root, "POST", "/_mock/reset", {"scenario": scenario("good.test")})

    assert call(root, "PUT", PATH, key="stranger")[0] == 401
    assert stub.questions == []

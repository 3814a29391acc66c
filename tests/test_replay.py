"""A case is replayed as requests, and fails where an answer is not as promised."""

import json

import pytest

from mockserver.evidence.fixture import Case
from mockserver.evidence.replay import CLOCK, ReceivedAnswer, replay

ACCOUNTS = [{"name": "acme", "api_key": "key-acme"}, {"name": "eu", "api_key": "key-eu"}]


class Recorder:
    """Answers the reset, and then requests with the given answers; keeps what was sent."""

    def __init__(self, *answers, reset=200):
        self.sent = []
        self._answers = [ReceivedAnswer(reset, {}, json.dumps({"accounts": ACCOUNTS}).encode()), *answers]

    def __call__(self, method, path, headers, body):
        self.sent.append((method, path, dict(headers), body))
        return self._answers.pop(0)


def case(**members):
    facts = {"operation": "getSenders", "name": "a case", "scenario": "standard", "request": {}}
    facts |= {"steps": [], "then": []}
    return Case(**{**facts, "answer": {"status": 204}, **members})


def empty(status=204):
    return ReceivedAnswer(status, {}, b"")


@pytest.mark.parametrize(
    ("given", "scenario"),
    [
        ("standard", {"extends": "standard", "clock": CLOCK}),
        ({"extends": "empty", "strict": True}, {"extends": "empty", "strict": True, "clock": CLOCK}),
    ],
)
def test_case_begins_with_its_scenario_on_a_frozen_clock(given, scenario):
    send = Recorder(empty())
    list(replay(case(scenario=given), send))
    method, path, _, body = send.sent[0]
    assert (method, path, json.loads(body)) == ("POST", "/_mock/reset", {"scenario": scenario})


KEY, JSON = {"api-key": "key-acme"}, {"content-type": "application/json"}


def test_request_is_sent_with_address_key_and_body():
    for operation, request_, sent in [
        ("getSenders", {"query": {"ip": "::1", "domain": ["a", "b"]}},
         ("GET", "/v3/senders?ip=%3A%3A1&domain=a&domain=b", KEY, b"")),
        ("deleteScheduledEmailById", {"path": {"identifier": "<1@a/b>"}},
         ("DELETE", "/v3/smtp/email/%3C1%40a%2Fb%3E", KEY, b"")),
        ("getSenders", {"as": "eu"}, ("GET", "/v3/senders", {"api-key": "key-eu"}, b"")),
        ("getSenders", {"headers": {"api-key": None, "x-other": "1"}}, ("GET", "/v3/senders", {"x-other": "1"}, b"")),
        ("createSender", {"json": {"a": None}}, ("POST", "/v3/senders", KEY | JSON, b'{"a": null}')),
        ("createSender", {"json": None}, ("POST", "/v3/senders", KEY | JSON, b"null")),
        ("createSender", {"body": "{"}, ("POST", "/v3/senders", KEY | JSON, b"{")),
    ]:  # fmt: skip
        send = Recorder(empty())
        list(replay(case(operation=operation, request=request_), send))
        assert send.sent[1] == sent


def test_the_control_api_gets_no_key():
    send = Recorder(empty(200), empty())
    list(replay(case(steps=[{"method": "POST", "path": "/_mock/clock/advance", "json": {"by": "PT1M"}}]), send))
    assert send.sent[1][2] == {"content-type": "application/json"}


def test_an_exchange_under_then_may_use_a_member_of_the_answer():
    send = Recorder(ReceivedAnswer(200, {}, b'{"key": "new"}'), empty())
    later = {"method": "GET", "path": "/v3/account", "headers": {"api-key": "$answer.key"}}
    list(replay(case(answer={"status": 200, "json": {"key": "new"}}, then=[later]), send))
    assert send.sent[2][2] == {"api-key": "new"}


@pytest.mark.parametrize("root", ["http://localhost", "https://mock.test:8003", "http://127.0.0.1:8003/w/a-workspace"])
def test_an_address_in_the_answer_is_asked_in_the_same_workspace(root):
    send = Recorder(ReceivedAnswer(200, {}, json.dumps({"url": f"{root}/shared/abc-"}).encode()), empty())
    later = {"method": "GET", "path": "$answer.url"}
    list(replay(case(answer={"status": 200, "json": {"url": "$url"}}, then=[later]), send))
    assert send.sent[2] == ("GET", "/shared/abc-", {}, b"")


def test_an_exchange_with_an_address_that_the_answer_lacks_fails():
    send = Recorder(ReceivedAnswer(200, {}, b"{}"), empty(404))
    then = [{"method": "GET", "path": "$answer.url", "answer": {"status": 200}}]
    *_, later = replay(case(answer={"status": 200, "json": {}}, then=then), send)
    assert later.differences == ["status: wanted 200, got 404"]


def test_a_case_that_is_answered_as_promised_has_no_differences():
    send = Recorder(ReceivedAnswer(200, {"X-Total": "1"}, b'{"a":1}'))
    wanted = {"status": 200, "headers": {"x-total": "1"}, "json": {"a": "$integer"}}
    assert [exchange.differences for exchange in replay(case(answer=wanted), send)] == [[], []]


def test_status_headers_and_body_are_all_compared():
    send = Recorder(ReceivedAnswer(400, {}, b'{"a":2}'))
    *_, exchange = replay(case(answer={"status": 200, "headers": {"x-total": "1"}, "json": {"a": 1}}), send)
    assert exchange.title == "GET /v3/senders"
    assert exchange.differences == [
        "status: wanted 200, got 400",
        "headers.x-total: wanted '1', got None",
        "$.a: wanted 1, got 2",
    ]


def test_a_body_that_was_not_promised_is_a_difference():
    *_, exchange = replay(case(), Recorder(ReceivedAnswer(204, {}, b"gone")))
    assert exchange.differences == ["$: wanted None, got 'gone'"]


def test_a_reset_that_fails_ends_the_case():
    exchanges = list(replay(case(), Recorder(reset=400)))
    assert len(exchanges) == 1
    assert exchanges[0].differences[0].startswith("status: 400")


def test_a_step_that_is_refused_ends_the_case():
    send = Recorder(ReceivedAnswer(404, {}, b"no such thing\n"))
    exchanges = list(replay(case(steps=[{"method": "DELETE", "path": "/v3/senders/9"}]), send))
    assert [exchange.differences for exchange in exchanges] == [[], ["status: 404, no such thing"]]

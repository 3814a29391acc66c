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
    facts = {
        "operation": "getSenders",
        "name": "a case",
        "scenario": "standard",
        "request": {},
        "steps": [],
        "then": [],
    }
    return Case(**{**facts, "answer": {"status": 204}, **members})


def empty(status=204):
    return ReceivedAnswer(status, {}, b"")


def test_every_case_begins_with_its_scenario_on_a_clock_that_stands_still():
    send = Recorder(empty())
    list(replay(case(), send))
    method, path, _, body = send.sent[0]
    assert (method, path) == ("POST", "/_mock/reset")
    assert json.loads(body) == {"scenario": {"extends": "standard", "clock": CLOCK}}


def test_a_scenario_may_be_a_document():
    send = Recorder(empty())
    list(replay(case(scenario={"extends": "empty", "strict": True}), send))
    assert json.loads(send.sent[0][3]) == {"scenario": {"extends": "empty", "strict": True, "clock": CLOCK}}


def test_the_request_goes_to_the_address_of_the_operation_with_the_first_key():
    send = Recorder(empty())
    list(replay(case(request={"query": {"ip": "::1", "domain": ["a", "b"]}}), send))
    assert send.sent[1] == ("GET", "/v3/senders?ip=%3A%3A1&domain=a&domain=b", {"api-key": "key-acme"}, b"")


def test_a_parameter_of_the_path_is_percent_encoded():
    send = Recorder(empty())
    list(replay(case(operation="deleteScheduledEmailById", request={"path": {"identifier": "<1@a/b>"}}), send))
    assert send.sent[1][:2] == ("DELETE", "/v3/smtp/email/%3C1%40a%2Fb%3E")


def test_a_request_may_be_made_as_another_account():
    send = Recorder(empty())
    list(replay(case(request={"as": "eu"}), send))
    assert send.sent[1][2] == {"api-key": "key-eu"}


def test_a_header_of_null_is_left_out():
    send = Recorder(empty())
    list(replay(case(request={"headers": {"api-key": None, "x-other": "1"}}), send))
    assert send.sent[1][2] == {"x-other": "1"}


@pytest.mark.parametrize(
    ("request_", "body"), [({"json": {"a": None}}, b'{"a": null}'), ({"json": None}, b"null"), ({"body": "{"}, b"{")]
)
def test_a_body_is_sent_as_json(request_, body):
    send = Recorder(empty())
    list(replay(case(request=request_), send))
    assert send.sent[1][2:] == ({"api-key": "key-acme", "content-type": "application/json"}, body)


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

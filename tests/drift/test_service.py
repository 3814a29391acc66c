"""What the service sees of `mockserver drift`: few GET requests at a pace, none after an answer that forbids more."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request

import pytest
from cli_runner import invoke
from recording_service import answer_of_api, recording_service, response

from mockserver.testing import drift as drifting
from mockserver.testing.drift import MOST_CALLS, QUESTIONS, Asker, NoAnswer

pytestmark = pytest.mark.root("empty")
KEY = "xkeysib-account"


@pytest.fixture
def run(root, monkeypatch):
    """Runs `mockserver drift` against a server in the place of the service, without a pause between calls."""
    monkeypatch.setattr(drifting, "PACE_S", 0)

    def run(url, *words):
        return invoke(
            ("drift", "--key-env", "BREVO_API_KEY", "--base-url", url, *words),
            {"MOCKSERVER_URL": root, "BREVO_API_KEY": KEY},
        )

    return run


def test_account_that_answers_like_the_mock_is_same_and_ends_with_0(run, make_api):
    with recording_service(answer_of_api(make_api("standard"))) as service:
        ended = run(service.url)

    assert ended.exit_code == 0, ended.output
    assert "same            GET /v3/senders\n" in ended.stdout
    assert (
        "not comparable  GET /v3/corporate/masterAccount\n                the key may not ask this (status 403)\n"
        in ended.stdout
    )
    assert "different" not in ended.stdout
    compared = sum(line.startswith("same") for line in ended.stdout.splitlines())
    assert ended.stdout.endswith(f"\n{compared} of {len(QUESTIONS)} compared\n")


def test_address_of_the_service_may_end_with_its_version(run, make_api):
    with recording_service(answer_of_api(make_api("standard"))) as service:
        assert run(f"{service.url}/v3").exit_code == 0


def test_planted_difference_ends_with_1_and_is_in_the_json_report(run, make_api):
    usual = answer_of_api(make_api("standard"))

    def answer(path):
        return response("200 OK", b'{"senders": [], "pages": 3}') if path == "/v3/senders" else usual(path)

    with recording_service(answer) as service:
        ended = run(service.url, "--json")

    assert ended.exit_code == 1
    found = json.loads(ended.stdout)
    report = {row["question"]: row for row in found["answers"]}
    assert found["compared"] == sum(row["verdict"] != "not comparable" for row in report.values())
    assert report["GET /v3/senders"] == {
        "question": "GET /v3/senders",
        "verdict": "different",
        "notes": ["pages: new, integer", "senders[] is empty in the account"],
    }
    assert [row["question"] for row in report.values()] == [question.title for question in QUESTIONS]


@pytest.mark.usefixtures("run")
def test_account_is_compared_with_a_mock_in_this_process_without_url(make_api):
    with recording_service(answer_of_api(make_api("empty"))) as service:
        ended = invoke(("drift", "--key-env", "KEY", "--base-url", service.url), {"KEY": KEY})

    assert ended.exit_code == 0, ended.output


def test_report_on_the_page_of_documentation_is_printed(run, make_api):
    usual = answer_of_api(make_api("standard"))
    page = (Path(__file__).parents[2] / "docs" / "howto" / "drift.md").read_text(encoding="utf-8")
    lines = page.partition("```text\n")[2].partition("```")[0].splitlines()

    def answer(path):
        row = b'{"id": "1", "name": "a", "email": "b", "active": true, "ips": [], "labels": []}'
        return response("200 OK", b'{"senders": [' + row + b"]}") if path == "/v3/senders" else usual(path)

    with recording_service(answer) as service:
        printed = run(service.url).stdout.splitlines()

    assert len(lines) == 6
    assert [line for line in lines if line not in printed] == []


# ---------------------------------------------------------------------- what is sent


@pytest.mark.parametrize("scenario", ["standard", "corporate-v2"])
def test_service_sees_at_most_40_calls_of_get_with_small_pages(run, make_api, scenario):
    with recording_service(answer_of_api(make_api(scenario))) as service:
        run(service.url)

    assert {(method, key) for method, _, key in service.seen} == {("GET", KEY)}
    assert 20 < len(service.seen) <= MOST_CALLS
    limits = [limit for _, path, _ in service.seen for limit in parse_qs(urlsplit(path).query).get("limit", ())]
    assert set(limits) == {"2"}


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "HEAD"])
def test_transport_refuses_other_methods_than_get(method):
    with recording_service(lambda _: response("200 OK", b"{}")) as service:
        request = Request(f"{service.url}/v3/senders", method=method)
        with pytest.raises(NoAnswer, match=f"{method} is never sent"):
            Asker(service.url, KEY).opener.open(request)

    assert service.seen == []


def test_transport_refuses_a_get_with_a_body():
    with recording_service(lambda _: response("200 OK", b"{}")) as service:
        request = Request(f"{service.url}/v3/senders", method="GET", data=b"{}")
        with pytest.raises(NoAnswer):
            Asker(service.url, KEY).opener.open(request)

    assert service.seen == []


def test_transport_makes_no_more_than_40_calls():
    with recording_service(lambda _: response("200 OK", b"{}")) as service:
        ask = Asker(service.url, KEY, pace=0)
        for _ in range(MOST_CALLS):
            ask("/v3/account")
        with pytest.raises(NoAnswer, match="40 calls were made"):
            ask("/v3/account")

    assert len(service.seen) == MOST_CALLS == 40


def test_transport_makes_one_call_a_second():
    now, started = [100.0], []

    def answer(_):
        started.append(now[0])
        now[0] += 0.25  # which the answer takes
        return response("200 OK", b"{}")

    def sleep(seconds):
        now[0] += seconds

    with recording_service(answer) as service:
        ask = Asker(service.url, KEY, clock=lambda: now[0], sleep=sleep)
        for _ in range(4):
            ask("/v3/account")

    assert started == [100, 101, 102, 103]


def test_key_is_not_sent_to_another_server_by_a_redirect(run):
    with recording_service(lambda _: response("200 OK", b"{}")) as other:
        moved = response("302 Found", b"", "text/html", f"Location: {other.url}/v3/account")
        with recording_service(lambda _: moved) as service:
            ended = run(service.url)

    assert (ended.exit_code, other.seen) == (2, [])
    assert "nothing could be compared: this is not the service (status 302, text/html)" in ended.stderr


# ---------------------------------------------------------------------- answers that compare with nothing

ERROR = b'{"code": "unauthorized", "message": "Key not found"}'
#: By the answer of the service to each call, the reason.
REFUSALS = {
    "the key may not ask this (status 401)": response("401 Unauthorized", ERROR),
    "the key may not ask this (status 403)": response("403 Forbidden", ERROR),
    "the rate limit is reached (status 429)": response("429 Too Many Requests", ERROR),
    "the server has failed (status 500)": response("500 Internal Server Error", ERROR),
    "this is not the service (status 200, text/html)": response("200 OK", b"<html></html>", "text/html"),
    "this is not the service (status 404, application/json)": response("404 Not Found", ERROR),
    "the answer is cut off or not HTTP": b"SSH-2.0-OpenSSH\r\n",
    "the connection was closed without an answer": b"",
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_service_that_refuses_the_first_call_gets_no_second_one_and_ends_with_2(run, reason):
    with recording_service(lambda _: REFUSALS[reason]) as service:
        ended = run(service.url)

    assert ended.exit_code == 2
    assert f"nothing could be compared: {reason}" in ended.stderr
    assert ended.stdout.count("not comparable") == len(QUESTIONS)
    assert len(service.seen) == 1


def test_service_that_does_not_listen_ends_with_2(run):
    with recording_service(lambda _: b"") as service:
        pass  # and stops

    ended = run(service.url)

    assert ended.exit_code == 2
    assert "nothing could be compared: the connection was refused" in ended.stderr


def test_429_ends_the_calls_and_keeps_the_verdicts_of_earlier_answers(run, make_api):
    usual = answer_of_api(make_api("standard"))

    def answer(path):
        return response("429 Too Many Requests", ERROR) if path == "/v3/senders" else usual(path)

    with recording_service(answer) as service:
        ended = run(service.url, "--json")

    verdicts = {row["question"]: row for row in json.loads(ended.stdout)["answers"]}
    assert ended.exit_code == 0
    assert service.seen[-1][1] == "/v3/senders"
    assert verdicts["GET /v3/senders/domains"]["verdict"] == "same"
    assert verdicts["GET /v3/senders/ips"] == {
        "question": "GET /v3/senders/ips",
        "verdict": "not comparable",
        "notes": ["not asked: the rate limit is reached (status 429)"],
    }


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden", "503 Service Unavailable"])
def test_refusal_of_a_later_call_is_not_comparable_and_ends_nothing(run, make_api, status):
    usual = answer_of_api(make_api("standard"))

    def answer(path):
        return response(status, ERROR) if path == "/v3/senders" else usual(path)

    with recording_service(answer) as service:
        ended = run(service.url)

    assert ended.exit_code == 0
    assert "not comparable  GET /v3/senders\n" in ended.stdout
    assert "same            GET /v3/contacts/attributes\n" in ended.stdout


# ---------------------------------------------------------------------- misuse


@pytest.mark.parametrize("key", ["", "  ", "key\u00fc", "a\nb"])
def test_variable_without_a_key_ends_with_2_and_its_name(key):
    ended = invoke(("drift", "--key-env", "SOME_KEY", "--base-url", "http://127.0.0.1:9"), {"SOME_KEY": key})

    assert ended.exit_code == 2
    assert "--key-env: SOME_KEY is no variable with an API key." in ended.stderr


def test_key_that_is_given_in_place_of_its_variable_is_not_printed():
    ended = invoke(("drift", "--key-env", "xkeysib-1234"), {})

    assert ended.exit_code == 2
    assert "xkeysib" not in ended.output


def test_mock_server_that_does_not_answer_ends_with_1_before_the_service_is_asked(make_api):
    with recording_service(answer_of_api(make_api("standard"))) as service:
        ended = invoke(
            ("drift", "--key-env", "KEY", "--base-url", service.url, "--url", "http://127.0.0.1:9"), {"KEY": KEY}
        )

    assert ended.exit_code == 1
    assert service.seen == []

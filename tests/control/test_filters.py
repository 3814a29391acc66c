"""Filters whose value nothing can have are refused, by HTTP, by commands and by handles."""

from __future__ import annotations

import re

import pytest
from cli_runner import invoke

from mockserver import MockServerError

MISSPELT = {
    "operation": ("getSendrs", "unknown operation: got 'getSendrs'; did you mean getSenders?"),
    "method": ("GTE", "unknown method: got 'GTE'; did you mean GET?"),
    "path": ("/v3/sendrs", "unknown path '/v3/sendrs'; did you mean /v3/senders?"),
}


@pytest.fixture
def run(server, workspace):
    return lambda *words: invoke(words, {"MOCKSERVER_URL": server.url, "MOCKSERVER_WORKSPACE": workspace.name})


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/_mock/requests?operation=getSendrs", "operation: unknown operation"),
        ("/_mock/requests?method=GTE", "did you mean GET?"),
        ("/_mock/requests?status=999", "status: out of range"),
        ("/_mock/requests?path=/v3/sendrs", "did you mean /v3/senders?"),
        ("/_mock/requests?path=/v3/sendrs/*", "did you mean /v3/senders/*?"),
        ("/_mock/requests?path=/v3/sendrs/2/validate", "did you mean /v3/senders/2/validate?"),
        ("/_mock/requests?path=/senders", "did you mean /v3/senders?"),
        ("/_mock/requests?path=/v3/senders/", "did you mean /v3/senders?"),
        ("/_mock/requests?transition=sender.verfy", "did you mean sender.verify?"),
        ("/_mock/deliveries?event=foo", "event: unknown event: got 'foo'; known: "),
        ("/_mock/deliveries?event=delivred", "did you mean delivered?"),
        ("/_mock/deliveries?state=delivred", "did you mean delivered?"),
        ("/_mock/mailbox?to=jo", "to: not an e-mail address: got 'jo', expected one such as ada@acme.test"),
        ("/_mock/mailbox?smtp=snt", "did you mean sent?"),
        ("/_mock/stream?kind=requst", "unknown kind: got 'requst'; known, separated by commas: request, "),
        ("/_mock/coverage?of=specifcation", "did you mean specification?"),
        ("/_mock/machines/sendr", "did you mean sender?"),
    ],
)
def test_list_refuses_a_value_that_nothing_has(make_api, path, message):
    answer = make_api("standard").get(path)

    assert (answer.status_code, message in answer.text) == (404 if "machines" in path else 400, True), answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/v3/senders", "/v3/senders/2", "/v3/sen*", "/v3/*/2", "*", "*senders*", "/v3/sender?", "/v3/[s]enders",
        "/v3/contacts/a@b.test", "/realms/partner/oauth/token", "/v3/something/else", "/v3/reseller/children",
        "/v3/contacts/2/notes", "/v3/senders/2/history",
    ],
)  # fmt: skip
def test_path_that_is_known_or_resembles_none_is_accepted(workspace, path):
    assert workspace.requests.verify(path=path, count=0) == []


def test_misspelt_path_of_a_request_in_the_journal_is_accepted(workspace, make_api):
    api = make_api("standard")
    api.get("/v3/sendrs")

    assert api.get("/_mock/requests?path=/v3/sendrs").json["count"] == 1


def test_path_of_a_stub_is_known(workspace):
    workspace.stubs.add("GET", "/v3/sendrs/{id}", {"status": 200})

    assert workspace.requests.verify(path="/v3/sendrs/7", count=0) == []


@pytest.mark.parametrize("name", MISSPELT)
def test_handles_and_commands_refuse_a_misspelt_filter(workspace, run, name):
    value, message = MISSPELT[name]

    for call in (workspace.requests.all, workspace.requests.latest):
        with pytest.raises(MockServerError, match=re.escape(message)):
            call(**{name: value})
    with pytest.raises(MockServerError, match=r"did you mean|expected one of: GET"):
        workspace.requests.verify(count=0, **{name: value})
    for limit in ("20", "0"):
        ended = run("logs", "-n", limit, f"--{name}", value)
        assert (ended.exit_code, message in ended.stderr) == (2, True), ended.output


@pytest.mark.parametrize(
    "words",
    [
        ("deliveries", "--event", "foo"), ("mail", "--to", "jo"), ("trigger", "delivered", "--to", "notanemail"),
        ("trigger", "--story", "delivered", "--to", "notanemail"),
        ("trigger", "click", "--type", "marketing", "--to", "notanemail"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_commands_refuse_what_is_no_event_or_address(run, words):
    assert run(*words).exit_code == 2


def test_trigger_of_a_text_message_takes_a_telephone_number(run):
    assert run("trigger", "delivered", "--channel", "sms", "--to", "+4915112345678").exit_code == 0


def test_export_and_import_are_events_of_deliveries(workspace):
    assert [workspace.deliveries.all(event=name) for name in ("export", "import", "uniqueOpened")] == [[], [], []]

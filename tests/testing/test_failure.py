"""The plugin tells of the workspace of a failed test: in short what went wrong, then its journal."""

from contextlib import suppress

import pytest

from mockserver import MockServer, MockServerError
from mockserver.core.text.messages import LONGEST_LINE
from mockserver.testing.sessions.report import READ, SHOWN, failure_report

BEYOND = (
    "is not implemented: the service has this operation, the mock does not; "
    "add a stub, or start the server with --beyond"
)
UNKNOWN = "unknown route: no operation has the path /v3/compnies; did you mean GET /v3/companies (getCompanies)?"

pytestmark = pytest.mark.server("here")


@pytest.fixture
def told(server, workspace):
    """Returns the lines of a section of the report on the workspace: of what went wrong, or of the journal."""

    def lines(title="mockserver"):
        found = dict(failure_report(server.client, workspace.name)).get(title, "")
        return found.removeprefix(f"mockserver report on workspace {workspace.name}: ").splitlines()

    return lines


@pytest.fixture
def journal(told):
    """Returns the lines of the journal in the report on the workspace."""
    return lambda: told("mockserver journal")


# ---------------------------------------------------------------------- the journal


def test_equal_requests_one_after_the_other_are_one_line(workspace, ask, journal):
    for path in ("/account", "/senders", "/senders", "/senders", "/account"):
        ask(workspace, "GET", path)

    assert [line.split("/v3")[1] for line in journal()] == ["/account 200", "/senders 200 (3 times)", "/account 200"]


def test_a_report_says_how_many_lines_and_older_requests_are_left_out(workspace, ask, journal):
    for number in range(SHOWN + 5):
        ask(workspace, "GET", f"/senders?ip=198.51.100.{number}")

    first, *lines = journal()

    assert (first, len(lines)) == ("(not shown: lines: 5)", SHOWN)
    workspace.requests.clear()
    for _ in range(READ + 1):
        ask(workspace, "GET", "/account")

    assert journal()[0] == "(not shown: older requests: 1)"


def test_mails_timers_and_faults_are_shown_with_codes_and_hits(workspace, ask, journal):
    ask(workspace, "POST", "/senders", json={"name": "Jo", "email": "jo@acme.test"})
    code = workspace.mailbox.latest(to="jo@acme.test").otp
    due = workspace.clock.timers()[0]
    workspace.clock.advance(to=due)
    fault = workspace.faults.add("server_error", times=1)
    ask(workspace, "GET", "/account")

    assert f"    to jo@acme.test: Verify your sender, one-time code {code}" in journal()
    assert f"    {due.at:%Y-%m-%dT%H:%M:%SZ} {due.machine} {due.key}: {due.event}" in journal()
    assert journal()[-2:] == ["faults:", f"    server_error ({fault.id}): 1 hit"]


def test_stubs_are_shown_with_their_hits_and_those_without_on_one_line(workspace, ask, journal):
    stub = workspace.stubs.add("GET", "/v3/contacts", {"json": {}})
    for name in ("companies", "products", "loyalty", "crm"):
        workspace.stubs.add("POST", f"/v3/{name}", {"json": {}})
    ask(workspace, "GET", "/contacts")

    assert journal()[-3:] == [
        "stubs:",
        f"    GET /v3/contacts ({stub.id}): 1 hit",
        "    never hit: POST /v3/crm, POST /v3/loyalty, POST /v3/products and 1 more",
    ]


# ---------------------------------------------------------------------- in short what went wrong


def test_a_report_begins_with_how_much_has_happened(server, workspace, ask, told):
    assert failure_report(server.client, workspace.name) == []

    ask(workspace, "POST", "/senders", json={"name": "Jo", "email": "jo@acme.test"})
    ask(workspace, "POST", "/senders", json={"name": "Jo"})
    workspace.faults.add("server_error", times=1)
    ask(workspace, "GET", "/account")
    workspace.clock.advance(to="next")

    assert told()[0] == "3 requests (2 refused), 1 e-mail, 2 timers fired, 1 fault hit"


def test_a_request_that_nothing_answers_is_told_with_what_helps(workspace, ask, told):
    ask(workspace, "GET", "/companies")
    ask(workspace, "GET", "/compnies")
    ask(workspace, "GET", "/compnies")

    assert told()[1:] == [
        f"unanswered request: GET /v3/companies 404: getCompanies {BEYOND}",
        f"unanswered request: GET /v3/compnies 404: {UNKNOWN} (2 times)",
    ]


@pytest.mark.parametrize(("status", "state"), [(404, "dropped"), (200, "delivered")])
def test_a_failed_webhook_call_is_told_with_its_outcome_and_others_are_counted(workspace, ask, told, status, state):
    receiver = workspace.receiver()
    receiver.answer(status=status)
    ask(workspace, "POST", "/webhooks", json={"url": receiver.url, "events": ["delivered"]})

    workspace.trigger("delivered")
    workspace.deliveries.all(state=state, wait=5)

    assert told() == (
        ["1 request, 1 webhook call, 1 timer fired"]
        if status == 200
        else [
            "1 request, 1 webhook call (1 failed), 1 timer fired",
            f"failed delivery: delivered to {receiver.url}: answered with 404, dropped after 1 attempt",
        ]
    )


def test_a_stub_that_failed_is_told(workspace, ask, told):
    stub = workspace.stubs.add("GET", "/v3/contacts", {"json": {"n": "{{ 1 // 0 }}"}})

    ask(workspace, "GET", "/contacts")

    assert told()[1].startswith("failed stub: GET /v3/contacts 500: ")
    assert told()[1].endswith(f"({stub.id})")


def test_a_control_call_that_was_refused_is_told(workspace, told):
    with suppress(MockServerError):
        workspace.clock.set("2020-01-01T00:00:00Z")

    assert told()[0] == "nothing has happened"
    assert told()[1].startswith("refused control call: PUT /_mock/clock 400: ")


def test_a_key_that_has_opened_another_account_is_told_once(workspace, ask, told):
    for _ in range(2):
        ask(workspace, "GET", "/account", key="nobodys")

    assert told()[1:] == [
        "warning: unknown API key; used the standalone account acme instead (--keys any) (2 times)",
    ]


# ---------------------------------------------------------------------- what it never does


def test_nothing_that_a_client_has_sent_controls_the_terminal(workspace, ask, told, journal):
    ask(workspace, "GET", f"/senders?ip={'1' * 2 * LONGEST_LINE}")
    ask(workspace, "POST", "/senders", json={"name": "Jo", "email": "jo@acme.test", "\x1b[2J": 1})

    assert all(line.isprintable() for line in [*told(), *journal()])
    assert any("\\x1b[2J" in line for line in journal())
    assert max(map(len, journal())) < LONGEST_LINE + 20


def test_a_dropped_workspace_and_a_stopped_server_are_told_of_in_a_line():
    with MockServer() as server:
        client, workspace = server.client, server.workspace()
        workspace.drop()
        [(_, dropped)] = failure_report(client, workspace.name)

    [(_, stopped)] = failure_report(client, workspace.name)

    assert dropped.startswith("the journal cannot be read: 404: ")
    assert stopped.startswith("the journal cannot be read: no server at")

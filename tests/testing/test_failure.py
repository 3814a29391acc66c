"""The plugin appends the journal of its workspace to the report of a failed test."""

from mockserver.testing.sessions.failure import SHOWN, journal_report


def test_equal_requests_one_after_the_other_are_one_line(workspace, ask):
    for path in ("/account", "/senders", "/senders", "/senders", "/account"):
        ask(workspace, "GET", path)

    lines = journal_report(workspace).splitlines()

    assert [line.split("/v3")[1] for line in lines] == ["/account 200", "/senders 200 (3 times)", "/account 200"]


def test_a_call_beyond_the_mock_is_shown_with_what_helps(workspace, ask):
    ask(workspace, "GET", "/processes")
    ask(workspace, "GET", "/proceses")

    assert journal_report(workspace).splitlines()[1::2] == [
        "    getProcesses is an operation of the service that this mock does not have; write a stub, or use --beyond",
        "    no operation has the address /v3/proceses; did you mean GET /v3/processes (getProcesses)?",
    ]


def test_a_report_says_how_many_lines_are_left_out(workspace, ask):
    for number in range(SHOWN + 5):
        ask(workspace, "GET", f"/senders?ip=198.51.100.{number}")

    first, *lines = journal_report(workspace).splitlines()

    assert first == "(not shown: lines: 5)"
    assert len(lines) == SHOWN


def test_requests_that_are_too_old_to_be_folded_are_counted(workspace, ask):
    for _ in range(201):
        ask(workspace, "GET", "/account")

    assert journal_report(workspace).splitlines()[0] == "(not shown: older requests: 1)"


def test_a_failed_webhook_call_is_shown_with_its_last_outcome(workspace, ask):
    receiver = workspace.receiver()
    receiver.answer(status=404)
    ask(workspace, "POST", "/webhooks", json={"url": receiver.url, "events": ["delivered"]})

    workspace.trigger("delivered")
    workspace.deliveries.all(state="dropped", wait=5)

    assert f"    delivered to {receiver.url}: answered with 404, dropped after 1 attempt" in journal_report(workspace)


def test_a_delivered_webhook_call_is_not_shown(workspace, ask):
    receiver = workspace.receiver()
    ask(workspace, "POST", "/webhooks", json={"url": receiver.url, "events": ["delivered"]})

    workspace.trigger("delivered")
    workspace.deliveries.all(state="delivered", wait=5)

    assert "webhook calls" not in journal_report(workspace)


def test_mails_are_shown_with_their_one_time_codes(workspace, ask):
    ask(workspace, "POST", "/senders", json={"name": "Jo", "email": "jo@acme.test"})

    code = workspace.mailbox.latest(to="jo@acme.test").otp

    assert f"    to jo@acme.test: Verify your sender, one-time code {code}" in journal_report(workspace)


def test_faults_are_shown_with_their_hits(workspace, ask):
    fault = workspace.faults.add("server_error", times=1)
    ask(workspace, "GET", "/account")

    assert f"faults:\n    server_error ({fault.id}): 1 hit" in journal_report(workspace)


def test_the_report_on_a_dropped_workspace_says_that_the_journal_cannot_be_read(workspace):
    workspace.drop()

    assert journal_report(workspace).startswith("the journal cannot be read: 404: ")

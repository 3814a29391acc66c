"""`mockserver lint`, and the other ways to the findings, on a running server."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
import requests
from cli_runner import invoke

from mockserver import MockServer
from mockserver.lint.finding import RULES

FOLDER = {"name": "News"}
TWICE = "createFolder was repeated after a 504; 2 folders of this name exist"


@pytest.fixture(scope="module")
def server():
    with MockServer() as found:
        yield found


@pytest.fixture
def workspace(server):
    with server.workspace() as found:
        yield found


@pytest.fixture
def run(server, workspace):
    """Runs the command for the workspace."""
    return lambda *words: invoke(
        ("lint", *words), {"MOCKSERVER_URL": server.url, "MOCKSERVER_WORKSPACE": workspace.name}
    )


@pytest.fixture
def repeated(workspace):
    """The ids of a lost write and its repeat."""
    workspace.faults.add("lost_answer", times=1)
    headers = {"api-key": workspace.api_key}
    for _ in range(2):
        requests.post(f"{workspace.url}/contacts/folders", json=FOLDER, headers=headers, timeout=10)
    return [row.id for row in reversed(workspace.requests.all())]


def test_workspace_returns_findings_with_an_address_that_can_be_read(server, workspace, repeated):
    (found,) = workspace.findings()

    assert (found.rule, found.requests) == ("repeated-write", repeated)
    assert found.message == TWICE
    assert found.url == f"{server.url}/_mock/docs/lint.md#repeated-write"


@pytest.mark.parametrize("rule", RULES)
def test_page_of_rules_explains_each_rule(server, rule):
    assert f'<a id="{rule}"></a>' in requests.get(f"{server.url}/_mock/docs/lint.md", timeout=10).text


def test_cleared_journal_has_no_findings(workspace, repeated):
    workspace.requests.clear()

    assert workspace.findings() == []


def test_command_prints_findings_with_their_requests(run, repeated):
    found = run()

    assert found.exit_code == 0
    assert found.stdout.startswith(
        "repeated-write  createFolder was repeated after a 504; 2 folders of this name exist\n"
    )
    assert all(f"    request {name}\n" in found.stdout for name in repeated)


def test_command_without_findings_says_so(run):
    assert run().stdout == "No findings.\n"


@pytest.mark.parametrize(
    ("words", "status"), [((), 0), (("--fail-on", "all"), 2), (("--junit", "--fail-on", "all"), 2)]
)
def test_command_says_that_there_was_no_request_and_refuses_to_be_a_gate(run, words, status):
    found = run(*words)

    assert (found.exit_code, found.stderr) == (status, "0 requests: no rule had anything to check.\n")


def test_gate_passes_on_requests_without_findings(run, workspace):
    requests.get(f"{workspace.url}/account", headers={"api-key": workspace.api_key}, timeout=10)

    found = run("--fail-on", "all")

    assert (found.exit_code, found.stderr) == (0, "")


@pytest.mark.parametrize(
    ("rules", "status"),
    [("repeated-write", 1), ("no-timeout,repeated-write", 1), ("all", 1), ("no-timeout", 0)],
)
def test_command_fails_on_the_named_rules_only(run, repeated, rules, status):
    assert run("--fail-on", rules).exit_code == status


def test_command_refuses_an_unknown_rule_with_the_nearest_one(run):
    found = run("--fail-on", "repeated-writes")

    assert found.exit_code == 2
    assert "'repeated-writes' is no rule; did you mean repeated-write?" in found.stderr


ACCEPTED = "# Folders are made by hand.\n\nrepeated-write: createFolder\nfirst-page-only: getContacts\n"


@pytest.fixture
def baseline(tmp_path):
    return tmp_path / "lint.baseline"


def test_accepted_findings_of_a_baseline_are_left_out(run, repeated, baseline):
    baseline.write_text(ACCEPTED, encoding="utf-8")

    found = run("--fail-on", "all", "--baseline", str(baseline))

    assert (found.exit_code, found.stdout) == (0, "No findings.\n")
    assert found.stderr == f"1 finding accepted by {baseline}\n"
    assert json.loads(run("--json", "--baseline", str(baseline)).stdout)["count"] == 0
    assert baseline.read_text(encoding="utf-8") == ACCEPTED


def test_finding_that_is_not_in_the_baseline_is_shown(run, repeated, baseline):
    baseline.write_text("repeated-write: createList\n", encoding="utf-8")

    found = run("--fail-on", "all", "--baseline", str(baseline))

    assert found.exit_code == 1
    assert found.stdout.startswith(f"repeated-write  {TWICE}\n")


def test_update_adds_new_findings_to_the_baseline(run, repeated, workspace, baseline):
    update = ("--fail-on", "all", "--baseline", str(baseline), "--update-baseline")
    assert run(*update).exit_code == 0

    requests.get(f"{workspace.url}/senders?pagë=2", headers={"api-key": workspace.api_key}, timeout=10)
    assert run(*update[:4]).exit_code == 1
    assert run(*update).exit_code == 0
    assert [line for line in baseline.read_text(encoding="utf-8").splitlines() if not line.startswith("#")] == [
        "repeated-write: createFolder", "unused-input: getSenders ignored the unknown query parameter `pagë`",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("repeated-writes: createFolder\n", ":1: 'repeated-writes: createFolder' is no finding, such as "),
        ("# a\ncreateSender: status 201\n", ":2: 'createSender: status 201' is no finding, such as "),
        ("<<<<<<< HEAD\n", ":1: a merge has stopped here"),
        (None, "; the option update-baseline makes it"),
    ],
    ids=["an unknown rule", "a baseline of coverage", "a conflict", "no file"],
)
def test_baseline_is_refused_with(run, baseline, text, error):
    if text is not None:
        baseline.write_text(text, encoding="utf-8")

    found = run("--baseline", str(baseline))

    assert found.exit_code == 2
    assert f"{baseline}{error}" in found.stderr


def test_update_without_a_baseline_is_refused(run):
    found = run("--update-baseline")

    assert found.exit_code == 2
    assert "--update-baseline needs --baseline FILE." in found.stderr


def test_command_refuses_two_forms(run):
    assert run("--json", "--sarif").exit_code == 2


def test_json_of_the_command_is_the_answer_of_the_server(run, repeated):
    found = json.loads(run("--json").stdout)

    assert [row["requests"] for row in found["items"]] == [repeated]
    assert (found["count"], found["unseen"]) == (1, 0)


def test_junit_has_a_test_case_for_each_rule(run, repeated):
    suite = ET.fromstring(run("--junit").stdout)  # of our own command

    assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", str(len(RULES)), "1")
    assert [case.get("name") for case in suite.iter("testcase")] == list(RULES)
    (failure,) = suite.iter("failure")
    assert failure.get("message") == TWICE
    assert all(name in failure.text for name in repeated)


def test_sarif_has_the_members_that_its_schema_requires(run, server, repeated):
    """SARIF 2.1.0, sections 3.13 to 3.49: version, runs, tool, driver, name, id, message, text."""
    log = json.loads(run("--sarif").stdout)
    (log_run,) = log["runs"]
    driver, (result,) = log_run["tool"]["driver"], log_run["results"]

    assert log["version"] == "2.1.0"
    assert driver["name"] == "mockserver lint"
    assert [rule["id"] for rule in driver["rules"]] == list(RULES)
    assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "repeated-write"
    assert result["message"]["text"] == TWICE
    places = [row["physicalLocation"]["artifactLocation"] for row in result["locations"]]
    root = log_run["originalUriBaseIds"]["SERVER"]["uri"]
    assert [requests.get(root + place["uri"], timeout=10).json()["id"] for place in places] == repeated


def test_command_says_how_many_requests_no_rule_has_seen():
    with MockServer(journal_limit=1) as server, server.workspace() as workspace:
        for _ in range(3):
            requests.get(f"{workspace.url}/account", headers={"api-key": workspace.api_key}, timeout=10)

        found = invoke(("lint",), {"MOCKSERVER_URL": server.url, "MOCKSERVER_WORKSPACE": workspace.name})

    assert found.stderr == "The journal has evicted 2 requests, which no rule has seen (--journal-limit).\n"

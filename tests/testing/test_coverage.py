from xml.etree import ElementTree as ET

import pytest

from mockserver import MockServerError


@pytest.fixture
def asked(workspace, ask):
    """A workspace that got two requests."""
    ask(workspace, "GET", "/senders")
    ask(workspace, "POST", "/senders", json={"name": "Ada"})
    return workspace


def test_the_coverage_of_a_workspace_counts_its_requests(asked, contract_size):
    report = asked.coverage.report()

    assert {name: row["calls"] for name, row in report["operations"].items()} == {"getSenders": 1, "createSender": 1}
    assert asked.coverage.totals["operations"] == (2, contract_size.operations)
    assert asked.coverage.percent == report["percent"] > 0


def test_the_coverage_of_a_workspace_lists_what_is_missing(asked):
    assert "createSender: status 201 never met" in asked.coverage.missing
    assert "getAccount never called" in asked.coverage.missing


def test_the_report_of_coverage_comes_as_text_html_and_junit(asked):
    assert "createSender" in asked.coverage.text()
    assert asked.coverage.html().startswith("<!doctype html>")
    assert ET.fromstring(asked.coverage.junit()).tag == "testsuites"


def test_clearing_coverage_sets_all_counts_to_zero(asked):
    asked.coverage.clear()

    assert asked.coverage.totals["operations"].met == 0


def test_the_coverage_of_a_server_adds_up_all_workspaces_dropped_ones_included(server, ask):
    before = server.coverage.report()["operations"].get("getAccount", {"calls": 0})["calls"]
    with server.workspace() as gone, server.workspace() as reset:
        ask(gone, "GET", "/account")
        ask(reset, "GET", "/account")
        reset.reset()
        ask(reset, "GET", "/account")

    assert server.coverage.report()["operations"]["getAccount"]["calls"] == before + 3


def test_a_report_counts_what_is_used_or_what_is_named(workspace, ask):
    ask(workspace, "GET", "/account")

    assert workspace.coverage.report(of="used")["counted"] == ["getAccount"]
    assert workspace.coverage.report(of="getAccount,sender")["counted"] == ["getAccount", "sender"]


def test_a_report_of_an_operation_that_there_is_not_is_refused(workspace):
    with pytest.raises(MockServerError, match="did you mean getAccount"):
        workspace.coverage.report(of="getAcount")

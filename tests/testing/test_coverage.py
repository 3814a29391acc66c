from xml.etree import ElementTree as ET

import pytest

from mockserver import MockServerError


@pytest.fixture
def asked(workspace, ask):
    """A workspace that got two requests."""
    ask(workspace, "GET", "/senders")
    ask(workspace, "POST", "/senders", json={"name": "Ada"})
    return workspace


def test_the_coverage_of_a_workspace_counts_its_requests_until_it_is_cleared_and_has_all_formats(asked, contract_size):
    report = asked.coverage.report()

    assert {name: row["calls"] for name, row in report["operations"].items()} == {"getSenders": 1, "createSender": 1}
    assert asked.coverage.totals["operations"] == (2, contract_size.operations)
    assert asked.coverage.percent == report["percent"] > 0
    assert {"createSender: status 201 never met", "getAccount never called"} <= {*asked.coverage.missing}
    assert "createSender" in asked.coverage.text()
    assert asked.coverage.html().startswith("<!doctype html>")
    assert ET.fromstring(asked.coverage.junit()).tag == "testsuites"
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
    with pytest.raises(MockServerError, match="did you mean getAccount"):
        workspace.coverage.report(of="getAcount")

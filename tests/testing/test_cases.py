"""`WorkspaceTestCase`: a workspace for each test of unittest, and its report in the failure."""

import subprocess
import sys
import textwrap

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.server("here")]  # each test starts the runner of unittest

_SUITE = """
    import unittest
    import urllib.request
    from mockserver import WorkspaceTestCase

    def refuse(workspace):
        headers = {"api-key": workspace.api_key}
        request = urllib.request.Request(f"{workspace.url}/senders/9", method="DELETE", headers=headers)
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
        except urllib.error.HTTPError as error:
            return error.code

    class Senders(WorkspaceTestCase):
        def test_refused(self):
"""
_REFUSED = "refused request: DELETE /v3/senders/9 404: "


@pytest.fixture
def run(tmp_path, server):
    """Runs the body of a test, and returns what the runner prints."""

    def run_suite(body, status=1, url=server.url):
        text = textwrap.dedent(_SUITE) + textwrap.indent(textwrap.dedent(body).strip(), 8 * " ")
        (tmp_path / "test_suite.py").write_text(f"{text}\n")
        command = [sys.executable, "-m", "unittest", "test_suite"]
        ended = subprocess.run(
            command, cwd=tmp_path, env={"MOCKSERVER_URL": url}, check=False, capture_output=True, text=True, timeout=60
        )
        assert ended.returncode == status, ended.stderr
        return ended.stderr

    return run_suite


def test_failed_test_shows_the_reason_of_a_refusal(run):
    output = run("self.assertEqual(200, refuse(self.workspace))")

    assert _REFUSED in output
    assert output.index("AssertionError: 200 != 404") < output.index("mockserver report on workspace")


@pytest.mark.parametrize(
    "body",
    [
        "refuse(self.workspace)\nraise ValueError",
        "refuse(self.workspace)\nwith self.subTest(number=1):\n    self.fail()",
        "refuse(self.workspace)\nself.addCleanup(self.fail)",
    ],
)
def test_report_is_added_to_each_kind_of_failure(run, body):
    assert _REFUSED in run(body)


def test_passed_test_shows_no_report_and_drops_its_workspace(run, server):
    before = len(server.workspaces())

    output = run("refuse(self.workspace)", status=0)

    assert "mockserver report" not in output
    assert len(server.workspaces()) == before


def test_failed_test_keeps_its_workspace_on_a_server_elsewhere(run, server):
    before = {row.name for row in server.workspaces()}

    run("self.fail()")

    [kept] = {row.name for row in server.workspaces()} - before
    about = server.client.json("GET", f"/_mock/workspaces/{kept}")
    assert (about["label"], about["outcome"]) == ("test_suite.Senders.test_refused", "failed")


def test_report_that_cannot_be_read_says_so_in_the_failure(run):
    output = run("self.workspace.drop()\nself.fail('why')")

    assert "AssertionError: why" in output
    assert ": it cannot be read: 404: " in output


def test_workspace_that_cannot_be_made_is_an_error_without_report(run):
    output = run("pass", url="http://127.0.0.1:9")

    assert "no server at http://127.0.0.1:9" in output
    assert "mockserver report" not in output

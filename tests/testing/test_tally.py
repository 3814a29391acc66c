"""The coverage of a session of pytest, seen by suites that ask for it."""

import json
from xml.etree import ElementTree as ET

import pytest

from mockserver import MockServer

pytestmark = pytest.mark.slow  # each runs pytest with processes of its own


_MET = """
    @pytest.mark.parametrize("number", range(8))
    def test_met(mockserver, number):
        assert call(mockserver) == 200
        mockserver.reset()
        if number % 2:
            assert call(mockserver, "/senders") == 200
"""


def calls(path):
    """How often each operation was called, from a report in JSON."""
    return {name: row["calls"] for name, row in json.loads(path.read_text())["operations"].items()}


def test_the_terminal_shows_the_coverage_of_the_session(run, contract_size):
    result = run(_MET, "--mockserver-coverage")

    assert result.ret == 0
    lines = [
        "*= mockserver coverage =*",
        "* % of the contract met",
        f"*operations * 2 of *{contract_size.operations} *",
    ]
    result.stdout.fnmatch_lines([*lines, "*getAccount * 8 *", "*missing*"])
    run(_MET).stdout.no_fnmatch_line("*contract*")


@pytest.mark.parametrize(("wanted", "status"), [("0.5", 0), ("100", 1)])
def test_a_session_that_has_met_too_little_fails(run, wanted, status):
    result = run(_MET, f"--mockserver-fail-under={wanted}")

    result.assert_outcomes(passed=8)
    assert result.ret == status
    failures = [line for line in result.outlines if line.startswith("FAIL: ")]
    assert len(failures) == status
    if failures:
        assert failures[0].endswith(" % of the contract met, --mockserver-fail-under asks for 100 %")


def test_a_session_that_runs_no_tests_keeps_its_status(run):
    assert run("", "--mockserver-fail-under=50").ret == pytest.ExitCode.NO_TESTS_COLLECTED

    result = run(_MET, "--mockserver-fail-under=50", "--collect-only", "-q")

    assert result.ret == 0
    result.stdout.no_fnmatch_line("*contract*")


def test_the_report_is_written_in_every_format(run, pytester):
    folder = pytester.path / "reports"
    forms = ("text", "json", "html", "junit")

    assert run(_MET, *(f"--mockserver-coverage-report={form}:reports/{form}" for form in forms)).ret == 0

    assert "getAccount" in (folder / "text").read_text()
    assert calls(folder / "json") == {"getAccount": 8, "getSenders": 4}
    assert (folder / "html").read_text().startswith("<!doctype html>")
    assert ET.parse(folder / "junit").getroot().tag == "testsuites"


@pytest.mark.parametrize(
    "option",
    [
        "--mockserver-coverage-report=pdf:x",
        "--mockserver-coverage-report=html",
        "--mockserver-fail-under=101",
        "--mockserver-fail-under=most",
    ],
)
def test_an_invalid_option_is_refused(run, option):
    result = run(_MET, option)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*error: argument --mockserver-*: '*' is no*"])


def test_the_coverage_of_workers_adds_up(run, pytester):
    result = run(_MET, "-n2", "--mockserver-coverage", "--mockserver-coverage-report=json:met.json")

    assert result.ret == 0
    assert calls(pytester.path / "met.json") == {"getAccount": 8, "getSenders": 4}
    result.stdout.fnmatch_lines(["*= mockserver coverage =*", "*getAccount * 8 *"])


def test_a_worker_that_dies_without_sending_its_coverage_is_reported(run):
    suite = "import os\n\ndef test_dies(): os._exit(1)"

    result = run(suite, "-n1", "--mockserver-coverage", "--max-worker-restart=0")

    result.stdout.fnmatch_lines(["1 workers ended without telling what they had met"])


# ---------------------------------------------------------------------- a server that runs elsewhere


@pytest.fixture
def elsewhere(running, monkeypatch):
    """The root address of a running server, which the environment names."""
    monkeypatch.setenv("MOCKSERVER_URL", running)
    return running


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_running_server_is_used_and_nothing_is_counted_twice(run, pytester, elsewhere, ask, workers):
    with MockServer.connect(elsewhere) as server, server.workspace() as another:
        before = {workspace.name for workspace in server.workspaces()}
        ask(another, "GET", "/account")

        result = run(_MET, workers, "--mockserver-coverage-report=json:met.json")

        assert {workspace.name for workspace in server.workspaces()} == before
    assert result.ret == 0
    assert calls(pytester.path / "met.json") == {"getAccount": 8, "getSenders": 4}


def test_workspaces_that_a_test_makes_itself_are_counted_and_dropped_at_the_end(run, pytester, elsewhere):
    result = run(
        """
    def test_own(mockserver_server):
        call(mockserver_server.workspace(name="own-and-left"))
        with mockserver_server.workspace() as workspace:
            call(workspace)
    """,
        "--mockserver-coverage-report=json:met.json",
    )

    assert result.ret == 0
    assert calls(pytester.path / "met.json") == {"getAccount": 2}
    with MockServer.connect(elsewhere) as server:
        assert "own-and-left" not in {workspace.name for workspace in server.workspaces()}


def test_a_workspace_that_was_dropped_before_it_was_counted_causes_a_warning(run, elsewhere):
    result = run(
        """
    def test_gone(mockserver, mockserver_server):
        with mockserver_server.connect(mockserver_server.url) as others:
            {workspace.name: workspace for workspace in others.workspaces()}[mockserver.name].drop()
    """,
        *("--mockserver-coverage", "-W", "default"),
    )

    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(
        ["*UserWarning: what the workspace w-* has met is not counted: 404: unknown workspace *"]
    )


def test_a_report_that_cannot_be_written_is_an_error_of_one_sentence(run, pytester):
    pytester.path.joinpath("file").write_text("")

    result = run(_MET, "--mockserver-coverage-report=json:file/met.json")

    result.stdout.fnmatch_lines(["cannot write the report to file/met.json: *"])
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert result.ret == 2


def test_the_workspace_of_a_failed_test_stays_to_be_looked_at_and_is_counted(run, elsewhere, pytester):
    result = run(
        """
    def test_bad(mockserver):
        call(mockserver)
        assert False

    def test_good(mockserver):
        call(mockserver)
    """,
        "--mockserver-coverage-report=json:met.json",
    )

    with MockServer.connect(elsewhere) as server:
        (kept,) = (workspace for workspace in server.workspaces() if workspace.name != "default")
        result.stdout.fnmatch_lines([f"what happened, to look at: {elsewhere}/w/{kept.name}/_mock/ui/"])
        assert [request.operation for request in kept.requests.all()] == ["getAccount"]
        shown = server.client.json("GET", f"/_mock/workspaces/{kept.name}")
        assert (shown["label"].partition("::")[2], shown["outcome"]) == ("test_bad", "failed")
        kept.drop()
    assert calls(pytester.path / "met.json") == {"getAccount": 2}


def test_a_server_that_ends_with_the_session_leaves_nothing_to_look_at(run):
    run("def test_bad(mockserver): assert call(mockserver) == 0").stdout.no_fnmatch_line("*to look at*")


_USED = """
    def test_used(mockserver):
        assert call(mockserver, "/senders") == 200
"""


@pytest.mark.parametrize(("of", "status"), [("all", 1), ("used", 0), ("getAccount", 1)])
def test_coverage_threshold_applies_to_the_chosen_operations(run, of, status):
    result = run(_USED, "--mockserver-fail-under=10", f"--mockserver-of={of}")

    assert result.ret == status
    result.assert_outcomes(passed=1)


def test_settings_say_the_same_as_options(run, pytester):
    pytester.makeini("[pytest]\nmockserver_fail_under = 10\nmockserver_of = used\nmockserver_baseline = met.txt\n")
    pytester.path.joinpath("met.txt").write_text("getSenders: called\ngetSenders: status 401\n", encoding="utf-8")

    result = run(_USED)

    assert result.ret == 1
    result.stdout.fnmatch_lines(["*, of the 1 operation and 0 state machines that were used", "not met any more: *401"])


def test_a_baseline_of_all_workers_is_made_and_holds(run, pytester):
    made = run(_MET, "-n2", "--mockserver-baseline=met.txt", "--mockserver-update-baseline")
    again = run(_MET, "-n2", "--mockserver-baseline=met.txt")

    assert (made.ret, again.ret) == (0, 0)
    assert "getSenders: status 200\n" in pytester.path.joinpath("met.txt").read_text(encoding="utf-8")
    again.stdout.no_fnmatch_line("not met any more*")


def test_failed_tests_leave_the_baseline_as_it_is(run, pytester):
    result = run("def test_failed(): assert False", "--mockserver-baseline=met.txt", "--mockserver-update-baseline")

    assert result.ret == 1
    assert not pytester.path.joinpath("met.txt").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--mockserver-of=getAcount"], "*--mockserver-of: *did you mean getAccount?*"),
        (["--mockserver-of=@nowhere"], "*--mockserver-of: cannot read nowhere*"),
        (["--mockserver-baseline=nowhere"], "*--mockserver-baseline: there is no baseline *nowhere*"),
        (["--mockserver-update-baseline"], "*--mockserver-update-baseline goes with --mockserver-baseline FILE*"),
        (["-o", "mockserver_fail_under=much"], "*mockserver_fail_under: 'much' is no number from 0 to 100*"),
    ],
)
def test_a_gate_that_makes_no_sense_stops_the_session(run, options, told):
    result = run(_USED, *options)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([told])

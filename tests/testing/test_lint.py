"""The findings of a session of pytest."""

import pytest

pytestmark = pytest.mark.slow  # each runs pytest

_REPEATS = """
    @pytest.mark.parametrize("number", range(4))
    def test_repeats(mockserver, number):
        mockserver.faults.add("lost_answer", times=1)
        for _ in range(2):
            post(mockserver, "/contacts/folders", {"name": "News"})
"""
_POST = """
import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def post(workspace, path, body):
    headers = {"api-key": workspace.api_key, "Content-Type": "application/json"}
    try:
        urlopen(Request(workspace.url + path, json.dumps(body).encode(), headers), timeout=10).close()
    except HTTPError as error:
        error.close()
"""
_SILENT = """
    def test_silent(mockserver):
        assert call(mockserver) == 200
"""
FOUND = "repeated-write  createFolder was repeated after a 504; 2 folders of this name exist"


@pytest.fixture
def lint(run, pytester):
    """Runs a suite whose tests can post, too."""
    pytester.makepyfile(posting=_POST)
    return lambda suite, *options: run(f"    from posting import post\n{suite}", *options)


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["in one process", "with workers"])
def test_summary_has_each_finding_once_with_its_tests(lint, workers):
    result = lint(_REPEATS, "--mockserver-lint", *workers)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*= mockserver lint =*", FOUND, "    in test_it.py::test_repeats* and 1 more"])
    assert result.outlines.count(FOUND) == 1


def test_summary_says_so_without_findings(lint):
    lint(_SILENT, "--mockserver-lint").stdout.fnmatch_lines(["*= mockserver lint =*", "no findings in 1 request"])


def test_summary_says_that_there_was_no_request(lint):
    suite = "    def test_nothing(mockserver): pass\n"

    lint(suite, "--mockserver-lint-fail-on=all").stdout.fnmatch_lines(["no findings in 0 requests"])


def test_session_has_no_findings_without_the_option(lint):
    lint(_REPEATS).stdout.no_fnmatch_line("*mockserver lint*")


@pytest.mark.parametrize(("rules", "status"), [("repeated-write", 1), ("all", 1), ("no-timeout", 0)])
def test_session_fails_on_the_named_rules_only(lint, rules, status):
    result = lint(_REPEATS, f"--mockserver-lint-fail-on={rules}")

    result.assert_outcomes(passed=4)
    assert result.ret == status
    failures = [line for line in result.outlines if line.startswith("FAIL: ")]
    assert failures == ["FAIL: --mockserver-lint-fail-on names repeated-write"] * status


def test_setting_fails_a_session_like_the_option(lint, pytester):
    pytester.makeini("[pytest]\nmockserver_lint_fail_on = repeated-write\n")

    assert lint(_REPEATS).ret == 1


def test_unknown_rule_is_refused_with_the_nearest_one(lint):
    result = lint(_REPEATS, "--mockserver-lint-fail-on=repeated-writes")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'repeated-writes' is no rule; did you mean repeated-write?"])


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["in one process", "with workers"])
def test_session_accepts_the_findings_of_its_baseline(lint, pytester, workers):
    pytester.makeini("[pytest]\nmockserver_lint_baseline = lint.baseline\nmockserver_lint_fail_on = all\n")

    assert lint(_REPEATS, "--mockserver-lint-update-baseline", *workers).ret == 0
    assert "repeated-write: createFolder\n" in pytester.path.joinpath("lint.baseline").read_text(encoding="utf-8")
    assert lint(_REPEATS, *workers).ret == 0
    result = lint(_REPEATS, "-o", "mockserver_lint_baseline=", *workers)
    assert result.ret == 1


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--mockserver-lint-baseline=missing"], "*--mockserver-lint-baseline: there is no baseline *missing; *"),
        (
            ["--mockserver-lint-update-baseline"],
            "*--mockserver-lint-update-baseline goes with --mockserver-lint-baseline FILE",
        ),
    ],
)
def test_session_refuses_a_missing_baseline(lint, options, error):
    result = lint(_SILENT, *options)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([error])

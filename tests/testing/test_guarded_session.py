"""A test that leaves something patched ends no session: the report tells what the plugin could not do."""

from __future__ import annotations

import pytest

ALL = (
    "--mockserver-coverage", "--mockserver-coverage-report=json:met/c.json", "--mockserver-lint",
    "--mockserver-artifacts=artifacts", "-p", "no:cacheprovider",
)  # fmt: skip
#: What a test patches and never puts back.
REQUEST = "http.client.HTTPConnection.request"
LEAKS = [
    (REQUEST, "RuntimeError('leaked')", ()),
    (REQUEST, "RuntimeError('leaked')", ("-n1",)),
    (REQUEST, "pytest.fail.Exception('leaked')", ()),
    (REQUEST, "SystemExit('leaked')", ()),
    ("http.client.HTTPConnection.getresponse", "UnicodeDecodeError('utf-8', b'', 0, 1, 'leaked')", ()),
    ("json.dumps", "RuntimeError('leaked')", ()),
    ("json.loads", "RuntimeError('leaked')", ()),
    ("pathlib.Path.mkdir", "RuntimeError('leaked')", ()),
    ("pathlib.Path.write_text", "RuntimeError('leaked')", ()),
]
SUITE = """
from unittest import mock

def test_leaks(mockserver):
    call(mockserver)
    mock.patch("{}", side_effect={}).start()

def test_fails(mockserver):
    assert call(mockserver) == 1

def test_after():
    pass

def test_last(mockserver):
    assert call(mockserver) == 200
"""


@pytest.mark.slow
@pytest.mark.parametrize(("patched", "effect", "options"), LEAKS)
def test_a_leaked_patch_ends_no_session_and_is_told(run_outside, patched, effect, options):
    result = run_outside(SUITE.format(patched, effect), *ALL, *options, "-rA")

    text = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in text
    assert "PASSED test_it.py::test_after" in text
    assert "leaked" in text
    assert result.ret in (1, 2)


def test_a_workspace_that_cannot_be_dropped_is_an_error_of_its_test(run):
    result = run("""
    from unittest import mock

    def test_leaks(mockserver):
        mock.patch.object(type(mockserver), "drop", side_effect=RuntimeError("leaked")).start()

    def test_after(mockserver):
        mock.patch.stopall()
    """)

    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*the workspace of the test cannot be dropped: RuntimeError: leaked*"])


@pytest.mark.parametrize(
    ("option", "sentence"),
    [("--mockserver-artifacts=file/below", "they cannot be written to *below: *"),
     ("--mockserver-coverage-report=html:file/below", "cannot write the report to file?below: *")],
)  # fmt: skip
def test_a_report_that_cannot_be_written_is_told(run, pytester, option, sentence):
    pytester.makefile("", file="no folder")

    result = run("def test_fails(mockserver): assert False", option)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([sentence])

"""The coverage of a session of pytest, added up over all its processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.figures import from_json, to_json
from mockserver.coverage.junit import to_junit
from mockserver.coverage.page import to_html
from mockserver.coverage.report import Report, report
from mockserver.coverage.text import to_text

#: The coverage of the tests of this process; absent unless an option asks for coverage.
MET = pytest.StashKey[Coverage]()
#: How many sentences about missing points the terminal shows; chosen to leave room for the summary of pytest.
_SENTENCES = 10
#: The name under which a worker of xdist sends its coverage to the main process.
_WORKER_OUTPUT = "mockserver_coverage"


class Tally:
    """A plugin that adds up, reports and checks the coverage of a session, workers of xdist included."""

    def __init__(self, config: pytest.Config) -> None:
        self._met = config.stash[MET] = Coverage()
        self._wanted: float | None = config.option.mockserver_fail_under
        self._files: list[tuple[str, str]] = config.option.mockserver_coverage_report
        self._is_worker = hasattr(config, "workerinput")
        #: A sentence for each report that could not be written.
        self._unwritten: list[str] = []
        #: How many workers have ended without sending their coverage.
        self._lost = 0

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the coverage of a worker of xdist that has ended."""
        handed = getattr(node, "workeroutput", {}).get(_WORKER_OUTPUT)
        if handed is None:
            self._lost += 1
        else:
            self._met.merge(from_json(json.loads(handed)))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        found = report(self._met)
        if self._is_worker:
            session.config.workeroutput[_WORKER_OUTPUT] = json.dumps(to_json(found))  # type: ignore[attr-defined]  # of xdist
            return
        if session.config.option.collectonly:
            return
        for format_, path in self._files:
            self._write(found, format_, Path(path))
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = self._status(found)

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        if config.option.collectonly:
            return
        found = report(self._met)
        terminalreporter.section("mockserver coverage")
        terminalreporter.write(to_text(found, _SENTENCES))
        if self._lost:
            terminalreporter.line(f"{self._lost} workers ended without telling what they had met", yellow=True)
        for error in self._unwritten:
            terminalreporter.line(error, red=True, bold=True)
        if self._is_short(found):
            verdict = (
                f"FAIL: {found.percent:.1f} % of the contract met, --mockserver-fail-under asks for {self._wanted:g} %"
            )
            terminalreporter.line(verdict, red=True, bold=True)

    def _write(self, found: Report, format_: str, path: Path) -> None:
        try:
            _write(found, format_, path)
        except OSError as error:
            self._unwritten.append(f"cannot write the report to {path}: {error.strerror}")

    def _status(self, found: Report) -> pytest.ExitCode:
        if self._unwritten:
            return pytest.ExitCode.INTERRUPTED  # 2, the status of a misused command
        return pytest.ExitCode.TESTS_FAILED if self._is_short(found) else pytest.ExitCode.OK

    def _is_short(self, found: Report) -> bool:
        return self._wanted is not None and found.percent < self._wanted


def _write(found: Report, format_: str, path: Path) -> None:
    text = {"text": to_text, "html": to_html, "junit": to_junit, "json": _as_json}[format_](found)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _as_json(found: Report) -> str:
    return json.dumps(to_json(found), indent=2) + "\n"

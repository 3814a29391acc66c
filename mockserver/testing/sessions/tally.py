"""Session coverage, summed over all pytest processes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.figures import from_json, to_json
from mockserver.coverage.forms import to_html, to_junit, to_text
from mockserver.coverage.report import Report, report
from mockserver.coverage.selection import parse
from mockserver.testing.baseline import BaselineError, Comparison, compare, differences, points_of, selected
from mockserver.testing.sessions.gate import Gate
from mockserver.testing.sessions.guard import told

#: How many missing points the terminal shows; chosen to leave room for the summary of pytest.
_SENTENCES = 10
#: The member of the output of a worker of xdist that has its coverage.
_WORKER_OUTPUT = "mockserver_coverage"


class Tally:
    """A plugin that sums, reports and checks session coverage, including xdist workers."""

    def __init__(self, config: pytest.Config, gate: Gate) -> None:
        """Check the gate of a session."""
        self._met = Coverage()
        self._gate = gate
        try:
            self._selection = parse(selected(gate.of))
        except ValueError as error:
            raise pytest.UsageError(f"--mockserver-of: {error}") from error
        #: The changes since the baseline; None: it was not compared.
        self._changed: Comparison | None = None
        self._files: list[tuple[str, str]] = config.option.mockserver_coverage_report
        self._is_worker = hasattr(config, "workerinput")
        #: A sentence for each report or baseline that could not be written.
        self._unwritten: list[str] = []
        #: How many workers have ended without sending their coverage.
        self._lost = 0

    def add(self, data: Mapping[str, Any]) -> None:
        self._met.merge(from_json(data))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        handed = getattr(node, "workeroutput", {}).get(_WORKER_OUTPUT)
        if handed is None:
            self._lost += 1
            return
        with told("the coverage of a worker cannot be read", self._unwritten.append):
            self.add(json.loads(handed))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        with told("the coverage of the session cannot be told", self._unwritten.append):
            if self._is_worker:
                whole = json.dumps(to_json(report(self._met)))
                session.config.workeroutput[_WORKER_OUTPUT] = whole  # type: ignore[attr-defined]  # of xdist
                return
            if session.config.option.collectonly:
                return
            found = report(self._met, self._selection)
            for format_, path in self._files:
                self._write(found, format_, Path(path))
            if session.exitstatus == pytest.ExitCode.OK:
                self._compare()
                session.exitstatus = session.exitstatus if self._unwritten else self._status(found)
        if self._unwritten and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.INTERRUPTED  # 2, the status of a misused command

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        if config.option.collectonly:
            return
        with told("the coverage of the session cannot be shown", terminalreporter.line):
            self._show(terminalreporter)

    def _show(self, terminalreporter: Any) -> None:
        found = report(self._met, self._selection)
        terminalreporter.section("mockserver coverage")
        terminalreporter.write(to_text(found, _SENTENCES))
        if self._lost:
            terminalreporter.line(f"{self._lost} workers ended without telling what they had met", yellow=True)
        for error in self._unwritten:
            terminalreporter.line(error, red=True, bold=True)
        if self._changed is not None and self._gate.baseline is not None:
            for line in differences(self._changed, self._gate.baseline, updated=self._gate.update):
                terminalreporter.line(line, red=bool(self._changed.lost))
        if self._is_short(found):
            verdict = (
                f"FAIL: {found.percent:.1f} % of the contract met{found.told}, "
                f"--mockserver-fail-under asks for {self._gate.least:g} %"
            )
            terminalreporter.line(verdict, red=True, bold=True)

    def _compare(self) -> None:
        if self._gate.baseline is None or self._lost:
            return
        met = points_of(to_json(report(self._met)))
        try:
            self._changed = compare(self._gate.baseline, met, update=self._gate.update)
        except BaselineError as error:
            self._unwritten.append(str(error))

    def _write(self, found: Report, format_: str, path: Path) -> None:
        text = {"text": to_text, "html": to_html, "junit": to_junit, "json": _as_json}[format_](found)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            self._unwritten.append(f"cannot write the report to {path}: {error.strerror}")

    def _status(self, found: Report) -> pytest.ExitCode:
        is_lost = self._changed is not None and bool(self._changed.lost)
        return pytest.ExitCode.TESTS_FAILED if is_lost or self._is_short(found) else pytest.ExitCode.OK

    def _is_short(self, found: Report) -> bool:
        return self._gate.least is not None and found.percent < self._gate.least


def _as_json(found: Report) -> str:
    return json.dumps(to_json(found), indent=2) + "\n"

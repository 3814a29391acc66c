"""The coverage of a whole session of pytest: what the tests of all its processes have met, added up."""

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

#: What the tests of a process have met; only where somebody wants to know.
MET = pytest.StashKey[Coverage]()
#: How many sentences the terminal shows of what is missing.
_SENTENCES = 10
#: Under which name a worker of xdist hands over what it has counted.
_HANDED = "mockserver_coverage"


class Tally:
    """A plugin for sessions that want to know what their tests have met, workers of xdist included."""

    def __init__(self, config: pytest.Config) -> None:
        self._met = config.stash[MET] = Coverage()
        self._wanted: float | None = config.option.mockserver_fail_under
        self._files: list[tuple[str, str]] = config.option.mockserver_coverage_report
        self._is_worker = hasattr(config, "workerinput")
        #: Which reports could not be written, and why.
        self._unwritten: list[str] = []
        #: How many workers have gone without a word.
        self._lost = 0

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of xdist is done."""
        handed = getattr(node, "workeroutput", {}).get(_HANDED)
        if handed is None:
            self._lost += 1
        else:
            self._met.merge(from_json(json.loads(handed)))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        found = report(self._met)
        if self._is_worker:
            session.config.workeroutput[_HANDED] = json.dumps(to_json(found))  # type: ignore[attr-defined]  # of xdist
            return
        if session.config.option.collectonly:
            return
        for form, path in self._files:
            self._write(found, form, Path(path))
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
        for trouble in self._unwritten:
            terminalreporter.line(trouble, red=True, bold=True)
        if self._is_short(found):
            told = (
                f"FAIL: {found.percent:.1f} % of the contract met, --mockserver-fail-under asks for {self._wanted:g} %"
            )
            terminalreporter.line(told, red=True, bold=True)

    def _write(self, found: Report, form: str, path: Path) -> None:
        try:
            _write(found, form, path)
        except OSError as error:
            self._unwritten.append(f"cannot write the report to {path}: {error.strerror}")

    def _status(self, found: Report) -> pytest.ExitCode:
        if self._unwritten:
            return pytest.ExitCode.INTERRUPTED  # 2, as commands end where they are misused
        return pytest.ExitCode.TESTS_FAILED if self._is_short(found) else pytest.ExitCode.OK

    def _is_short(self, found: Report) -> bool:
        return self._wanted is not None and found.percent < self._wanted


def _write(found: Report, form: str, path: Path) -> None:
    written = {"text": to_text, "html": to_html, "junit": to_junit, "json": _as_json}[form](found)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written, encoding="utf-8")


def _as_json(found: Report) -> str:
    return json.dumps(to_json(found), indent=2) + "\n"

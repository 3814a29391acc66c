"""Lint findings of a session: client mistakes across all test workspaces."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import pytest

from mockserver.core.text.messages import counted, printable
from mockserver.testing.baseline import BaselineError, finding_line, unaccepted
from mockserver.testing.linting import chosen_rules
from mockserver.testing.sessions.gate import baseline_of
from mockserver.testing.sessions.guard import told
from mockserver.testing.sessions.session import TestWorkspace

#: The member of the output of a worker of xdist that has its findings.
_WORKER_OUTPUT = "mockserver_findings"
#: How many tests of a finding are named; chosen: one is enough to look at, and three show what they share.
_NAMED = 3


class Found(NamedTuple):
    """A finding of a test; without a rule an error, or without a message the numbers of requests."""

    test: str
    rule: str
    subject: str
    message: str
    requests: int = 0
    unseen: int = 0


def lint_of(config: pytest.Config) -> Lint:
    """Return the plugin of a session."""
    fail_on = config.option.mockserver_lint_fail_on or str(config.getini("mockserver_lint_fail_on"))
    try:
        rules = chosen_rules(fail_on) if fail_on else frozenset()
    except ValueError as error:
        raise pytest.UsageError(f"--mockserver-lint-fail-on: {error}") from error
    return Lint(config, rules)


class Lint:
    """A plugin that reports the findings of all tests, including xdist workers, and fails a session by rules."""

    def __init__(self, config: pytest.Config, fail_on: frozenset[str]) -> None:
        self._fail_on = fail_on
        self._baseline, self._update = baseline_of(config, "lint_")
        self._found: list[Found] = []
        self._is_worker = hasattr(config, "workerinput")

    def read(self, test: str, found: TestWorkspace) -> None:
        """Read the findings of a test's workspace, before it is dropped."""
        headers = {"X-Mock-Workspace": found.workspace.name}
        with self._told(f"the findings of {test} cannot be read", test):
            answer = found.server.client.json("GET", "/_mock/findings", headers=headers)
            self._found += [Found(test, row["rule"], row["subject"], row["message"]) for row in answer["items"]]
            self._found.append(Found(test, "", "", "", answer["requests"], answer["unseen"]))

    def _told(self, what: str, test: str = "") -> AbstractContextManager[None]:
        return told(what, lambda text: self._found.append(Found(test, "", "", text)))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        with self._told("the findings of a worker cannot be read"):
            self._found += [Found(*row) for row in getattr(node, "workeroutput", {}).get(_WORKER_OUTPUT, ())]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._is_worker:
            session.config.workeroutput[_WORKER_OUTPUT] = list(map(list, self._found))  # type: ignore[attr-defined]  # of xdist
        elif session.exitstatus == pytest.ExitCode.OK:
            is_written = False
            with self._told("the baseline cannot be read or written"):
                is_written = self._accept()
            session.exitstatus = pytest.ExitCode.TESTS_FAILED if self._failing else session.exitstatus
            session.exitstatus = session.exitstatus if is_written else pytest.ExitCode.INTERRUPTED

    def _accept(self) -> bool:
        """Forget the findings that the baseline accepts; return whether it could be read and written."""
        if self._baseline is not None:
            found, others = [row for row in self._found if row.rule], [row for row in self._found if not row.rule]
            try:
                left = unaccepted(self._baseline, found, lambda row: finding_line(*row[1:3]), update=self._update)
                self._found = [*left, *others]
            except BaselineError as error:
                self._found.append(Found("", "", "", str(error)))
                return False
        return True

    def pytest_terminal_summary(self, terminalreporter: Any, config: pytest.Config) -> None:
        if config.option.collectonly:
            return
        terminalreporter.section("mockserver lint")
        tests: dict[tuple[str, str], list[str]] = {}
        for row in self._found:
            if row.message:
                tests.setdefault((row.rule, row.message), []).append(row.test)
        for (rule, message), names in tests.items():
            terminalreporter.line(printable(f"{rule}  {message}".strip()), red=rule in self._fail_on)
            if rule:
                terminalreporter.line(printable(f"    in {_listed(names)}"))
        if not tests:
            number = sum(row.requests for row in self._found)
            terminalreporter.line(f"no findings in {counted(number, 'request')}", yellow=not number)
        if unseen := sum(row.unseen for row in self._found):
            seen = f"journals have evicted {counted(unseen, 'request')}, which no rule has seen"
            terminalreporter.line(seen, yellow=True)
        if self._failing:
            verdict = f"FAIL: --mockserver-lint-fail-on names {', '.join(self._failing)}"
            terminalreporter.line(verdict, red=True, bold=True)

    @property
    def _failing(self) -> Sequence[str]:
        return sorted({row.rule for row in self._found} & self._fail_on)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])}{f' and {more} more' if more > 0 else ''}"

"""A base class for the tests of unittest and Django: a workspace per test, and its report in the failure."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial
from typing import Any, ClassVar
from unittest import TestCase, TestResult

from mockserver.testing.client import MockServerError
from mockserver.testing.clocks import keep_real_time
from mockserver.testing.handles.server import MockServer
from mockserver.testing.handles.workspace import Workspace
from mockserver.testing.scenario import Scenario

keep_real_time()


class WorkspaceTestCase(TestCase):
    """A test case with a new workspace for each test; a failed test shows what went wrong in its workspace.

    For Django, name it before Django's class: `class Senders(WorkspaceTestCase, django.test.TestCase)`. All tests of a
    process share a server: the one at MOCKSERVER_URL, where the workspaces of failed tests stay to be looked at, else
    one in this process. A `setUp` of a subclass calls `super().setUp()` first.
    """

    #: The scenario of the workspaces: a name, a document, the path of a file, or None for the server's scenario.
    scenario: ClassVar[Scenario | None] = None
    #: The workspace of the test; its label is the id of the test.
    workspace: Workspace
    _has_failed = False

    def setUp(self) -> None:
        super().setUp()
        self.workspace = _server().workspace(self.scenario, label=self.id())
        self.addCleanup(self._end)

    def _end(self) -> None:
        if self._has_failed and os.environ.get("MOCKSERVER_URL"):
            self.workspace.leave("failed")
        else:
            self.workspace.drop()

    def _note(self, error: BaseException) -> None:
        """Add the report of the workspace to a test error, if a workspace was made."""
        self._has_failed = True
        if not hasattr(self, "workspace"):
            return
        try:
            error.add_note(f"\n{self.workspace.report()}")
        except MockServerError as unread:
            error.add_note(f"\nmockserver report on workspace {self.workspace.name}: it cannot be read: {unread}")

    def run(self, result: TestResult | None = None) -> TestResult | None:
        result = self.defaultTestResult() if result is None else result
        reporting: Any = _ReportingResult(result, self._note)
        super().run(reporting)
        return result


class _ReportingResult:
    """A test result that adds the report of the workspace to each error, before the error is recorded."""

    def __init__(self, result: TestResult, note: Callable[[BaseException], None]) -> None:
        self._result, self._note = result, note

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._result, name)
        return partial(self._add, found) if name in ("addError", "addFailure", "addSubTest") else found

    def _add(self, add: Callable[..., None], *given: Any) -> None:
        """Add an error to the result, whose last argument is what `sys.exc_info` returns, or None for a success."""
        if given[-1] is not None:
            _, error, _ = given[-1]
            self._note(error)
        add(*given)


@cache
def _server() -> MockServer:
    """Return the server at MOCKSERVER_URL, or start one in this process, which runs until the process ends."""
    if url := os.environ.get("MOCKSERVER_URL"):
        return MockServer.connect(url, os.environ.get("MOCKSERVER_TOKEN"))
    return MockServer()

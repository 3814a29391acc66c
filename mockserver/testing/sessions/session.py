"""Pytest session server and test workspaces."""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import pytest

from mockserver.settings import ServerMissingError
from mockserver.testing.client import MockServerError
from mockserver.testing.handles.server import MockServer, own_workspaces
from mockserver.testing.handles.workspace import Workspace
from mockserver.testing.scenario import Scenario
from mockserver.testing.sessions.command import CommandServer, NotStartedError
from mockserver.testing.sessions.guard import told

#: The name of the plugin that adds up coverage, which is there if an option asks for coverage.
TALLY = "mockserver-coverage"
#: The name of the plugin that starts a server by a command.
LAUNCHER = "mockserver-command"
#: The member of the input of a worker of xdist that has the address of the server.
_WORKER_INPUT = "mockserver_url"
#: The longest label of a workspace, in characters.
_LONGEST_LABEL = 500
#: How long a server may take to get ready, in seconds, by default; chosen long enough to fetch a package or an image.
_TIMEOUT_S = 120.0
#: How a session gets a server without the extra.
_OTHER_WAYS = (
    "or set MOCKSERVER_URL to the address of a server that runs, or let --mockserver-command (or MOCKSERVER_COMMAND) "
    "start one, such as \"uvx --from 'brevo-mockserver[server]' mockserver serve\""
)


@contextmanager
def serving(config: pytest.Config) -> Iterator[MockServer]:
    """Yield the session's server; finally add its coverage to the tally, if any."""
    tally: Any = config.pluginmanager.get_plugin(TALLY)
    is_here, server = _server(config)
    with server:
        if not is_here and tally is not None:
            # Other programs may use that server, so only the workspaces of this process are counted.
            server.on_leaving = lambda workspace: _count(tally, workspace)
        yield server
        if not is_here:
            server.drop_all()
        elif tally is not None:
            tally.add(server.coverage.report())


def _server(config: pytest.Config) -> tuple[bool, MockServer]:
    """Return the session's server with a flag (True: local), or fail the test."""
    token = os.environ.get("MOCKSERVER_TOKEN")
    try:
        if url := os.environ.get("MOCKSERVER_URL"):
            return False, MockServer.connect(url, token)
        launcher: Launcher | None = config.pluginmanager.get_plugin(LAUNCHER)
        url = launcher.start() if launcher else getattr(config, "workerinput", {}).get(_WORKER_INPUT)
        if url:
            return False, MockServer.connect(url, token or os.environ.get("MOCKSERVER_CONTROL_TOKEN"))
        return True, MockServer()
    except ServerMissingError as error:
        reason = f"{error}; {_OTHER_WAYS}"
    except (MockServerError, NotStartedError, ValueError) as error:  # MOCKSERVER_URL may be no address
        reason = str(error)
    pytest.fail(reason, pytrace=False)  # outside of the blocks above, whose error would be shown as well


def _count(tally: Any, workspace: Workspace) -> None:
    try:
        tally.add(workspace.coverage.report())
    except MockServerError as error:
        warnings.warn(f"what the workspace {workspace.name} has met is not counted: {error}", stacklevel=2)


class Launcher:
    """A plugin that lazily starts a server command, and stops the server after the session.

    With workers of xdist it is a plugin of the main process, which starts the server before the workers.
    """

    def __init__(self, config: pytest.Config, command: str) -> None:
        self._server = CommandServer(command, _timeout_s(config))
        #: Why the server did not start; the start is not repeated.
        self._error: NotStartedError | None = None
        config.add_cleanup(self._stop)

    def start(self) -> str:
        """Start the server on the first call, and return its root address."""
        if self._error is not None:
            raise self._error
        try:
            return self._server.start()
        except NotStartedError as error:
            self._error = error
            raise

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        try:
            node.workerinput[_WORKER_INPUT] = self.start()
        except NotStartedError as error:
            raise pytest.UsageError("\n".join(filter(None, [str(error), error.printed]))) from error

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        with told("the output of the server's command cannot be shown", terminalreporter.line):
            error = self._error
            trouble = self._server.trouble() if error is None else f"{error}\n{error.printed}".rstrip()
            if trouble is not None:
                terminalreporter.section("mockserver command")
                terminalreporter.line(trouble)

    def _stop(self) -> None:
        with told("the server of the command cannot be stopped", partial(print, file=sys.stderr)):
            self._server.stop()


def _timeout_s(config: pytest.Config) -> float:
    text = config.option.mockserver_command_timeout or config.getini("mockserver_command_timeout") or _TIMEOUT_S
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise pytest.UsageError(f"mockserver_command_timeout: {text!r} is no number of seconds above 0")
    return found


class TestWorkspace:
    """The workspace of one test, available beyond fixture teardown for failure reports."""

    __test__ = False  # pytest takes the name for that of a test

    def __init__(self, server: MockServer, scenario: Scenario | None, marked: Mapping[str, Any], nodeid: str) -> None:
        """Create a workspace; `marked` are the arguments of the marker, `nodeid` becomes the label."""
        self.server = server
        # The end of a long id says more: the name of the test, and its parameters.
        server.workspace(
            scenario if marked.get("scenario") is None else marked["scenario"], seed=marked.get("seed"),
            strict=bool(marked.get("strict")), vary=marked.get("vary"), behaviour=marked.get("behaviour"),
            label=nodeid[-_LONGEST_LABEL:],
        )  # fmt: skip
        self.workspace, self.made_by = own_workspaces(server)[-1]
        #: Whether it is kept for the user, because the test has failed at MOCKSERVER_URL.
        self.is_kept = False
        self._is_left = False

    def leave(self) -> None:
        """Drop or leave the workspace, once."""
        if self._is_left:
            return
        self._is_left = True
        with suppress(MockServerError):  # the server may be gone
            self.workspace.leave("failed") if self.is_kept else self.workspace.drop()

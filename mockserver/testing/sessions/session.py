"""The server of a session of pytest, and the workspaces of its tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from mockserver.settings import ServerMissingError
from mockserver.testing.client import MockServerError
from mockserver.testing.handles.server import MockServer
from mockserver.testing.handles.workspace import Workspace
from mockserver.testing.scenario import Scenario
from mockserver.testing.sessions.command import NotStartedError
from mockserver.testing.sessions.launcher import address_of

if TYPE_CHECKING:
    from mockserver.testing.sessions.tally import Tally

#: The name of the plugin that adds up coverage, which is there if an option asks for coverage.
TALLY = "mockserver-coverage"
#: How a session comes to a server without the extra.
_OTHER_WAYS = (
    "or set MOCKSERVER_URL to the address of a server that runs, or let --mockserver-command (or MOCKSERVER_COMMAND) "
    "start one, such as \"uvx --from 'brevo-mockserver[server]' mockserver serve\""
)


@contextmanager
def serving(config: pytest.Config) -> Iterator[MockServer]:
    """The server of a session; at the end its coverage is added to that of the session, if that is counted."""
    tally: Tally | None = config.pluginmanager.get_plugin(TALLY)
    is_here, server = _server(config)
    with server:
        if not is_here and tally is not None:
            # Others may use that server as well, so only the workspaces made by this process are counted.
            server.on_leaving = lambda workspace: _count(tally, workspace)
        yield server
        if not is_here:
            server.drop_all()
        elif tally is not None:
            tally.add(server.coverage.report())


def _server(config: pytest.Config) -> tuple[bool, MockServer]:
    """Whether the server of a session runs in this process, and the server; the test fails if there is none."""
    try:
        address = address_of(config)
        if address is not None:
            return False, MockServer.connect(address.url, address.token)
        return True, MockServer()
    except ServerMissingError as error:
        reason = f"{error}; {_OTHER_WAYS}"
    except (MockServerError, NotStartedError, ValueError) as error:  # MOCKSERVER_URL may be no address
        reason = str(error)
    pytest.fail(reason, pytrace=False)  # outside of the blocks above, whose error would be shown as well


def _count(tally: Tally, workspace: Workspace) -> None:
    """Add the coverage of a workspace to that of the session."""
    try:
        tally.add(workspace.coverage.report())
    except MockServerError as error:
        warnings.warn(f"what the workspace {workspace.name} has met is not counted: {error}", stacklevel=2)


class TestWorkspace:
    """The workspace of one test, which outlives the fixtures of the test, so that it can be told of when one fails."""

    __test__ = False  # pytest looks for tests by such names

    def __init__(
        self, server: MockServer, scenario: Scenario | None = None, seed: int | None = None, *, strict: bool = False
    ) -> None:
        """Make a workspace, with the arguments of `MockServer.workspace`.

        Raises:
            MockServerError: 400; the scenario is not valid.
        """
        self.server = server
        self.scenario = scenario
        self.strict = strict
        self.workspace = server.workspace(scenario, seed=seed, strict=strict)
        #: Whether it is kept, because the test has failed and the server goes on: somebody may look at it.
        self.is_kept = False
        self._is_left = False

    def leave(self) -> None:
        """Drop the workspace, or leave it where it is kept; nothing happens when that is done already.

        Raises:
            MockServerError: the server does not answer.
        """
        if self._is_left:
            return
        self._is_left = True
        if self.is_kept:
            self.workspace.leave()
        else:
            self.workspace.drop()


def workspace_of_test(server: MockServer, scenario: Scenario | None, marked: Mapping[str, Any]) -> TestWorkspace:
    """A new workspace of a scenario, or of the scenario, seed and strictness that a marker has chosen."""
    chosen = marked.get("scenario")
    chosen = scenario if chosen is None else chosen
    return TestWorkspace(server, chosen, marked.get("seed"), strict=bool(marked.get("strict")))

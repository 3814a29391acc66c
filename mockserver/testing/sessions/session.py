"""The server of a session of pytest, and the workspaces of its tests."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.figures import from_json
from mockserver.testing.client import MockServerError
from mockserver.testing.scenario import Scenario
from mockserver.testing.server import MockServer
from mockserver.testing.sessions.tally import MET
from mockserver.testing.workspace import Workspace


@contextmanager
def serving(config: pytest.Config) -> Iterator[MockServer]:
    """The server of a session; at the end its coverage is added to that of the session, if that is counted."""
    met = config.stash.get(MET, None)
    url = os.environ.get("MOCKSERVER_URL")
    server = MockServer.connect(url, os.environ.get("MOCKSERVER_TOKEN")) if url else MockServer()
    with server:
        if url and met is not None:
            # Other clients may use that server as well, so only the workspaces made by this session are counted.
            server.on_leaving = lambda workspace: _count(met, workspace)
        yield server
        if url:
            server.drop_all()
        elif met is not None:
            met.merge(from_json(server.coverage.report()))


def _count(met: Coverage, workspace: Workspace) -> None:
    """Add the coverage of a workspace to that of the session."""
    try:
        met.merge(from_json(workspace.coverage.report()))
    except MockServerError as error:
        warnings.warn(f"what the workspace {workspace.name} has met is not counted: {error}", stacklevel=2)


@contextmanager
def fresh_workspace(server: MockServer, scenario: Scenario | None, marked: Mapping[str, Any]) -> Iterator[Workspace]:
    """A new workspace of a scenario, or of the scenario, seed and strictness that a marker has chosen."""
    chosen = marked.get("scenario")
    chosen = scenario if chosen is None else chosen
    with server.workspace(chosen, seed=marked.get("seed"), strict=bool(marked.get("strict"))) as workspace:
        yield workspace

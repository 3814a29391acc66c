"""What is told of the workspace of a failed test: in the report of pytest, and in a folder of artifacts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from mockserver.testing.client import MockServerError
from mockserver.testing.sessions.artifacts import Artifacts, gather
from mockserver.testing.sessions.failure import Section, failure_report
from mockserver.testing.sessions.folder import FailedTest, write
from mockserver.testing.sessions.lines import printable
from mockserver.testing.sessions.session import TestWorkspace


class Reading(NamedTuple):
    """What was read of a workspace, so that it can be told when the workspace is gone."""

    sections: Sequence[Section]
    #: None: they are not wanted.
    artifacts: Artifacts | str | None


def read(test: TestWorkspace, *, artifacts: bool) -> Reading:
    """Read what a failed test tells of its workspace; nothing is raised, what cannot be read is told."""
    try:
        sections = failure_report(test.server.client, test.workspace.name)
    except Exception as error:  # noqa: BLE001  # a report that fails would hide the failure that it is about
        sections = [("mockserver journal", printable(f"the journal cannot be read: {error!r}"))]
    return Reading(sections, _gathered(test) if artifacts else None)


def _gathered(test: TestWorkspace) -> Artifacts | str:
    """The artifacts, or why they cannot be read."""
    try:
        return gather(test)
    except Exception as error:  # noqa: BLE001  # artifacts that fail would hide the failure that they are about
        return str(error) if isinstance(error, (MockServerError, OSError, ValueError)) else repr(error)


def tell(report: pytest.TestReport, found: Reading, folder: Path | None, session: str) -> None:
    """Add what was read to the report of a failed test, and write its artifacts into a folder of their own.

    `session` is what the session is known by. Nothing is raised: what cannot be written is told.
    """
    report.sections.extend(found.sections)
    if folder is None or found.artifacts is None:
        return
    report.sections.append(("mockserver artifacts", printable(_written(report, found, folder, session))))


def _written(report: pytest.TestReport, found: Reading, folder: Path, session: str) -> str:
    """Where the artifacts are, or why they are not there."""
    if found.artifacts is None or isinstance(found.artifacts, str):
        return f"they cannot be read: {found.artifacts}"
    text = "\n".join([report.longreprtext, *(f"\n{title}\n{text}" for title, text in found.sections)])
    test = FailedTest(report.nodeid, report.when or "call", text, session)
    try:
        return str(write(folder, test, found.artifacts))
    except Exception as error:  # noqa: BLE001  # artifacts that fail would hide the failure that they are about
        return f"they cannot be written to {folder}: {error}"

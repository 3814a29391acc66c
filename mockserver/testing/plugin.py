"""The pytest plugin: a workspace for each test, its journal in the report of a failed test, and coverage of a session.

pytest loads this module in every run, used or not, so that modules that take long to import are imported on use.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mockserver.testing.scenario import Scenario
    from mockserver.testing.server import MockServer
    from mockserver.testing.workspace import Workspace

#: The workspace of a test, while it has one.
_WORKSPACE = pytest.StashKey["Workspace"]()
#: The formats of a report of coverage.
_FORMATS = ("text", "json", "html", "junit")
_MARKER = "mockserver(*, scenario=None, seed=None, strict=False): the workspace that the fixture `mockserver` makes"
#: The arguments of the marker, each with its types.
_ARGUMENTS: Mapping[str, tuple[type, ...]] = {
    "scenario": (str, os.PathLike, Mapping),
    "seed": (int,),
    "strict": (bool,),
}


# ---------------------------------------------------------------------- fixtures


@pytest.fixture(scope="session")
def mockserver_server(pytestconfig: pytest.Config) -> Iterator[MockServer]:
    """The server of this session, a `mockserver.MockServer`.

    If the environment has MOCKSERVER_URL, the server that runs at that address, with MOCKSERVER_TOKEN as its control
    token; otherwise a server started in this process.
    """
    from mockserver.testing.sessions.session import serving  # noqa: PLC0415  # not needed to load the plugin

    with serving(pytestconfig) as server:
        yield server


@pytest.fixture(scope="session")
def mockserver_scenario() -> Scenario | None:
    """The scenario of every test's workspace: a name, a document, the path of a YAML file, or None for the server's.

    Override this fixture to choose another scenario; a scenario given by the marker `mockserver` wins.
    """
    return None


@pytest.fixture
def mockserver(
    request: pytest.FixtureRequest, mockserver_server: MockServer, mockserver_scenario: Scenario | None
) -> Iterator[Workspace]:
    """A new workspace, a `mockserver.Workspace`, which is dropped after the test.

    `@pytest.mark.mockserver(scenario=..., seed=..., strict=True)` chooses another scenario or seed; `strict` refuses
    body fields that the service does not know.
    """
    from mockserver.testing.sessions.session import fresh_workspace  # noqa: PLC0415  # not needed to load the plugin

    # The marker that is closest to the test comes first, and wins.
    chosen: dict[str, Any] = {}
    for marker in request.node.iter_markers("mockserver"):
        chosen = {**marker.kwargs, **chosen}
    with fresh_workspace(mockserver_server, mockserver_scenario, chosen) as workspace:
        request.node.stash[_WORKSPACE] = workspace
        yield workspace
        del request.node.stash[_WORKSPACE]


# ---------------------------------------------------------------------- options and marker


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mockserver", "the mock of the Brevo API")
    group.addoption(
        "--mockserver-coverage",
        action="store_true",
        help="Tell at the end which part of the contract the tests have met.",
    )
    group.addoption(
        "--mockserver-coverage-report",
        action="append",
        default=[],
        type=_report,
        metavar="FORM:PATH",
        help=f"Write the same to a file; FORM is {', '.join(_FORMATS)}. May be given several times.",
    )
    group.addoption(
        "--mockserver-fail-under",
        type=_percent,
        metavar="N",
        help="Exit with status 1 if the tests have met less than N percent of the contract.",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    options = config.option
    if options.mockserver_coverage or options.mockserver_coverage_report or options.mockserver_fail_under is not None:
        from mockserver.testing.sessions.tally import Tally  # noqa: PLC0415  # not needed to load the plugin

        config.pluginmanager.register(Tally(config), "mockserver-coverage")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse markers `mockserver` with arguments that they do not take, before any test runs."""
    for item in items:
        for marker in item.iter_markers("mockserver"):
            for error in _errors(marker):
                raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.mockserver {error}")


def _errors(marker: pytest.Mark) -> Iterator[str]:
    """What is wrong with the arguments of a marker, as ends of sentences."""
    if marker.args:
        yield f"takes arguments by name only, such as scenario={marker.args[0]!r}"
    for name, value in marker.kwargs.items():
        if name not in _ARGUMENTS:
            yield f"takes no {name}; it takes {', '.join(_ARGUMENTS)}"
        elif value is not None and not isinstance(value, _ARGUMENTS[name]):
            yield f"takes no {name}={value!r}"


def _report(text: str) -> tuple[str, str]:
    format_, _, path = text.partition(":")
    if format_ not in _FORMATS or not path:
        raise argparse.ArgumentTypeError(f"{text!r} is not FORM:PATH with a form out of {', '.join(_FORMATS)}")
    return format_, path


def _percent(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1
    if not 0 <= found <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 100")
    return found


# ---------------------------------------------------------------------- the report of a failed test


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the journal of its workspace to the report of a failed test."""
    report = yield
    if report.failed and _WORKSPACE in item.stash:
        from mockserver.testing.sessions.failure import journal_report  # noqa: PLC0415  # needed by failed tests only

        text = journal_report(item.stash[_WORKSPACE])
        if text:
            report.sections.append(("mockserver journal", text))
    return report

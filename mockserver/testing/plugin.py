"""The pytest plugin: a workspace for each test, its journal in the report of a failed test, and coverage of a session.

pytest loads this module in every run, used or not, so that modules that take long to import are imported on use.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from mockserver.testing.sessions.gate import Gate, add_options, gate_of

if TYPE_CHECKING:
    from mockserver.testing.coroutines import AsyncWorkspace
    from mockserver.testing.handles.server import MockServer
    from mockserver.testing.handles.workspace import Workspace
    from mockserver.testing.scenario import Scenario
    from mockserver.testing.sessions.reporting import Reading
    from mockserver.testing.sessions.session import TestWorkspace

#: The workspace of a test, until the report of its teardown is made.
_WORKSPACE = pytest.StashKey["TestWorkspace"]()
#: What was read of the workspace of the last test, before the server stops.
_READING = pytest.StashKey["Reading"]()
#: Whether a test is the last one of the session, after which the server stops.
_IS_LAST = pytest.StashKey[bool]()
#: The folder for artifacts of failed tests; absent: none are wanted.
_ARTIFACTS = pytest.StashKey[Path]()
#: What the session is known by, which workers of xdist share.
_SESSION = pytest.StashKey[str]()
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
    token; else the one that the command of `--mockserver-command` (or MOCKSERVER_COMMAND, or the setting
    `mockserver_command`) starts, which workers of xdist share; else one in this process.
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

    Where the test fails and the server goes on (MOCKSERVER_URL), it stays, and the report tells where to look at it.

    `@pytest.mark.mockserver(scenario=..., seed=..., strict=True)` chooses another scenario or seed; `strict` refuses
    body fields that the service does not know.
    """
    from mockserver.testing.sessions.session import workspace_of_test  # noqa: PLC0415  # not needed to load the plugin

    # The marker that is closest to the test comes first, and wins.
    chosen: dict[str, Any] = {}
    for marker in request.node.iter_markers("mockserver"):
        chosen = {**marker.kwargs, **chosen}
    stash = request.node.stash
    test = stash[_WORKSPACE] = workspace_of_test(mockserver_server, mockserver_scenario, chosen)
    yield test.workspace
    # Fixtures that are torn down after this one may fail, and are to be told with the workspace as well; it is left
    # when the report of the teardown is made. With the last test the server stops, and it has to be read before.
    if stash.get(_IS_LAST, False):
        stash[_READING] = _read(request.node, test)
        test.leave()


@pytest.fixture
def async_mockserver(mockserver: Workspace) -> AsyncWorkspace:
    """The workspace of the fixture `mockserver` with coroutines, a `mockserver.AsyncWorkspace`."""
    return mockserver.asynchronous


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
    add_options(parser, group)
    group.addoption(
        "--mockserver-command",
        metavar="CMD",
        help="Start a server by this command, once for the session and all workers of xdist; it is stopped at the end. "
        "{port} in it is replaced by a free port, which is MOCKSERVER_PORT in its environment, too. The variable "
        "MOCKSERVER_COMMAND and the setting mockserver_command say the same; with MOCKSERVER_URL none is started.",
    )
    group.addoption(
        "--mockserver-command-timeout",
        metavar="SECONDS",
        help="How long that server may take to get ready; 120 without it.",
    )
    parser.addini("mockserver_command", "The command that starts a server; see --mockserver-command.")
    parser.addini("mockserver_command_timeout", "How many seconds that server may take to get ready.")
    group.addoption(
        "--mockserver-artifacts",
        metavar="DIR",
        help="Write a folder for each failed test into DIR: journal, mails, deliveries, states; mockserver verify "
        "FOLDER replays it. The variable MOCKSERVER_ARTIFACTS and the setting mockserver_artifacts say the same.",
    )
    parser.addini("mockserver_artifacts", "The folder for the artifacts of failed tests; none are written without it.")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    options = config.option
    folder = options.mockserver_artifacts or os.environ.get("MOCKSERVER_ARTIFACTS")
    # What an option or a variable says is below the folder of the call; what the settings say, below theirs.
    folder = Path(folder).absolute() if folder else _of_settings(config)
    if folder is not None:
        config.stash[_ARTIFACTS] = folder
        config.stash[_SESSION] = getattr(config, "workerinput", {}).get("testrunuid") or uuid4().hex
    if (gate := gate_of(config)) is not None:
        _count_coverage(config, gate)
    if (command := _command(config)) is not None:
        from mockserver.testing.sessions.launcher import NAME, Launcher  # noqa: PLC0415  # not needed to load the plugin

        config.pluginmanager.register(Launcher(config, command), NAME)


def _count_coverage(config: pytest.Config, gate: Gate) -> None:
    from mockserver.settings import ServerMissingError, needing_server  # noqa: PLC0415  # not needed to load the plugin
    from mockserver.testing.sessions.session import TALLY  # noqa: PLC0415  # see above

    try:
        with needing_server("the coverage of a session"):
            from mockserver.testing.sessions.tally import Tally  # noqa: PLC0415  # see above
    except ServerMissingError as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(Tally(config, gate), TALLY)


def _command(config: pytest.Config) -> str | None:
    """The command by which this process has to start a server; None if it needs none.

    A server that runs already (MOCKSERVER_URL) comes first, and a worker of xdist uses that of the main process.
    """
    if os.environ.get("MOCKSERVER_URL") or hasattr(config, "workerinput"):
        return None
    ways = (config.option.mockserver_command, os.environ.get("MOCKSERVER_COMMAND"), config.getini("mockserver_command"))
    return next((str(way) for way in ways if way), None)


def _of_settings(config: pytest.Config) -> Path | None:
    """The folder for artifacts that the settings of pytest name, below the folder in which they are."""
    named = str(config.getini("mockserver_artifacts"))
    below = config.inipath.parent if config.inipath is not None else config.rootpath
    return below / named if named else None


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


# ---------------------------------------------------------------------- the report of a failed test


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    item.stash[_IS_LAST] = nextitem is None


@pytest.hookimpl(hookwrapper=True)  # and not `wrapper`: pytest 7.4 may stand on a pluggy that knows this form only
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Add what has happened in its workspace to the report of a failed test."""
    report: pytest.TestReport = (yield).get_result()
    test = item.stash.get(_WORKSPACE, None)
    if test is None:
        return
    if report.failed:
        _tell(item, test, report)
    if report.when == "teardown":
        del item.stash[_WORKSPACE]
        if _READING in item.stash:
            del item.stash[_READING]
        _leave(test)


def _tell(item: pytest.Item, test: TestWorkspace, report: pytest.TestReport) -> None:
    from mockserver.testing.sessions.reporting import tell  # noqa: PLC0415  # needed by failed tests only

    found = item.stash.get(_READING, None) or _read(item, test)
    tell(report, found, item.config.stash.get(_ARTIFACTS, None), item.config.stash.get(_SESSION, ""))
    if os.environ.get("MOCKSERVER_URL"):
        test.is_kept = True
        report.sections.append(("mockserver dashboard", f"what happened, to look at: {test.workspace.dashboard_url}"))


def _read(item: pytest.Item, test: TestWorkspace) -> Reading:
    from mockserver.testing.sessions.reporting import read  # noqa: PLC0415  # needed by failed tests only

    return read(test, artifacts=_ARTIFACTS in item.config.stash)


def _leave(test: TestWorkspace) -> None:
    """Leave the workspace of a test that is over; a server that does not answer any more has none."""
    from mockserver.testing.client import MockServerError  # noqa: PLC0415  # not needed to load the plugin

    with suppress(MockServerError):
        test.leave()

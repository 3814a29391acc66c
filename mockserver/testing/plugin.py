"""The pytest plugin: one workspace per test, journals in failure reports, session coverage.

pytest loads this module in every run, used or not, so that slow modules are imported on use.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from mockserver.testing.clocks import keep_real_time
from mockserver.testing.sessions.gate import Gate, add_options, gate_of, path_of
from mockserver.testing.sessions.guard import told

if TYPE_CHECKING:
    from mockserver.testing.coroutines import AsyncWorkspace
    from mockserver.testing.handles.server import MockServer
    from mockserver.testing.handles.workspace import Workspace
    from mockserver.testing.scenario import Scenario
    from mockserver.testing.sessions.report import Reading
    from mockserver.testing.sessions.session import TestWorkspace

#: The workspace of a test, until the report of its teardown is made.
_WORKSPACE = pytest.StashKey["TestWorkspace"]()
#: What was read of the workspaces of the last test before the server stops.
_READING = pytest.StashKey["list[Reading]"]()
#: When the setup of a test began, in seconds since 1970.
_START = pytest.StashKey[float]()
#: The server of the session, while it runs.
_SERVER = pytest.StashKey["MockServer"]()
#: Whether a test is the last test of the session, after which the server stops.
_IS_LAST = pytest.StashKey[bool]()
#: The folder for artifacts of failed tests, if they are wanted.
_ARTIFACTS = pytest.StashKey[Path]()
#: The id of the session, which workers of xdist share.
_SESSION = pytest.StashKey[str]()
#: The setting with the rules that fail a session, and the plugin that applies them.
_FAIL_ON, _LINT = "mockserver_lint_fail_on", "mockserver-lint"
#: The formats of a report of coverage.
_FORMATS = ("text", "json", "html", "junit")
_MARKER = (
    "mockserver(*, scenario=None, seed=None, strict=False, behaviour=None, vary=None): the workspace that the fixture "
    "`mockserver` makes; behaviour='recorded' answers as observed live, vary=range(20) runs the test with each seed"
)
#: The name by which a test has its seed of `vary`, if it has several.
VARY = "mockserver_vary"
#: The arguments of the marker, each with its types.
_ARGUMENTS: Mapping[str, tuple[type, ...]] = {
    "scenario": (str, os.PathLike, Mapping),
    "seed": (int,),
    "strict": (bool,),
    "behaviour": (str,),
    "vary": (int, Sequence),
}


# ---------------------------------------------------------------------- fixtures


@pytest.fixture(scope="session")
def mockserver_server(pytestconfig: pytest.Config) -> Iterator[MockServer]:
    """The server of this session, a `mockserver.MockServer`.

    The server at MOCKSERVER_URL, with MOCKSERVER_TOKEN as its control token; else the server of
    `--mockserver-command`; else a server in this process.
    """
    from mockserver.testing.sessions.session import serving  # noqa: PLC0415  # slow to import

    with serving(pytestconfig) as server:
        pytestconfig.stash[_SERVER] = server
        yield server
        del pytestconfig.stash[_SERVER]


@pytest.fixture(scope="session")
def mockserver_scenario() -> Scenario | None:
    """The scenario of all tests: name, document, path of a YAML file, or None (the server's scenario).

    Override this fixture to choose another scenario; a scenario given by the marker `mockserver` wins.
    """
    return None


@pytest.fixture
def mockserver(
    request: pytest.FixtureRequest, mockserver_server: MockServer, mockserver_scenario: Scenario | None
) -> Iterator[Workspace]:
    """A new workspace, a `mockserver.Workspace`, dropped after the test.

    The server at MOCKSERVER_URL keeps the workspace of a failed test, and the report has its address.

    `@pytest.mark.mockserver(scenario=..., seed=..., strict=True, behaviour=..., vary=...)` chooses another scenario or
    seed; `strict` refuses body fields that the service does not know; `behaviour` is a preset, `documented` or
    `recorded`; `vary` draws legal differences from a seed, and several seeds, such as `range(20)`, make several tests.
    """
    from mockserver.testing.sessions.session import TestWorkspace  # noqa: PLC0415  # slow to import

    # The marker that is closest to the test comes first, and wins.
    chosen: dict[str, Any] = {}
    for marker in request.node.iter_markers("mockserver"):
        chosen = {**marker.kwargs, **chosen}
    drawn = getattr(request.node, "callspec", None)
    if drawn is not None and VARY in drawn.params:
        chosen["vary"] = drawn.params[VARY]
    stash = request.node.stash
    test = stash[_WORKSPACE] = TestWorkspace(mockserver_server, mockserver_scenario, chosen, request.node.nodeid)
    yield test.workspace
    if (lint := request.config.pluginmanager.get_plugin(_LINT)) is not None:
        lint.read(request.node.nodeid, test)
    # Fixtures that are torn down after this one may fail, and the report shows the workspace: it is dropped after the
    # report of the teardown. After the last test the server stops, so that the workspace is read here.
    if stash.get(_IS_LAST, False):
        stash[_READING] = _read(request.node)
        test.leave()


@pytest.fixture
def async_mockserver(mockserver: Workspace) -> AsyncWorkspace:
    """The workspace of the fixture `mockserver` for coroutines, a `mockserver.AsyncWorkspace`."""
    return mockserver.asynchronous


# ---------------------------------------------------------------------- options and marker


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mockserver", "the mock of the Brevo API")
    group.addoption(
        "--mockserver-coverage",
        action="store_true",
        help="Print at the end which part of the contract the tests have met.",
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
    group.addoption("--mockserver-lint", action="store_true", help="Print at the end the mistakes of the client.")
    group.addoption(
        "--mockserver-lint-fail-on",
        metavar="RULE,...",
        help="Do the same, and exit with status 1 if one of these rules has found something, or any rule with all.",
    )
    group.addoption("--mockserver-lint-baseline", metavar="FILE", help="Leave out the findings in this file.")
    group.addoption("--mockserver-lint-update-baseline", action="store_true", help="Add new findings to it.")
    parser.addini("mockserver_lint_baseline", "The file of accepted findings; see --mockserver-lint-baseline.")
    parser.addini(_FAIL_ON, "The rules that fail a session; see --mockserver-lint-fail-on.")
    group.addoption(
        "--mockserver-command",
        metavar="CMD",
        help="Start a server by this command, once for the session and all workers of xdist; it ends with pytest. "
        "{port} is replaced by a free port, which is also MOCKSERVER_PORT in its environment. Not with MOCKSERVER_URL. "
        "Also: MOCKSERVER_COMMAND, and the setting mockserver_command.",
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
        help="Write a folder for each failed test into DIR: trace.html, journal, mails, deliveries, states; "
        "mockserver verify FOLDER replays it. Also: MOCKSERVER_ARTIFACTS, and the setting mockserver_artifacts.",
    )
    parser.addini("mockserver_artifacts", "The folder for the artifacts of failed tests; none are written without it.")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    keep_real_time()
    options = config.option
    given = options.mockserver_artifacts or os.environ.get("MOCKSERVER_ARTIFACTS")
    if (folder := path_of(config, given, "mockserver_artifacts")) is not None:
        config.stash[_ARTIFACTS] = folder
        config.stash[_SESSION] = getattr(config, "workerinput", {}).get("testrunuid") or uuid4().hex
    if (gate := gate_of(config)) is not None:
        _count_coverage(config, gate)
    lint = (options.mockserver_lint, options.mockserver_lint_fail_on, options.mockserver_lint_baseline)
    if any(lint) or options.mockserver_lint_update_baseline or config.getini(_FAIL_ON):
        from mockserver.testing.sessions.lint import lint_of  # noqa: PLC0415  # slow to import

        config.pluginmanager.register(lint_of(config), _LINT)
    if (command := _command(config)) is not None:
        from mockserver.testing.sessions.session import LAUNCHER, Launcher  # noqa: PLC0415  # slow to import

        config.pluginmanager.register(Launcher(config, command), LAUNCHER)


def _count_coverage(config: pytest.Config, gate: Gate) -> None:
    from mockserver.settings import ServerMissingError, needing_server  # noqa: PLC0415  # slow to import
    from mockserver.testing.sessions.session import TALLY  # noqa: PLC0415  # see above

    try:
        with needing_server("the coverage of a session"):
            from mockserver.testing.sessions.tally import Tally  # noqa: PLC0415  # see above
    except ServerMissingError as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(Tally(config, gate), TALLY)


def _command(config: pytest.Config) -> str | None:
    """Return the server command for this process; none with MOCKSERVER_URL, and in workers of xdist."""
    if os.environ.get("MOCKSERVER_URL") or hasattr(config, "workerinput"):
        return None
    ways = (config.option.mockserver_command, os.environ.get("MOCKSERVER_COMMAND"), config.getini("mockserver_command"))
    return next((str(way) for way in ways if way), None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each seed of `vary`."""
    markers = (marker.kwargs for marker in metafunc.definition.iter_markers("mockserver"))
    seeds = next((marked["vary"] for marked in markers if "vary" in marked), None)
    is_valid = isinstance(seeds, Sequence) and all(type(seed) is int for seed in seeds)  # others are refused later
    if seeds is not None and is_valid and "mockserver" in metafunc.fixturenames:
        metafunc.fixturenames.append(VARY)
        metafunc.parametrize(VARY, seeds, ids=[f"vary-{seed}" for seed in seeds])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse markers `mockserver` with wrong arguments, before any test runs."""
    for item in items:
        for marker in item.iter_markers("mockserver"):
            for error in _errors(marker):
                raise pytest.UsageError(f"{item.nodeid}: @pytest.mark.mockserver {error}")


def _errors(marker: pytest.Mark) -> Iterator[str]:
    if marker.args:
        yield f"takes arguments by name only, such as scenario={marker.args[0]!r}"
    for name, value in marker.kwargs.items():
        if name not in _ARGUMENTS:
            yield f"takes no {name}; it takes {', '.join(_ARGUMENTS)}"
        elif value is not None and not isinstance(value, _ARGUMENTS[name]):
            yield f"takes no {name}={value!r}"
        elif name == "vary" and any(type(seed) is not int for seed in _seeds(value)):
            yield f"takes no vary={value!r}; it takes a whole number, or several such as range(20)"


def _seeds(value: Any) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else () if value is None else (value,)


def _report(text: str) -> tuple[str, str]:
    format_, _, path = text.partition(":")
    if format_ not in _FORMATS or not path:
        raise argparse.ArgumentTypeError(f"{text!r} is not FORM:PATH with a form out of {', '.join(_FORMATS)}")
    return format_, path


# ---------------------------------------------------------------------- the report of a failed test


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    item.stash[_IS_LAST] = nextitem is None


@pytest.hookimpl(hookwrapper=True)  # and not `wrapper`: pytest 7.4 may run with a pluggy that knows this form only
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    report: pytest.TestReport = (yield).get_result()
    item.stash.setdefault(_START, call.start)
    if report.failed:
        with told("the workspace cannot be shown", lambda text: report.sections.append(("mockserver", text))):
            _tell(item, report)
    test = item.stash.get(_WORKSPACE, None)
    if report.when == "teardown" and test is not None:
        del item.stash[_WORKSPACE]
        if _READING in item.stash:
            del item.stash[_READING]
        with told("the workspace of the test cannot be dropped", partial(_fail, report)):
            test.leave()


def _fail(report: pytest.TestReport, text: str) -> None:
    """Add a section to a report, which becomes an error, as passed reports are not shown."""
    report.outcome, report.longrepr = "failed", report.longrepr or text
    report.sections.append(("mockserver", text))


def _tell(item: pytest.Item, report: pytest.TestReport) -> None:
    from mockserver.testing.sessions.report import tell  # noqa: PLC0415  # needed by failed tests only

    for found in item.stash.get(_READING, None) or _read(item):
        tell(report, found, item.config.stash.get(_ARTIFACTS, None), item.config.stash.get(_SESSION, ""))
    test = item.stash.get(_WORKSPACE, None)
    if test is not None and os.environ.get("MOCKSERVER_URL"):
        test.is_kept = True
        report.sections.append(("mockserver dashboard", f"what happened, to look at: {test.workspace.dashboard_url}"))


def _read(item: pytest.Item) -> list[Reading]:
    """Read the workspaces that a test has used, while the server runs."""
    if (server := item.config.stash.get(_SERVER, None)) is None:
        return []
    from mockserver.testing.sessions.report import read_failure  # noqa: PLC0415  # needed by failed tests only

    test: TestWorkspace | None = item.stash.get(_WORKSPACE, None)
    return read_failure(server, test, item.stash.get(_START, 0), artifacts=_ARTIFACTS in item.config.stash)

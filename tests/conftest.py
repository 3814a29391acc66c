"""What the tests stand on: workspaces without a socket, and servers with one."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import Counter
from contextlib import ExitStack, contextmanager, nullcontext
from typing import NamedTuple

import examples  # noqa: F401  # its profiles are those of all properties
import pytest
import signing_keys
import stored_apps
from shared_files import SharedFiles
from stepped import Stepped
from tracing import repeats, untraced

from mockserver import MockServer, Settings, create_app
from mockserver.app.runtime import Runtime
from mockserver.web.server.server import bind

pytest_plugins = ["pytester"]


class Api:
    """One application, called as a client with an API key would; `workspace` is its default workspace."""

    #: Makes the application; that of `--store sqlite` is another one.
    create_app = staticmethod(create_app)

    def __init__(self, scenario="standard", *, key="any", **settings):
        name = scenario if isinstance(scenario, str) else "empty"
        self.app = self.create_app(Settings(scenario=name, **settings))
        self.client = self.app.test_client()
        self.key = key
        if not isinstance(scenario, str):
            assert self.post("/_mock/reset", json={"scenario": scenario}).status_code == 200

    @property
    def store(self):
        return Stepped(self.app.store)

    @property
    def workspace(self):
        return self.store.default

    def request(self, method, path, *, key=None, headers=None, **options):
        headers = {"api-key": key or self.key, **(headers or {})}
        if path.startswith("/_mock"):
            del headers["api-key"]
        return self.client.open(path, method=method, headers=headers, **options)

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, **options):
        return self.request("POST", path, **options)

    def put(self, path, **options):
        return self.request("PUT", path, **options)

    def delete(self, path, **options):
        return self.request("DELETE", path, **options)

    def advance(self, by):
        return self.post("/_mock/clock/advance", json={"by": by}).json


@pytest.fixture
def begun():
    """A function that gives the threads with such names that began after the test did, and have not ended."""
    before = set(threading.enumerate())

    def begun(*prefixes):
        return [thread for thread in threading.enumerate() if thread not in before and thread.name.startswith(prefixes)]

    return begun


@pytest.fixture(scope="session")
def make_api():
    """A factory of applications: a scenario by name or as a document, and settings."""
    return Api


@pytest.fixture
def api(request, make_api):
    """An application with the scenario `standard`, or with the scenario and settings of the mark `api`."""
    return _marked(request, make_api)


def _marked(request, make):
    mark = request.node.get_closest_marker(request.fixturename)
    return make(*mark.args, **mark.kwargs) if mark else make()


@pytest.fixture(scope="session")
def shared_files(request, tmp_path_factory):
    """Files that take long to make, made once for all workers of a run."""
    return SharedFiles.of_run(request, tmp_path_factory)


def pytest_addoption(parser):
    parser.addoption(
        "--store",
        choices=("memory", "sqlite", "redis"),
        default="memory",
        help="what keeps the workspaces of the tests; but for `memory` each is read again in the end, and compared",
    )
    parser.addoption(
        "--replicas",
        type=int,
        default=1,
        help="how many servers share a store of `redis`; if several, nginx gives each request to the next of them",
    )


#: Chosen: with more of each file, the quick part takes over 40 seconds on two cores.
QUICK_OF_A_FILE = 3
#: What takes long, needs more than Python, or wants the machine for itself.
NOT_QUICK = ("slow", "hypothesis", "browser", "knot", "languages", "engine", "guard", "benchmark")
#: The files whose tests run whole programs or servers (a type checker, pytest, nginx), wait for clocks, or run the
#: whole contract.
NOT_QUICK_FILES = {
    *("test_checks.py", "test_examples.py", "test_names.py", "test_plugin.py", "test_tally.py", "test_verify.py"),
    *("test_artifacts.py", "test_batches.py", "test_beyond.py", "test_command.py", "test_container.py"),
    *("test_dockerfile.py", "test_ensure_webhook.py", "test_follow.py", "test_framing.py", "test_init.py"),
    *("test_kills.py", "test_lines.py", "test_manifests.py", "test_process.py", "test_resuming.py"),
    *("test_outages.py", "test_rollback.py", "test_successors.py", "test_types.py", "test_hostile_expressions.py"),
}


#: What takes long by its nature, and the seconds that a test of it may take; all others have those of pyproject.toml.
LONG, LONGEST_S = ("slow", "languages", "engine", "guard", "benchmark"), 300


def pytest_configure(config):
    if config.getoption("--store") != "memory":
        stored_apps.join(config, Api)
    signing_keys.join(config)
    # What is for this run is not for those that its tests start, which would write their report over that of this one.
    # The process that starts workers keeps it for them.
    if not config.getoption("numprocesses", None):
        os.environ.pop("PYTEST_ADDOPTS", None)
    # Let interrupts arrive: what a shell starts in the background ignores them, and all that it starts does so too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # what nohup starts
        signal.signal(signal.SIGHUP, lambda *_: None)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage while tests are made: nearly nothing is any, and the looking takes a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(items):
    """Mark the first tests of each file as quick, so that every area has some, and give time to what takes long."""
    seen, by_file = set(), Counter()
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if not marks.isdisjoint(LONG):
            item.add_marker(pytest.mark.timeout(LONGEST_S))
        name = item.nodeid.partition("[")[0]
        is_quick = item.path.name not in NOT_QUICK_FILES and marks.isdisjoint(NOT_QUICK)
        if is_quick and name not in seen and by_file[item.path] < QUICK_OF_A_FILE:
            seen.add(name)
            by_file[item.path] += 1
            item.add_marker("quick")


#: The tests that coverage does not trace; empty without `--cov`, as a debugger traces as well.
UNTRACED = pytest.StashKey[frozenset[str]]()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session):
    """Of thousands of tests the collector would else take a second each time that it looks through all objects."""
    is_covered = session.config.getoption("cov_source", None)
    session.config.stash[UNTRACED] = frozenset(item.nodeid for item in repeats(session.items) if is_covered)
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pycollect_makeitem():
    """Trace no making of tests out of a module, which runs hardly anything of the package; its import is traced."""
    with untraced():
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtestloop(session):
    """Trace nothing in the process that hands tests out to workers and runs none."""
    with untraced() if session.config.getoption("numprocesses", None) else nullcontext():
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    """Trace a test for coverage, unless it repeats others."""
    with untraced() if item.nodeid in item.config.stash[UNTRACED] else nullcontext():
        return (yield)


@pytest.fixture
def left_behind():
    """Gives what only a collection finds after a function that is called twice."""

    def found(act):
        act()
        gc.freeze()  # what is there by now is looked at no more, as there is much of it
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        act()
        gc.collect()
        return gc.garbage

    yield found
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


@contextmanager
def running(app):
    """A real server for an application, on a free port of loopback, in a thread; gives its root address."""
    if hasattr(app, "replicas"):  # they have servers
        yield app.url
        return
    with Runtime(app, bind("127.0.0.1", 0)) as runtime:
        yield runtime.url
    assert not runtime.is_running


@pytest.fixture
def serve_app():
    """A factory of real servers for applications that are there already: the root address back."""
    with ExitStack() as stack:
        yield lambda app: stack.enter_context(running(app))


@pytest.fixture
def serve(serve_app):
    """A factory of real servers: a scenario and settings, the root address back."""
    return lambda scenario="standard", **settings: serve_app(Api(scenario, **settings).app)


@pytest.fixture(scope="module")
def module_serve():
    with ExitStack() as stack:
        yield lambda scenario="standard", **settings: stack.enter_context(running(Api(scenario, **settings).app))


@pytest.fixture(scope="module")
def root(request, module_serve):
    """The root address of a server for all tests of a module, with the scenario and settings of the mark `root`."""
    return _marked(request, module_serve)


@pytest.fixture(scope="module")
def server(request):
    """A `MockServer` for all tests of a module, with the scenario and settings of the mark `server`."""
    with _marked(request, MockServer) as server:
        yield server


@pytest.fixture
def make_workspace(server):
    """A factory of workspaces of the server, with the scenario `onboarding` if none is given."""
    with ExitStack() as stack:
        yield lambda scenario="onboarding", **options: stack.enter_context(server.workspace(scenario, **options))


@pytest.fixture
def workspace(request, make_workspace):
    """A new workspace, made with the arguments of the mark `workspace`."""
    return _marked(request, make_workspace)


class ContractSize(NamedTuple):
    """How large the contract is; whoever adds an operation or a point of one changes it here, and nowhere else."""

    #: The operations of contract/README#resources, each with a file under `fixtures/`.
    operations: int = 34
    #: What coverage counts: operations, statuses, codes, fields and transitions.
    points: int = 324


@pytest.fixture(scope="session")
def contract_size():
    return ContractSize()

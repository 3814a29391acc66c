"""Servers for the tests of the testing tools: here, in another process, and by coroutines under asyncio and trio."""

import importlib
import os
import pkgutil
import sys
import threading
from contextlib import contextmanager
from typing import NamedTuple

import pytest
import requests
from blocking_proxy import run_blocking
from server_process import ServerProcess

from mockserver import AsyncMockServer, MockServer, app, control, resources


@pytest.fixture(scope="session", autouse=True)
def environment():
    """Remove the settings of the environment, so that they reach neither a server nor the plugin."""
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(lambda name: name.startswith("MOCKSERVER_"), list(os.environ)):
            patch.delenv(name)
        yield


@contextmanager
def here(token=None):
    with MockServer(control_token=token) as server:
        yield server


@contextmanager
def process(token=None):
    """The root address of a server in a process of its own."""
    with ServerProcess(*(["--control-token", token] if token else [])) as server:
        yield server.root


@contextmanager
def elsewhere(token=None):
    with process(token) as url, MockServer.connect(url, token) as server:
        yield server


def coroutines(backend):
    """A server elsewhere by its coroutines, which a loop of the backend drives."""

    @contextmanager
    def connected(token):
        with process(token) as url, run_blocking(lambda: AsyncMockServer.connect(url, token), backend) as server:
            yield server

    return connected


_FORMS = {
    "here": (here, None),
    "elsewhere": (elsewhere, "a-token"),
    "asyncio": (coroutines("asyncio"), None),
    "trio": (coroutines("trio"), "a-token"),
}


def pytest_generate_tests(metafunc):
    if "server" in metafunc.fixturenames:
        mark = metafunc.definition.get_closest_marker("server")
        metafunc.parametrize("server", mark.args if mark else _FORMS, indirect=True, scope="session")


@pytest.fixture(scope="session")
def server(request):
    """Each server, or the servers of the mark `server`. Tests leave the default workspace unchanged."""
    form, token = _FORMS[request.param]
    with form(token) as found:
        yield found


@pytest.fixture(scope="session")
def running():
    """The root address of a server in a process of its own."""
    with process() as url:
        yield url


class Reply(NamedTuple):
    status: int
    json: object
    headers: object


@pytest.fixture(scope="session")
def ask():
    """Sends a request to a workspace as a client does, through the proxies of the environment if there are any."""
    session = requests.Session()
    session.trust_env = False

    def send(workspace, method, path, *, key=None, json=None, **headers):
        headers = {"api-key": key or workspace.api_key, **headers}
        answer = session.request(method, f"{workspace.url}{path}", headers=headers, json=json, timeout=10)
        return Reply(answer.status_code, answer.json() if answer.content else None, answer.headers)

    with session:
        yield send


@pytest.fixture
def later():
    """Calls a function in a thread, which is joined when the test ends."""
    threads = []

    def begin(function, *arguments, **options):
        thread = threading.Thread(target=function, args=arguments, kwargs=options, daemon=True)
        thread.start()
        threads.append(thread)
        return thread

    yield begin
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


# ---------------------------------------------------------------------- coroutines


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param


@pytest.fixture(scope="module")
def blocking():
    with MockServer() as server:
        yield server


@pytest.fixture
def async_workspace(blocking):
    """A new workspace with coroutines."""
    with blocking.workspace("onboarding") as found:
        yield found.asynchronous


# ---------------------------------------------------------------------- suites that use the plugin

#: What an inner run may import first, beside what a server imports when it needs it.
_BEFORE = ("mockserver.testing.sessions.session", "jwt", "uvloop")

#: Plugins that some users have beside this one; `test_beside.py` loads them.
_BESIDE = ("flask", "recording", "socket", "time_machine")

_CALLS = """
    import urllib.request

    def call(workspace, path="/account", data=None, method=None):
        headers = {"api-key": workspace.api_key, "content-type": "application/json"}
        request = urllib.request.Request(workspace.url + path, data, headers, method=method)
        return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).status
"""


@pytest.fixture(scope="session")
def alone():
    """Options of pytest that disable other installed plugins, which take time to load."""
    return [
        part
        for name in ("schemathesis", "hypothesispytest", "faker", "anyio", "asyncio", *_BESIDE)
        for part in ("-p", f"no:{name}")
    ]


#: Sockets that clients of other tests in this process have left, as in `pyproject.toml`.
_OF_OTHERS = "ignore:unclosed <socket.socket [closed]:ResourceWarning"


@pytest.fixture(scope="session")
def loaded():
    """Imports what an inner run may import first, which would be imported again after it.

    Compiled modules may not be, and of a server each class would be there twice. This is a fixture of the session, as
    `pytester` forgets what a test imports.
    """
    for name in _BEFORE:
        importlib.import_module(name)
    for package in (app, control, resources):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


@pytest.fixture
def run_outside(pytester, alone):
    """Runs a suite in a process of its own, which no patch leaves."""
    pytester.makepyfile(calls=_CALLS)

    def run_suite(suite, *options):
        pytester.makepyfile(test_it=f"import pytest\nfrom calls import call\n{suite}")
        return pytester.runpytest_subprocess(*alone, *options)

    return run_suite


@pytest.fixture
def run(pytester, monkeypatch, alone, loaded):
    """Runs a suite in this process, warnings being errors there as well; `call` of the suite asks a workspace
    something."""
    # A fresh run imports the plugin, and so shall this one: only then is it seen what its import does.
    monkeypatch.delitem(sys.modules, "mockserver.testing.plugin")
    pytester.makepyfile(calls=_CALLS)

    def run_suite(suite, *options):
        lines = ["import pytest", "from calls import call", *(line.removeprefix("    ") for line in suite.splitlines())]
        pytester.makepyfile(test_it="\n".join(lines))
        return pytester.runpytest_inprocess("-W", "error", "-W", _OF_OTHERS, *alone, *options)

    return run_suite

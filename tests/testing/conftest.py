"""The toolkit's two forms: a server in this process, and one in a process of its own; each with and without a token."""

import importlib
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import NamedTuple

import pytest
import requests

from mockserver import MockServer

_COMMAND = [sys.executable, "-m", "mockserver", "serve", "--port", "0"]


@pytest.fixture(scope="session", autouse=True)
def environment():
    """No setting of whoever runs the tests reaches a server, or the plugin."""
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
    """A server in a process of its own; gives its root address."""
    command = [*_COMMAND, *(["--control-token", token] if token else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running.stdout.readline().strip()
        finally:
            running.terminate()


@contextmanager
def elsewhere(token=None):
    with process(token) as url, MockServer.connect(url, token) as server:
        yield server


_FORMS = {
    "here": (here, None),
    "here-token": (here, "a-token"),
    "elsewhere": (elsewhere, None),
    "elsewhere-token": (elsewhere, "a-token"),
}


@pytest.fixture(scope="session", params=_FORMS)
def server(request):
    """A server in each form; its tests leave the default workspace as it was."""
    form, token = _FORMS[request.param]
    with form(token) as found:
        yield found


@pytest.fixture(scope="session")
def running():
    """The root address of a server in a process of its own."""
    with process() as url:
        yield url


@pytest.fixture
def workspace(server):
    """A fresh workspace: a sender that waits for its code, a domain without records, and a clock that stands still."""
    with server.workspace("onboarding") as found:
        yield found


class Reply(NamedTuple):
    status: int
    json: object
    headers: object


@pytest.fixture(scope="session")
def ask():
    """The team's product: sends a request to a workspace, through whatever proxies the environment names."""
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
    """Calls in a thread, which ends with the test."""
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


# ---------------------------------------------------------------------- suites that use the plugin

#: What an inner run imports first is imported again after it, and compiled modules may not be; so it comes before.
_BEFORE = ("mockserver.testing.sessions.session", "uvloop")

_CALLS = """
    import urllib.request

    def call(workspace, path="/account", data=None):
        request = urllib.request.Request(workspace.url + path, data, {"api-key": workspace.api_key})
        return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).status
"""


@pytest.fixture(scope="session")
def alone():
    """Options of pytest that leave out plugins which are installed beside ours, and cost time."""
    return [part for name in ("schemathesis", "hypothesispytest", "faker", "anyio") for part in ("-p", f"no:{name}")]


@pytest.fixture
def run(pytester, monkeypatch, alone):
    """Runs a suite in this process, warnings being errors there as well; `call` of the suite asks a workspace
    something."""
    for name in _BEFORE:
        importlib.import_module(name)
    # A fresh run imports the plugin, and so shall this one: only then is it seen what its import does.
    monkeypatch.delitem(sys.modules, "mockserver.testing.plugin")
    pytester.makepyfile(calls=_CALLS)

    def run_suite(suite, *options):
        lines = ["import pytest", "from calls import call", *(line.removeprefix("    ") for line in suite.splitlines())]
        pytester.makepyfile(test_it="\n".join(lines))
        return pytester.runpytest_inprocess("-W", "error", *alone, *options)

    return run_suite

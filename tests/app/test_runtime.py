"""A server in this process can be opened, run, interrupted and closed."""

import socket
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from mockserver import Settings, create_app
from mockserver.app.application import Application
from mockserver.app.runtime import Runtime, runtime_of
from mockserver.web.server.server import bind

#: How long a start or a stop may take, in seconds; far above the milliseconds that they do take.
TIMEOUT_S = 10


@pytest.fixture
def make_runtime():
    """A factory of servers on a free port of loopback, not yet open."""

    def make(**settings):
        return Runtime(create_app(Settings(scenario="empty", **settings)), bind("127.0.0.1", 0))

    return make


def status(runtime):
    with urllib.request.urlopen(f"{runtime.url}/_mock/livez", timeout=TIMEOUT_S) as answer:
        return answer.status


def is_free(runtime):
    """Whether nobody listens on the port of a server."""
    with socket.socket() as other:
        return other.connect_ex(("127.0.0.1", runtime.port)) != 0


def test_a_server_answers_within_its_context_and_leaves_neither_thread_nor_port(make_runtime):
    with make_runtime() as runtime:
        assert status(runtime) == 200

    assert is_free(runtime)
    assert not runtime.is_running


def test_the_api_answers_while_the_first_control_call_is_imported(monkeypatch):
    importing, imported = threading.Event(), threading.Event()

    def slowly(mock):
        importing.set()
        assert imported.wait(TIMEOUT_S)
        return Application(mock)

    monkeypatch.setattr("mockserver.app.application.Application", slowly)
    with runtime_of(Settings(port=0, scenario="empty")) as runtime, ThreadPoolExecutor() as pool:
        first = pool.submit(status, runtime)
        assert importing.wait(TIMEOUT_S)
        request = urllib.request.Request(f"{runtime.url}/v3/senders", headers={"api-key": "any"})
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            assert answer.status == 200
        assert not first.done()
        imported.set()
        assert first.result() == 200


def test_an_interrupted_server_ends_in_the_thread_that_runs_it(make_runtime):
    runtime = make_runtime()
    runtime.open()
    thread = threading.Thread(target=runtime.run)
    thread.start()
    assert runtime.server.wait_started(TIMEOUT_S)

    runtime.interrupt()

    thread.join(TIMEOUT_S)
    runtime.close()
    assert not thread.is_alive()


def test_a_server_takes_connections_before_it_runs(make_runtime):
    """A program that reads the address may connect at once."""
    runtime = make_runtime()

    assert not is_free(runtime)
    runtime.close()


def test_a_server_that_cannot_listen_for_mails_releases_its_port(make_runtime):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        runtime = make_runtime(smtp_in=f"127.0.0.1:{taken.getsockname()[1]}")

        with pytest.raises(OSError, match="cannot listen on"):
            runtime.start()

    assert is_free(runtime)


def test_a_request_that_is_too_long_is_refused_in_the_format_of_its_audience(make_runtime):
    with make_runtime(head_limit=1_000) as runtime, pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(f"{runtime.url}/_mock/livez?{'x' * 2_000}", timeout=TIMEOUT_S)

    assert (refusal.value.code, refusal.value.headers["Content-Type"]) == (431, "application/problem+json")
    refusal.value.close()

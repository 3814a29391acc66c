"""A server in this process: open, running, interrupted, closed."""

import socket
import threading
import urllib.error
import urllib.request

import pytest

from mockserver import Settings, create_app
from mockserver.app.runtime import Runtime
from mockserver.web.server.server import bind

#: Much longer than a start or a stop takes, in seconds.
PATIENCE = 10


@pytest.fixture
def make_runtime():
    """A factory of servers on a free port of loopback, not yet open."""

    def make(**settings):
        return Runtime(create_app(Settings(scenario="empty", **settings)), bind("127.0.0.1", 0))

    return make


def status(runtime):
    with urllib.request.urlopen(f"{runtime.url}/_mock/livez", timeout=PATIENCE) as answer:
        return answer.status


def is_free(runtime):
    """Whether nobody listens on its port."""
    with socket.socket() as other:
        return other.connect_ex(("127.0.0.1", runtime.port)) != 0


def test_within_with_a_server_answers(make_runtime):
    with make_runtime() as runtime:
        assert status(runtime) == 200


def test_after_with_nobody_answers_and_no_thread_is_left(make_runtime):
    with make_runtime() as runtime:
        pass

    assert is_free(runtime)
    assert not runtime.is_running


def test_an_interrupted_server_ends_in_the_thread_that_runs_it(make_runtime):
    runtime = make_runtime()
    runtime.open()
    thread = threading.Thread(target=runtime.run)
    thread.start()
    assert runtime.server.wait_started(PATIENCE)

    runtime.interrupt()

    thread.join(PATIENCE)
    runtime.close()
    assert not thread.is_alive()


def test_before_it_runs_a_server_takes_connections(make_runtime):
    """Whoever is told the address may connect at once."""
    runtime = make_runtime()

    assert not is_free(runtime)
    runtime.close()


def test_a_server_that_cannot_take_mails_gives_its_port_back(make_runtime):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        runtime = make_runtime(smtp_in=f"127.0.0.1:{taken.getsockname()[1]}")

        with pytest.raises(OSError, match="cannot listen on"):
            runtime.start()

    assert is_free(runtime)


def test_a_request_that_is_too_long_is_refused_in_the_words_of_its_address(make_runtime):
    with make_runtime(head_limit=1_000) as runtime, pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(f"{runtime.url}/_mock/livez?{'x' * 2_000}", timeout=PATIENCE)

    assert (refusal.value.code, refusal.value.headers["Content-Type"]) == (431, "application/problem+json")
    refusal.value.close()

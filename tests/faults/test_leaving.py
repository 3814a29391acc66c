"""Clients that leave, hundreds that wait, and a server that stops: nothing is left behind, and nobody is slowed."""

from __future__ import annotations

import signal
import socket
import statistics
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from mockserver.app.runtime import Runtime
from mockserver.web.server.server import bind

ACCOUNT = ("GET", "/v3/account")
ENDLESS = ["hang", "latency; ms=3600000", "slow_body; ms=3600000"]
#: How long the server may take to notice, in seconds.
PATIENCE = 10
#: How much slower a request may be while two hundred others wait: the noise of a shared machine.
MOST_TIMES_SLOWER = 4


def fault(text):
    return f"x-mock-fault: {text}"


# ---------------------------------------------------------------------- in this process, to look inside


@pytest.fixture
def running(api):
    """A server that can be looked into, and its address."""
    with Runtime(api.app, bind("127.0.0.1", 0)) as runtime:
        yield runtime.server, runtime.url
    assert not runtime.is_running


def wait_until(peer, reached):
    """Ask something until the server has got there."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, "the server does not get there"
        peer.send("GET", "/_mock/livez").read_answer()


def is_alone(found):
    """Whether there is nothing left but the connection that asks."""
    state = found.server_state
    return len(state.connections) == 1 and not state.tasks and not found._bridge.runner.waiting  # noqa: SLF001  # the server shows it to nobody


@pytest.fixture
def waiting(running, peers):
    """Asks for a fault, and goes on when the server waits."""
    found, root = running
    watcher = peers(root)

    def ask(text, *, ahead=0):
        peer = peers(root)
        before = len(found._bridge.runner.waiting)  # noqa: SLF001  # see above
        peer.send("GET", "/v3/senders", fault(text), ahead=[ACCOUNT] * ahead)
        wait_until(watcher, lambda: len(found._bridge.runner.waiting) == before + 1)  # noqa: SLF001  # see above
        return peer

    ask.gone = lambda: wait_until(watcher, lambda: is_alone(found))
    return ask


@pytest.mark.parametrize("text", ENDLESS)
@pytest.mark.parametrize("ahead", [0, 1, 3], ids="{} sent ahead".format)
def test_leaving_client_leaves_nothing_behind(waiting, text, ahead):
    waiting(text, ahead=ahead).close()
    waiting.gone()


@pytest.mark.parametrize("text", ENDLESS)
def test_client_that_closes_its_side_has_left(waiting, text):
    waiting(text).socket.shutdown(socket.SHUT_WR)
    waiting.gone()


@pytest.mark.parametrize("text", ["connection_reset", "empty_response", "truncated_body", "hang; ms=1"])
def test_a_connection_that_ends_takes_along_what_was_sent_ahead(running, peers, waiting, text):
    peer = peers(running[1]).send("GET", "/v3/senders", fault(text), ahead=[ACCOUNT] * 2)
    read_to_the_end(peer)
    waiting.gone()


def test_nobody_sends_ahead_without_end(running, peers, waiting):
    """What is sent ahead is read up to a limit, and the rest when it is its turn."""
    peer = peers(running[1]).send("GET", "/v3/senders", fault("latency; ms=100"))
    for _ in range(30):
        peer.send(*ACCOUNT, ahead=[ACCOUNT] * 9)
    assert "x-mock-fault" in peer.read_answer()[1]
    assert [peer.read_answer()[0] for _ in range(300)] == [200] * 300
    peer.close()
    waiting.gone()


# ---------------------------------------------------------------------- in a process of its own, as users run it


class Process:
    """`mockserver serve`, and what it says on stderr."""

    def __init__(self, log):
        self._log = log
        command = [sys.executable, "-m", "mockserver", "serve", "--port", "0"]
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True)
        self.root = self.process.stdout.readline().strip()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        self.process.stdout.close()

    def stop(self):
        """SIGTERM; how long it took to end, in seconds."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)
        return time.monotonic() - began

    def complaints(self):
        words = ("Traceback", "Error", "ERROR", "xception", "WARNING", "never", "Task")
        return [line for line in self._log.read_text().splitlines() if any(word in line for word in words)]


@pytest.fixture
def processes(tmp_path):
    """Starts them."""
    found = []

    def start():
        found.append(Process(tmp_path / f"stderr-{len(found)}"))
        return found[-1]

    yield start
    for process in found:
        process.kill()


@pytest.fixture
def process(processes):
    return processes()


def test_leaving_clients_and_ending_servers_log_no_errors(process, peers):
    for text in (*ENDLESS, "connection_reset", "empty_response", "truncated_body", "slow_body; ms=20", "hang; ms=10"):
        for ahead in (0, 2):
            peers(process.root).send("GET", "/v3/senders", fault(text), ahead=[ACCOUNT] * ahead).close()
    left = [peers(process.root).send("GET", "/v3/senders", fault("connection_reset")) for _ in range(5)]
    for peer in left:
        with pytest.raises(ConnectionResetError):
            peer.socket.recv(1)
    assert peers(process.root).send().read_answer()[0] == 200
    process.stop()
    assert process.complaints() == []


@pytest.mark.parametrize("text", ENDLESS)
def test_the_process_ends_at_once_whoever_still_waits(process, peers, text):
    waiting = [peers(process.root).send("GET", "/v3/senders", fault(text)) for _ in range(20)]
    waiting.append(peers(process.root).send("GET", "/v3/senders", fault(text), ahead=[ACCOUNT] * 2))
    assert peers(process.root).send().read_answer()[0] == 200

    assert process.stop() < 2
    assert process.process.returncode in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
    assert process.complaints() == []
    for peer in waiting:
        read_to_the_end(peer)


def read_to_the_end(peer):
    """Raises TimeoutError if the connection does not end."""
    with suppress(ConnectionResetError):
        peer.read_all()


def test_two_hundred_that_wait_do_not_slow_another_one(processes, peers):
    """Two servers asked in turn have the same noise around them; two hundred wait at one of them."""
    roots = [processes().root, processes().root]
    waiting = [
        peers(roots[1]).send("GET", "/v3/senders", fault(text))
        for text in ["hang", "slow_body; ms=30000"]
        for _ in range(100)
    ]
    asking, times = [peers(root) for root in roots], ([], [])
    for _ in range(150):
        for peer, found in zip(asking, times, strict=True):
            began = time.perf_counter()
            assert peer.send().read_answer()[0] == 200
            found.append(time.perf_counter() - began)

    alone, beside = map(statistics.median, times)
    assert beside < MOST_TIMES_SLOWER * alone
    for peer in waiting[:100]:
        peer.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            peer.socket.recv(1)
    assert waiting[-1].socket.recv(1) == b"H"

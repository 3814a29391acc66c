"""What a server has acknowledged when a signal stops it is in its store."""

import os
import pty
import signal
import subprocess
import sys

import pytest
from wire import Wire

from mockserver.cli.program import ending_signals

#: Serves in the terminal that is its standard input.
_IN_TERMINAL = """
import os
os.login_tty(0)
from mockserver.cli import main
main()
"""


def create(root):
    """Create five senders."""
    with Wire(root, "default") as wire:
        wire.key = "any"
        for number in range(5):
            assert wire.ask("POST", "/v3/senders", {"name": "Ops", "email": f"s{number}@acme.test"})[0] == 201


def kept(server):
    """The number of kept senders among those of `create`, after a new start."""
    server.start()
    server.wait()
    with Wire(server.url, "default") as wire:
        wire.key = "any"
        return sum(row["email"].startswith("s") for row in wire.ask("GET", "/v3/senders")[1]["senders"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_acknowledged_changes_are_kept_when_a_signal_stops_the_server(server_process, number):
    server_process.start()
    server_process.wait()
    create(server_process.url)
    server_process.signal(number)
    assert server_process.ended() == 0
    assert kept(server_process) == 5


@pytest.mark.slow
def test_acknowledged_changes_are_kept_when_the_terminal_is_closed(server_process, place):
    terminal, its_terminal = pty.openpty()
    command = [sys.executable, "-c", _IN_TERMINAL, "serve", "--port", "0", "--store", place.url]
    process = subprocess.Popen(command, stdin=its_terminal, stdout=its_terminal, stderr=its_terminal)
    try:
        os.close(its_terminal)
        with os.fdopen(terminal) as shown:
            create(shown.readline().strip())
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
    assert kept(server_process) == 5


@pytest.mark.parametrize(("handler", "ends"), [(signal.SIG_DFL, True), (signal.SIG_IGN, False)])
def test_closed_terminal_ends_commands_unless_nohup_has_started_them(handler, ends):
    before = signal.signal(signal.SIGHUP, handler)
    try:
        assert (signal.SIGHUP in ending_signals(), signal.SIGTERM in ending_signals()) == (ends, True)
    finally:
        signal.signal(signal.SIGHUP, before)

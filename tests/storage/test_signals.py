"""What a server has acknowledged when a signal stops it is in its file."""

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


@pytest.fixture
def kept(servers, ask):
    """The number of kept senders among those of `create`, after a new start."""

    def count():
        senders = ask(servers.started(), "GET", "/v3/senders")[1]["senders"]
        return sum(row["email"].startswith("s") for row in senders)

    return count


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_acknowledged_changes_are_kept_when_a_signal_stops_the_server(servers, create, kept, number):
    server = servers.started()
    assert {create(server, sender) for sender in range(5)} == {201}
    server.signal(number)

    assert server.ended() == 0
    assert kept() == 5


@pytest.mark.slow
def test_acknowledged_changes_are_kept_when_the_terminal_is_closed(store, kept):
    terminal, its_terminal = pty.openpty()
    command = [sys.executable, "-c", _IN_TERMINAL, "serve", "--port", "0", "--store", f"sqlite:{store}"]
    process = subprocess.Popen(command, stdin=its_terminal, stdout=its_terminal, stderr=its_terminal)
    try:
        os.close(its_terminal)
        with os.fdopen(terminal) as shown, Wire(shown.readline().strip(), "default") as wire:
            wire.key = "any"
            for number in range(5):
                assert wire.ask("POST", "/v3/senders", {"name": "Ops", "email": f"s{number}@acme.test"})[0] == 201
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
    assert kept() == 5


@pytest.mark.parametrize(("handler", "ends"), [(signal.SIG_DFL, True), (signal.SIG_IGN, False)])
def test_closed_terminal_ends_commands_unless_nohup_has_started_them(handler, ends):
    before = signal.signal(signal.SIGHUP, handler)
    try:
        assert (signal.SIGHUP in ending_signals(), signal.SIGTERM in ending_signals()) == (ends, True)
    finally:
        signal.signal(signal.SIGHUP, before)

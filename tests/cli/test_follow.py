"""`mockserver logs -f`, and waiting at a terminal, as processes: what a signal, a pipe and a restart do to them."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest
import requests
from ports import free_port
from server_process import ServerProcess

COMMAND = [sys.executable, "-m", "mockserver"]


@pytest.fixture
def environment():
    """The environment without settings of the mock, and without what says whether colours are wanted."""
    unwanted = ("MOCKSERVER_", "NO_COLOR", "FORCE_COLOR", "PYTEST_")
    return {name: value for name, value in os.environ.items() if not name.startswith(unwanted)} | {"TERM": "xterm"}


@pytest.fixture
def root(serve):
    return serve("onboarding")


@pytest.fixture
def begin(environment):
    """Begins a command in a process, which is ended with the test."""
    running = []

    def run(*words, **options):
        process = subprocess.Popen(
            [*COMMAND, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
        )
        running.append(process)
        return process

    yield run
    for process in running:
        process.kill()
        process.communicate(timeout=10)


@pytest.fixture
def follower(begin, root):
    """A command that follows a server, and has told of one request."""
    ask(root, "/account")
    found = begin("logs", "-f", "--url", root)
    assert "/v3/account" in found.stdout.readline()
    return found


def ask(root, path):
    return requests.get(f"{root}/v3{path}", headers={"api-key": "any"}, timeout=10).status_code


def test_what_happens_is_told_a_json_object_in_each_line(begin, root):
    ask(root, "/account")
    follower = begin("logs", "-f", "--json", "--url", root, "--status", "2xx", "--kind", "request", "--kind", "mail")

    before = json.loads(follower.stdout.readline())
    ask(root, "/proceses")
    sender = {"name": "Jo", "email": "jo@acme.test"}
    requests.post(f"{root}/v3/senders", json=sender, headers={"api-key": "any"}, timeout=10)
    after = [json.loads(follower.stdout.readline()) for _ in range(2)]

    assert (before["event"], before["data"]["path"]) == ("request", "/v3/account")
    assert {row["event"]: row["data"].get("path", row["data"].get("to")) for row in after} == {
        "mail": "jo@acme.test",
        "request": "/v3/senders",
    }


def test_an_interrupt_ends_it_without_a_word(follower):
    follower.send_signal(signal.SIGINT)

    assert follower.communicate(timeout=10) == ("", "")
    assert follower.returncode == 130


def test_a_closed_pipe_ends_it_without_a_word(follower, root):
    follower.stdout.close()
    ask(root, "/account")

    assert follower.wait(timeout=10) == 1
    assert follower.stderr.read() == ""


def test_a_restart_of_the_server_is_waited_for(begin):
    at = ("--port", str(free_port()))
    with ServerProcess(*at) as server:
        ask(server.root, "/account")
        follower = begin("logs", "-f", "--url", server.root)
        assert "/v3/account" in follower.stdout.readline()
    assert follower.stderr.readline() == f"{server.root} does not answer; trying again\n"

    with ServerProcess(*at) as server:
        ask(server.root, "/senders")
        assert any("/v3/senders" in line for line in follower.stdout)


def test_a_dropped_workspace_ends_it(begin, root):
    made = requests.post(f"{root}/_mock/workspaces", json={"name": "mine"}, timeout=10).json()
    requests.get(f"{made['url']}/account", headers={"api-key": made["api_key"]}, timeout=10)
    follower = begin("logs", "-f", "--url", root, "--workspace", "mine")
    follower.stdout.readline()

    requests.delete(f"{root}/_mock/workspaces/mine", timeout=10)

    assert follower.wait(timeout=20) == 1
    assert "mine" in follower.stderr.read()


# ---------------------------------------------------------------------- a terminal


@pytest.fixture
def at_terminal(environment):
    """Runs a command at a terminal, and returns its exit status and what the terminal got."""

    def run(*words, **variables):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(sys.executable, [*COMMAND, *words], {**environment, **variables})
        return _read(pid, terminal)

    return run


def _read(pid, terminal):
    content, deadline = b"", time.monotonic() + 30
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 1)
        try:
            part = os.read(terminal, 65536) if ready else None
        except OSError:  # Linux says so when the other end is closed
            part = b""
        if part == b"":
            break
        content += part or b""
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), content.decode()


COLOUR = re.compile(r"\x1b\[\d+m")


def test_a_terminal_is_coloured_unless_it_is_not_wanted(at_terminal, root):
    ask(root, "/proceses")

    assert "\x1b[33m404\x1b[0m" in at_terminal("logs", "--url", root)[1]
    assert "\x1b" not in at_terminal("logs", "--url", root, NO_COLOR="1")[1]
    assert "\x1b" not in at_terminal("logs", "--url", root, TERM="dumb")[1]


def test_nothing_that_a_server_sends_reaches_the_terminal_as_a_command(at_terminal, root):
    sender = {"name": "Jo\x1b[2J\r", "email": "jo@acme.test", "\x1b]0;x\x07": 1}
    requests.post(f"{root}/v3/senders", json=sender, headers={"api-key": "any"}, timeout=10)
    identifier = requests.get(f"{root}/_mock/requests", timeout=10).json()["items"][0]["id"]

    shown = at_terminal("logs", "show", identifier, "--url", root)[1] + at_terminal("mail", "show", "--url", root)[1]

    assert set(re.findall(r"\x1b[^m]*m?", shown)) <= {f"\x1b[{code}m" for code in (0, 1, 2, 31, 32, 33)}
    assert "\x07" not in shown
    assert "\\x1b[2J" in shown


def test_a_wait_shows_that_it_goes_on_and_leaves_nothing_behind(at_terminal, root):
    status, shown = at_terminal("mail", "--wait", "1.2", "--url", root)

    assert status == 1
    assert "waiting for an e-mail, 0 s" in shown or "waiting for an e-mail, 1 s" in shown
    assert shown.endswith("\r\x1b[KNo e-mails after 1.2 s.\r\n")

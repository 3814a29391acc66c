"""The pytest plugin starts a server by a command, once for a session, and stops it with all that it has started."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mockserver import MockServer, MockServerError

#: Starts a server as `mockserver serve` does, at the port of the environment.
SERVE = shlex.join([sys.executable, "-m", "mockserver", "serve"])
#: Notes the address of the server, and who has asked.
NOTING = """
    import os, pathlib

    @pytest.mark.parametrize("number", range(4))
    def test_it(mockserver, number):
        with pathlib.Path("servers").open("a") as file:
            print(mockserver.url.partition("/w/")[0], mockserver.name, os.getpid(), file=file)
        assert call(mockserver) == 200
    """
#: How long a process may take to end, in seconds; far above the half second that it does take.
ENDING_S = 20


@pytest.fixture
def used(pytester):
    """What the tests of a suite have noted: addresses of servers, names of workspaces, processes."""

    def found():
        rows = [line.split() for line in (pytester.path / "servers").read_text().splitlines()]
        return tuple(set(column) for column in zip(*rows, strict=True))

    return found


def is_stopped(url):
    with pytest.raises(MockServerError, match="no server at"):
        MockServer.connect(url)
    return True


@pytest.mark.parametrize("way", ["option", "variable", "setting"])
def test_one_server_serves_a_session_and_stops_with_it(run, used, pytester, monkeypatch, way):
    if way == "variable":
        monkeypatch.setenv("MOCKSERVER_COMMAND", SERVE)
    elif way == "setting":
        pytester.makeini(f"[pytest]\nmockserver_command = {SERVE} --port {{port}}\n")

    result = run(NOTING, *(["--mockserver-command", SERVE] if way == "option" else []))

    result.assert_outcomes(passed=4)
    (url,), names, _ = used()
    assert len(names) == 4
    assert is_stopped(url)


def test_a_server_that_runs_already_comes_first(run, used, running, monkeypatch):
    monkeypatch.setenv("MOCKSERVER_URL", running)

    result = run(NOTING, "--mockserver-command", "false")

    result.assert_outcomes(passed=4)
    assert used()[0] == {running}


@pytest.mark.slow  # several processes with pytest
def test_workers_of_xdist_share_the_server(run, used):
    result = run(NOTING, "--mockserver-command", f"{SERVE} --port {{port}}", "-n", "2", "--dist", "each")

    result.assert_outcomes(passed=8)
    (url,), names, processes = used()
    assert (len(names), len(processes)) == (8, 2)
    assert is_stopped(url)


@pytest.mark.slow  # several processes with pytest
def test_the_coverage_of_workers_that_share_a_server_is_counted_once(run):
    options = ("-n", "2", "--mockserver-coverage", "--mockserver-command", SERVE)
    alone = run(NOTING, "--mockserver-coverage")
    result = run(NOTING, *options)

    share = re.compile(r"[\d.]+ %.*")
    assert result.ret == 0
    assert share.search(result.stdout.str())[0] == share.search(alone.stdout.str())[0]


def test_no_server_is_started_that_no_test_asks_for(run, pytester):
    result = run("def test_it(): pass", "--mockserver-command", "touch started")

    result.assert_outcomes(passed=1)
    assert not (pytester.path / "started").exists()


@pytest.mark.parametrize("variable", ["MOCKSERVER_TOKEN", "MOCKSERVER_CONTROL_TOKEN"])
def test_a_token_of_the_environment_is_that_of_the_server(run, monkeypatch, variable):
    monkeypatch.setenv(variable, "a-token")
    suite = """
    def test_it(mockserver, mockserver_server):
        assert (mockserver_server.token, call(mockserver)) == ("a-token", 200)
    """

    run(suite, "--mockserver-command", SERVE).assert_outcomes(passed=1)


# ---------------------------------------------------------------------- what fails

TWO = "def test_one(mockserver): pass\n\ndef test_two(mockserver): pass"


def fails(python):
    """A command that runs a program of Python."""
    return shlex.join([sys.executable, "-c", python])


@pytest.mark.parametrize(
    ("command", "sentence"),
    [("no-such-program-here serve", "cannot be run: "), ("'", "cannot be run: No closing quotation"),
     (" ", "is no command")],
)  # fmt: skip
def test_a_command_that_does_not_start_a_server_is_told(run, command, sentence):
    result = run(TWO, "--mockserver-command", command)

    result.assert_outcomes(errors=2)
    assert sentence in result.stdout.str()


def test_what_a_failed_command_has_printed_is_shown_once_and_cannot_colour_the_terminal(run):
    printing = fails("print('no room', '\\x1b[31m', sep=''); raise SystemExit(3)").replace("\x1b", "\\x1b")

    result = run(TWO, "--mockserver-command", printing)

    result.assert_outcomes(errors=2)
    told = result.stdout.str().partition("= mockserver command =")[2]
    assert "has ended with status 3 before a server was ready" in told
    assert re.search(r"^no room \[31m$", told, re.MULTILINE)
    assert result.stdout.str().count("\nno room") == 1


@pytest.mark.slow  # several processes with pytest
def test_with_workers_a_session_whose_server_does_not_start_ends_at_once(run):
    result = run(TWO, "-n", "2", "--mockserver-command", fails("print('no room'); raise SystemExit(3)"))

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "has ended with status 3 before a server was ready" in result.stderr.str()
    assert "no room" in result.stderr.str()


def test_a_command_without_a_server_has_so_much_time(run, pytester):
    waiting = fails("import os, pathlib, time; pathlib.Path('pid').write_text(str(os.getpid())); time.sleep(60)")

    result = run(TWO, "--mockserver-command", waiting, "--mockserver-command-timeout", "0.5")

    assert "had no server ready within 0.5 s" in result.stdout.str()
    assert is_ended(int((pytester.path / "pid").read_text()))


@pytest.mark.parametrize("seconds", ["soon", "0", "nan", "inf"])
def test_invalid_start_timeout_is_refused(run, seconds):
    result = run(TWO, "--mockserver-command", SERVE, "--mockserver-command-timeout", seconds)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"mockserver_command_timeout: '{seconds}' is no number of seconds above 0" in result.stderr.str()


def test_a_server_that_ends_while_tests_run_is_told(run):
    suite = """
    import os, pathlib, signal

    def test_it(mockserver):
        pid = int(pathlib.Path("pid").read_text())
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    """
    result = run(suite, "--mockserver-command", shell(f"echo $$ > pid; exec {SERVE}"))

    assert "has ended by itself, with status -9" in result.stdout.str().partition("= mockserver command =")[2]


# ---------------------------------------------------------------------- the end


ONE = "def test_it(mockserver): pass"


def test_what_the_command_has_started_has_time_to_end(run, pytester):
    """As a container has, whose client passes the signal on, while the shell that has started it ends at once."""
    client = "import signal, time; signal.signal(signal.SIGTERM, lambda *_: (time.sleep(0.3), print('end'), exit()))"
    client += "; print('begun', flush=True); signal.pause()"
    script = f"{fails(client)} > client & until grep -q begun client; do sleep 0.05; done; {SERVE}"

    result = run(ONE, "--mockserver-command", shell(script))

    result.assert_outcomes(passed=1)
    assert (pytester.path / "client").read_text() == "begun\nend\n"


@pytest.mark.parametrize("script", ["{} & echo $! > pid; wait", "trap '' TERM; sleep 60 & echo $! > pid; {}"])
def test_what_the_command_has_started_is_stopped_and_else_killed(run, pytester, monkeypatch, script):
    if "trap" in script:
        monkeypatch.setattr("mockserver.testing.sessions.child._STOP_S", 0.3)

    run(ONE, "--mockserver-command", shell(script.format(SERVE))).assert_outcomes(passed=1)

    assert is_ended(int((pytester.path / "pid").read_text()))


#: Notes the address of the server, and waits for the end of pytest.
WAITING = """
    import pathlib, time

    def test_it(mockserver):
        pathlib.Path("url").write_text(mockserver.url.partition("/w/")[0])
        time.sleep(60)
    """
#: The same, with a process that lives longer than pytest.
FORKING = """
    import os, time

    def test_fork():
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    """
SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"]


@pytest.mark.slow  # several processes with pytest
@pytest.mark.parametrize(
    ("suite", "options", "name"),
    [*((WAITING, (), name) for name in SIGNALS), *((WAITING, ("-n", "2"), name) for name in SIGNALS),
     (FORKING + WAITING, (), "SIGKILL")],
)  # fmt: skip
def test_server_stops_with_pytest_when_a_signal_ends_pytest(pytester, alone, suite, options, name):
    pytester.makepyfile(suite)
    command = [sys.executable, "-m", "pytest", *alone, *options, "--mockserver-command", SERVE]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as running:
        try:
            url = eventually((pytester.path / "url").read_text)
            # As a terminal does, to all processes in the foreground; or as a CI does, to the one that it has started.
            (os.killpg if name == "SIGINT" else os.kill)(running.pid, getattr(signal, name))
            running.wait(ENDING_S)
            assert eventually(lambda: is_gone(url))
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


def test_server_stops_with_pytest_at_an_internal_error(pytester, run, used):
    pytester.makeconftest("def pytest_runtest_logfinish(): raise RuntimeError")

    result = run(NOTING, "--mockserver-command", SERVE)

    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    (url,), *_ = used()
    assert is_stopped(url)


def is_gone(url):
    try:
        MockServer.connect(url).stop()
    except MockServerError as error:
        return "no server at" in str(error)
    return False


def shell(script):
    return shlex.join(["sh", "-c", script])


def eventually(read):
    """What a function gives that has not failed and is not empty, within some seconds."""
    deadline = time.monotonic() + ENDING_S
    while time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError):
            if found := read():
                return found
        time.sleep(0.05)
    raise TimeoutError


def is_ended(pid):
    """Whether a process ends within some seconds; one whose parent has only to notice it has ended."""

    def state():
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except FileNotFoundError:
            return True

    return eventually(state)

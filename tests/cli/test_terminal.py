"""Every command without a stream, with one that breaks, and in narrow, dumb and missing terminals."""

import errno
import io
import os
import subprocess
import sys
from functools import partial

import pytest
import requests

from mockserver import cli
from mockserver.cli import commands

#: A command line of each command, in an order in which what one names is there; `-` is the standard input.
LINES = """
app new --name x --client-id x | app list | app update x --name y | app delete x | expect | report | lint | coverage
stubs new {stubs} | stubs list | stubs show notes | stubs delete --all | stubs record | stubs from-openapi {stubs}
faults new latency ms=1 | faults list | faults catalogue | faults delete --all
snapshots new a | snapshots list | restore a | snapshots delete a | state get | state put {stubs} | state diff {stubs}
reset --scenario onboarding | seed - | clock show | clock freeze | clock set 1m | advance 20m | clock thaw | seed {bad}
dns list | dns show acme.test | dns set acme.test --dkim-record ok | dns publish acme.test | dns verify acme.test
machines list | machines show | machines show sender 2 | machines fire sender 2 verify | trigger delivered
receivers answer shop 429 | receivers list | receivers show shop | receivers delete shop
deliveries list | deliveries show 9 | deliveries redeliver 9 | deliveries probe | mail list | mail show | mail clear
logs list | logs show 9 | requests --har {out} | requests --har - | trace {trace} | logs clear | logs list -n 0
workspaces new --name {name} | workspaces list | workspaces show {name} | workspaces delete {name}
health | wait | env | ca
scenarios list | scenarios check {bad} | scenarios show empty | scenarios schema | openapi | verify nowhere
completion bash | init {folder} | drift --key-env NONE | bisect --scenario {bad} -- true | serve --scenario nowhere
store export {none} out | store import {none} {bad} | store info {none} | nothing | --help | faults --help | -V
"""
VARIABLES = [
    {"COLUMNS": "1"},
    {"COLUMNS": "20", "FORCE_COLOR": "1"},
    {"COLUMNS": "-3"},
    {"TERM": "dumb", "COLUMNS": "x"},
]


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Broken(io.TextIOWrapper):
    """A stream that cannot be written."""

    def __init__(self, error):
        super().__init__(io.BytesIO(), encoding="utf-8")
        self.error = error

    def write(self, text):
        raise self.error


@pytest.fixture(scope="module")
def root(module_serve):
    return module_serve("onboarding")


def empty():
    return io.TextIOWrapper(io.BytesIO(b"{}"), encoding="utf-8")


@pytest.fixture
def statuses(root, tmp_path, monkeypatch):
    """Runs each command in a new workspace with other streams and variables, and returns the exit statuses."""
    stubs, bad = tmp_path / "stubs.json", tmp_path / "bad.yaml"
    stubs.write_text('{"stubs": [{"id": "notes", "method": "GET", "path": "/v3/notes", "answer": {"json": []}}]}')
    bad.write_text("senders:\n  - {name: A, email: b}\n")

    def run(streams, variables):
        name = requests.post(f"{root}/_mock/workspaces", json={}, timeout=10).json()["name"]
        folder = tmp_path / name
        folder.mkdir()
        places = {"stubs": stubs, "bad": bad, "out": folder / "out.har", "trace": folder / "trace.html",
                  "none": folder / "none.db", "folder": folder, "name": f"{name}-2"}  # fmt: skip
        lines = [line.strip() for row in LINES.strip().splitlines() for line in row.split("|")]
        with monkeypatch.context() as patched:
            for variable, value in {"MOCKSERVER_URL": root, "MOCKSERVER_WORKSPACE": name, **variables}.items():
                patched.setenv(variable, value)
            return {line: status(line.format(**places).split(), streams, patched) for line in lines}

    return run


def status(words, streams, patched):
    """The exit status of a command; afterwards all of its streams are closed."""
    made = {"stdin": empty, "stdout": io.StringIO, "stderr": io.StringIO, **streams}
    for name, make in made.items():
        patched.setattr(sys, name, make and make())
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    for name in made:
        getattr(sys, name).close()
    return ended.value.code


def test_every_command_has_a_line_here():
    lines = [line.split() for row in LINES.splitlines() for line in row.split("|")]
    called = {" ".join(["mockserver", *words[:depth]]) for words in lines for depth in (1, 2)}

    assert [path for path, _ in commands.walk() if path not in called] == []


def test_every_command_ends_with_the_same_status_whatever_its_streams_and_terminal_are(statuses):
    normal = statuses({}, {})
    assert set(normal.values()) == {0, 1, 2}
    closed = [dict.fromkeys(names) for names in (["stdin"], ["stdout"], ["stderr"], ["stdin", "stdout", "stderr"])]
    for streams, variables in [
        *((streams, {}) for streams in (*closed, {"stderr": partial(Broken, OSError(28, "No space left on device"))})),
        *(({"stdout": Terminal, "stderr": Terminal}, variables) for variables in VARIABLES),
    ]:
        found = statuses(streams, variables)
        assert {line: code for line, code in found.items() if code != normal[line]} == {}, (streams, variables)


@pytest.mark.parametrize("error", [BrokenPipeError(32, "Broken pipe"), OSError(28, "No space left on device")])
def test_every_command_ends_with_a_status_when_its_output_cannot_be_written(statuses, error):
    found = statuses({"stdout": partial(Broken, error)}, {})

    assert (set(found.values()), found["clock show"]) == ({0, 1, 2}, 1 if error.errno == errno.EPIPE else 2)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_the_process_ends_as_usual_when_streams_are_closed(root, closed):
    for words, code in [("clock", 0), ("nothing", 2), ("--version", 0), ("scenarios check no.yaml", 1)]:
        command = f"{sys.executable} -m mockserver {words} {closed}"
        environment = {**os.environ, "MOCKSERVER_URL": root, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
        found = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=False)
        assert (found.returncode, "Traceback" in found.stderr) == (code, False), found.stderr


def test_serve_runs_with_closed_streams(tmp_path):
    port = tmp_path / "port"
    command = f"exec {sys.executable} -m mockserver serve --port 0 --port-file {port} <&- >&- 2>&-"
    with subprocess.Popen(command, shell=True, start_new_session=True) as process:
        while not port.exists() or not port.read_text():
            assert process.poll() is None
        answer = requests.get(f"http://127.0.0.1:{port.read_text().strip()}/_mock/health", timeout=10)
        process.terminate()

    assert (answer.status_code, process.returncode) == (200, 0)

"""`mockserver completion`: real shells complete commands, options and names when Tab is pressed."""

import http.server
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from mockserver.cli import commands
from mockserver.cli.framework.completion import fitting
from mockserver.cli.known_names import known_names

#: Where the program is that the shells call.
BIN = str(Path(sys.executable).parent)
#: How long a shell may take to show what is wanted, in seconds: a busy machine starts Python slowly.
PATIENCE_S = 30


def words(*line, names=()):
    """What fits at the end of a command line, where a server has some names."""
    return [row.word for row in fitting(commands, line, lambda kind, given: names).candidates]


# ---------------------------------------------------------------------- what fits


@pytest.mark.parametrize(
    ("line", "fits"),
    [
        (["cov"], ["coverage"]),
        (["--v"], ["--version"]),
        (["scenarios", "sh"], ["show"]),
        (["scenarios", "show", "--j"], ["--json"]),
        (["serve", "--port-"], ["--port-file"]),
        (["serve", "--keys", ""], ["any", "known", "isolate"]),
        (["serve", "--keys", "k"], ["known"]),
        (["serve", "--keys=i"], ["--keys=isolate"]),
        (["serve", "--host", "x", "--keys", "a"], ["any"]),
        (["completion", "z"], ["zsh"]),
        (["completion", "zsh", ""], []),
        (["completion", "--", "--"], []),
        (["coverage", "--json", "--jso"], []),
        (["app", "create", "--scope", "all", "--scop"], ["--scope"]),
        (["store", "ex"], ["export"]),
        (["store", "export", "--format", "j"], ["json"]),
        (["nothing", ""], []),
        (["serve", "--nothing", ""], []),
        (["health", "--json=x", "--u"], ["--url"]),
        (["-x", "he"], ["health"]),
    ],
)
def test_what_fits_follows_from_the_commands(line, fits):
    assert words(*line) == fits


def test_without_a_word_all_commands_fit_and_none_that_is_for_shells():
    assert words() == words("") == commands.names()
    assert not any(name.startswith("_") for name in words())


@pytest.mark.parametrize(
    ("line", "fits"),
    [
        (["mail", "--ot"], ["--otp"]),
        (["mail", "--otp", "--subj"], ["--subject"]),
        (["mail", "--workspace", "m"], ["mine"]),
        (["mail", "--to", "x", "sh"], []),
        (["mail", "sh"], ["show"]),
    ],
)
def test_a_group_is_completed_as_the_command_that_is_meant_where_none_is_named(line, fits):
    assert words(*line, names=["mine"]) == fits


def test_an_argument_that_takes_several_words_is_completed_again():
    assert words("stubs", "remove", "one", "", names=["one", "two"]) == ["one", "two"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [(["coverage", "--output", ""], "file"), (["serve", "--scenarios=x"], "folder"), (["serve", "--host", ""], ""),
     (["stubs", "from-openapi", "a"], "file"), (["scenarios", "show", "./a"], "file")],
)  # fmt: skip
def test_files_and_folders_are_left_to_the_shell(line, kind):
    assert fitting(commands, line, lambda *_: []) == ([], kind)


def test_names_are_asked_for_with_the_options_of_the_line():
    asked = []

    fitting(
        commands, ["env", "--url", "http://a", "--token=t", "--workspace", ""], lambda *about: asked.append(about) or []
    )

    assert asked == [("workspace", {"url": "http://a", "token": "t"})]


# ---------------------------------------------------------------------- names


@pytest.fixture
def patient(monkeypatch):
    """Nobody waits at a prompt here, and a busy machine takes long."""
    monkeypatch.setattr("mockserver.cli.known_names._LONGEST_S", PATIENCE_S)


def completed(run, *line, **environment):
    *found, kind = run("__complete", "--", *line, **environment).stdout.splitlines()
    assert kind.startswith(":")
    return [row.partition("\t")[0] for row in found]


@pytest.mark.usefixtures("patient")
def test_workspaces_are_those_of_the_running_server(run, serve):
    root = serve("empty")

    assert completed(run, "env", "--workspace", "", MOCKSERVER_URL=root) == ["default"]
    assert completed(run, "env", "--url", root, "--workspace=d") == ["--workspace=default"]


@pytest.mark.usefixtures("patient")
def test_stubs_are_those_of_the_running_server(run, serve):
    root = serve({"stubs": [{"id": "notes", "method": "GET", "path": "/v3/notes", "answer": {"text": "a"}}]})

    assert completed(run, "stubs", "show", "", MOCKSERVER_URL=root) == ["notes"]


@pytest.mark.usefixtures("patient")
def test_snapshots_and_rules_are_those_of_the_workspace(run, serve):
    root = serve("empty")
    assert run("snapshot", "before", MOCKSERVER_URL=root).exit_code == 0
    assert run("faults", "add", "latency", "ms=1", MOCKSERVER_URL=root).exit_code == 0

    assert completed(run, "restore", "", MOCKSERVER_URL=root) == ["before"]
    assert completed(run, "faults", "remove", "", MOCKSERVER_URL=root) == ["fault-1"]


@pytest.mark.parametrize(
    ("line", "fits"),
    [
        (("trigger", "hard"), ["hardBounce", "hard_bounce"]),
        (("trigger", "--story", "hard"), ["hard_bounce"]),
        (("faults", "add", "lat"), ["latency"]),
        (("faults", "add", "latency", "--operation", "createSend"), ["createSender"]),
        (("logs", "--operation", "sendTransacE"), ["sendTransacEmail"]),
        (("advance", ""), ["next"]),
    ],
)
def test_what_every_server_knows_is_asked_of_none(run, line, fits):
    assert completed(run, *line, MOCKSERVER_URL="http://127.0.0.1:1") == fits


def test_names_that_a_shell_would_take_for_something_else_are_not_offered(monkeypatch):
    rows = [{"name": name} for name in ("a b", "$(reboot)", "--token", "x;y", "", "caf\u00e9", 5, "fine-1.2_3")]
    monkeypatch.setattr("mockserver.cli.known_names.send", lambda *_, **__: json.dumps({"items": [*rows, 5]}).encode())

    assert known_names("workspace", {}) == ["fine-1.2_3"]


def test_scenarios_are_those_of_the_folder_and_the_shipped_ones(run, tmp_path):
    (tmp_path / "onion.yaml").write_text("description: Mine.\n")

    assert completed(run, "scenarios", "show", "--scenarios", str(tmp_path), "on") == ["onboarding", "onion"]
    assert completed(run, "serve", "--scenario=on", MOCKSERVER_SCENARIOS=str(tmp_path)) == [
        "--scenario=onboarding",
        "--scenario=onion",
    ]


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "nowhere", "http://[x"])
def test_without_a_server_no_names_are_offered_and_nothing_is_said(run, url):
    answer = run("__complete", "--", "env", "--workspace", "", MOCKSERVER_URL=url)

    assert (answer.exit_code, answer.output) == (0, ":\n")


class _Slow(http.server.BaseHTTPRequestHandler):
    """Sends a byte of its answer now and then, until the other side has enough."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        try:
            while not self.server.enough.wait(0.05):
                self.wfile.write(b" ")
        except OSError:
            pass

    def log_message(self, *_):
        pass


def test_a_server_that_never_ends_its_answer_does_not_hold_the_prompt():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Slow) as server:
        server.enough = threading.Event()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        environment = {**os.environ, "MOCKSERVER_URL": f"http://127.0.0.1:{server.server_port}"}
        command = [sys.executable, "-m", "mockserver", "__complete", "--", "env", "--workspace", ""]
        try:
            found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20, check=False)
        finally:
            server.enough.set()
            server.shutdown()
            thread.join()

    assert (found.returncode, found.stdout, found.stderr) == (0, ":\n", "")


# ---------------------------------------------------------------------- in shells


def shell(name):
    return pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"needs {name}"))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home directory, and an environment in which the shells find the program."""
    for name in [name for name in os.environ if name.startswith(("MOCKSERVER_", "XDG_", "ZDOTDIR", "BASH_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TERM", "dumb")
    return tmp_path


#: How each shell is made interactive, without files of the machine's, and reads the script.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <(mockserver completion bash)\n"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "unsetopt zle_bracketed_paste; autoload -Uz compinit && compinit -u -D; source <(mockserver completion zsh)\n",
    ),
}


def screen(command, steps):
    """Run a program in a terminal: each step is what is typed, and what the terminal has to show then."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(command[0], command)
    shown = b""
    try:
        for typed, wanted in steps:
            os.write(terminal, typed.encode())
            seen, deadline = len(shown), time.monotonic() + PATIENCE_S
            while wanted.encode() not in shown[seen:]:
                ready = select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]
                assert ready, f"{wanted!r} is not in {shown[seen:]!r}"
                shown += os.read(terminal, 4096)
    finally:
        os.close(terminal)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


@pytest.mark.parametrize("name", [shell("bash"), shell("zsh")])
def test_tab_completes_commands_options_choices_and_files(home, name):
    command, script = SHELLS[name]
    (home / "report.html").write_text("")

    screen(
        command,
        [
            (f"cd {home}; {script}echo rea''dy\n", "ready"),
            ("mockserver cov\t", "mockserver coverage "),
            ("--form\t", "--format "),
            ("jun\t", "junit "),
            ("--format=ht\t", "html "),
            ("--output rep\t", "report.html "),
        ],
    )


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs zsh")
def test_zsh_completes_where_nothing_else_has_begun_its_completion(home):
    begun = f"cd {home}; unsetopt zle_bracketed_paste; source <(mockserver completion zsh); echo rea''dy\n"

    screen(["zsh", "-f", "-i"], [(begun, "ready"), ("mockserver cov\t", "mockserver coverage ")])


@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
@pytest.mark.parametrize(
    ("line", "fits"),
    [
        ("mockserver cov", ["coverage"]),
        ("brevo-mockserver scenarios sh", ["show"]),
        ("mockserver coverage --form", ["--format"]),
        ("mockserver coverage --format=j", ["--format=json", "--format=junit"]),
        ("mockserver coverage --output rep", ["report.html"]),
        ("mockserver coverage --output=rep", ["--output=report.html"]),
        ("mockserver serve --scenarios=fol", ["--scenarios=folder/"]),
        ("mockserver scenarios show onb", ["onboarding"]),
    ],
)
def test_fish_completes(home, run, line, fits):
    (home / "report.html").write_text("")
    (home / "folder").mkdir()
    assert run("completion", "fish", "--install", HOME=str(home)).exit_code == 0

    found = subprocess.run(
        ["fish", "-c", f"complete -C '{line}'"], capture_output=True, text=True, cwd=home, timeout=60, check=True
    )

    assert [row.partition("\t")[0] for row in found.stdout.splitlines()] == fits


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        (["coverage", "--format", "=", "j"], ["json", "junit"]),
        (["coverage", "--format", "="], ["text", "json", "html", "junit"]),
        (["env", "--url", "http", ":", "//127.0.0.1", ":", "1", "--tok"], ["--token"]),
        (["coverage", "--workspace", "=", "x", "--js"], ["--json"]),
    ],
)
def test_bash_has_one_word_where_the_program_has_one(home, words, fits):
    """To bash, = and : are words of their own, of which the last is replaced by what fits."""
    line = "source <(mockserver completion bash)\n"
    line += f"COMP_WORDS=(mockserver {' '.join(map(repr, words))}); COMP_CWORD={len(words)}\n"
    line += "_mockserver_complete; printf '%s\\n' \"${COMPREPLY[@]}\""

    found = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True, timeout=60)

    assert found.stdout.split() == fits


# ---------------------------------------------------------------------- installing


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("bash", [".local/share/bash-completion/completions/mockserver",
                  ".local/share/bash-completion/completions/brevo-mockserver"]),
        ("fish", [".config/fish/completions/mockserver.fish", ".config/fish/completions/brevo-mockserver.fish"]),
        ("zsh", [".zfunc/_mockserver"]),
    ],
)  # fmt: skip
def test_the_script_is_installed_once_where_the_shell_looks_for_it(home, run, name, files):
    first = run("completion", name, "--install")
    second = run("completion", "--install", SHELL=f"/usr/bin/{name}")

    script = run("completion", name).stdout
    assert [(home / file).read_text() for file in files] == [script] * len(files)
    assert [f"{home / file} was written" for file in files] == first.stdout.splitlines()[: len(files)]
    assert [f"{home / file} is up to date" for file in files] == second.stdout.splitlines()[: len(files)]


def test_an_older_script_is_brought_up_to_date_and_the_file_of_somebody_else_stays(home, run):
    run("completion", "zsh", "--install")
    file = home / ".zfunc" / "_mockserver"
    file.write_text(file.read_text().replace("kind", "sort"))
    assert run("completion", "zsh", "--install").stdout.startswith(f"{file} was brought up to date\n")

    file.write_text("# mine\n")
    refused = run("completion", "zsh", "--install")
    assert (refused.exit_code, refused.stdout, file.read_text()) == (1, "", "# mine\n")
    assert "was not written by this program" in refused.stderr


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_where_the_script_cannot_be_written_a_sentence_says_so(home, run, place):
    (home / "file").write_text("")

    answer = run("completion", "zsh", "--install", ZDOTDIR=str(home / place))

    assert (answer.exit_code, answer.stderr.startswith("cannot ")) == (1, True)


def test_a_shell_of_which_nothing_is_known_is_misuse(run):
    assert run("completion", SHELL="/bin/csh").exit_code == 2
    assert (
        "Invalid value for 'bash|zsh|fish': 'csh' is not one of 'bash', 'zsh', 'fish'."
        in run("completion", "csh").stderr
    )

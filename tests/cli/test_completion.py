"""`mockserver completion`: real shells complete commands, options and names when Tab is pressed."""

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from raw_receiver import listening

from mockserver.cli import commands
from mockserver.cli.options import known_names

#: Where the program is that the shells call.
BIN = str(Path(sys.executable).parent)
#: How long a shell may take to show what is wanted, in seconds: a busy machine starts Python slowly.
PATIENCE_S = 30


def completed(*line, **environment):
    """What fits at the end of a command line: words, or `file` or `dir` where the shell completes itself."""
    with pytest.MonkeyPatch.context() as patched:
        for name in [name for name in os.environ if name.startswith("MOCKSERVER_")]:
            patched.delenv(name)
        for name, value in environment.items():
            patched.setenv(name, value)
        *before, last = line or [""]
        found = ShellComplete(commands, {}, "mockserver", "_MOCKSERVER_COMPLETE").get_completions(before, last)
    return [row.value if row.type == "plain" else row.type for row in found]


# ---------------------------------------------------------------------- what fits


def test_completion_offers_what_fits_without_a_server():
    for line, fits in [
        (["cov"], ["coverage"]),
        (["--v"], ["--version"]),
        (["scenarios", "sh"], ["show"]),
        (["serve", "--keys", "k"], ["known"]),
        (["serve", "--keys=i"], ["isolate"]),
        (["completion", "z"], ["zsh"]),
        (["store", "export", "--format", "j"], ["json"]),
        (["mail", "--ot"], ["--otp"]),
        (["mail", "--otp", "--subj"], ["--subject"]),
        (["mail", "sh"], ["show"]),
        (["coverage", "--output", ""], ["file"]),
        (["serve", "--scenarios", "x"], ["dir"]),
        (["scenarios", "show", "./a"], ["file"]),
        (["trigger", "hard"], ["hardBounce", "hard_bounce"]),
        (["trigger", "--story", "hard"], ["hard_bounce"]),
        (["faults", "new", "lat"], ["late_row", "latency"]),
        (["faults", "add", "lat"], ["late_row", "latency"]),
        (["faults", "re"], []),
        (["faults", "new", "latency", "--operation", "createSend"], ["createSender"]),
        (["logs", "--operation", "sendTransacE"], ["sendTransacEmail"]),
        (["advance", ""], ["next"]),
    ]:
        assert completed(*line, MOCKSERVER_URL="http://127.0.0.1:1") == fits


def test_completion_offers_all_commands_when_nothing_is_typed():
    assert completed() == commands.list_commands(None)


# ---------------------------------------------------------------------- names


def test_names_are_those_of_the_running_server_and_its_workspace(run, serve, monkeypatch):
    monkeypatch.setattr("mockserver.cli.options._LONGEST_S", PATIENCE_S)  # a busy machine takes long
    stubs = [{"id": name, "method": "GET", "path": f"/v3/{name}", "answer": {"text": "a"}} for name in ("notes", "x")]
    root = serve({"stubs": stubs})
    assert run("snapshots", "new", "before", MOCKSERVER_URL=root).exit_code == 0
    assert run("faults", "new", "latency", "ms=1", MOCKSERVER_URL=root).exit_code == 0

    assert completed("env", "--workspace", "", MOCKSERVER_URL=root) == ["default"]
    assert completed("mail", "--url", root, "--workspace", "d") == ["default"]
    assert completed("stubs", "delete", "x", "no", MOCKSERVER_URL=root) == ["notes"]
    assert completed("restore", "", MOCKSERVER_URL=root) == ["before"]
    assert completed("faults", "delete", "", MOCKSERVER_URL=root) == ["fault-1"]


def test_machine_events_are_those_that_apply_to_the_instance(serve, monkeypatch):
    monkeypatch.setattr("mockserver.cli.options._LONGEST_S", PATIENCE_S)  # a busy machine takes long
    root = serve("onboarding")
    fire = ("machines", "fire", "sender")

    assert completed(*fire, "", MOCKSERVER_URL=root) == ["1", "2"]
    assert completed(*fire, "1", "", MOCKSERVER_URL=root) == ["change_email", "delete"]
    assert completed(*fire, "2", "ver", MOCKSERVER_URL=root) == ["verify"]
    assert completed("machines", "show", "domain", "", MOCKSERVER_URL=root) == ["acme.test"]
    for key, url in (("9", root), ("2", "http://127.0.0.1:1")):
        assert "expire_otp" in completed(*fire, key, "", MOCKSERVER_URL=url)


def test_names_that_a_shell_would_take_for_something_else_are_not_offered(monkeypatch):
    names = ("a b", "$(reboot)", "--token", "x;y", "", "caf\u00e9", "fine-1.2_3")
    monkeypatch.setattr("mockserver.cli.options._on_server", lambda kind, given: iter(names))

    assert known_names("workspace", {}) == ["fine-1.2_3"]


def test_scenarios_are_those_of_the_folder_and_the_shipped_ones(tmp_path):
    (tmp_path / "onion.yaml").write_text("description: Mine.\n")

    assert completed("scenarios", "show", "--scenarios", str(tmp_path), "on") == ["onboarding", "onion"]
    assert completed("serve", "--scenario", "on", MOCKSERVER_SCENARIOS=str(tmp_path)) == ["onboarding", "onion"]


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "nowhere", "http://[x"])
def test_without_a_server_no_names_are_offered_and_nothing_is_said(capsys, url):
    assert completed("env", "--workspace", "", MOCKSERVER_URL=url) == []
    assert capsys.readouterr() == ("", "")


def test_a_server_that_never_ends_its_answer_does_not_hold_the_prompt():
    def drip(receiver, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not receiver.over.wait(0.05):
            connection.sendall(b" ")

    asked = {"_MOCKSERVER_COMPLETE": "zsh_complete", "COMP_WORDS": "mockserver env --workspace ", "COMP_CWORD": "3"}
    command = [sys.executable, "-m", "mockserver"]
    with listening() as start:
        environment = {**os.environ, **asked, "MOCKSERVER_URL": start(drip).url("")}
        found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20, check=False)

    assert (found.returncode, found.stdout.strip(), found.stderr) == (0, "", "")


# ---------------------------------------------------------------------- in shells


def shell(name):
    program = name.partition(" ")[0]
    return pytest.param(name, marks=pytest.mark.skipif(not shutil.which(program), reason=f"needs {program}"))


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
    "bash": ("bash --norc --noprofile -i", "source <(mockserver completion bash)"),
    "zsh": ("zsh -f -i", "autoload -Uz compinit && compinit -u -D; source <(mockserver completion zsh)"),
    "zsh without compinit": ("zsh -f -i", "source <(mockserver completion zsh)"),
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


@pytest.mark.parametrize("name", [shell(name) for name in SHELLS])
def test_tab_completes_commands_options_choices_and_files(home, name):
    command, script = SHELLS[name]
    (home / "report.html").write_text("")

    begin = "" if name == "bash" else "unsetopt zle_bracketed_paste; "
    screen(
        command.split(),
        [
            (f"cd {home}; {begin}{script}\necho rea''dy\n", "ready"),
            ("mockserver cov\t", "mockserver coverage "),
            ("--form\t", "--format "),
            ("jun\t", "junit "),
            ("--output rep\t", "report.html "),
        ],
    )


@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
def test_fish_shell_completes_commands_and_values(home, run):
    (home / "report.html").write_text("")
    (home / "folder").mkdir()
    assert run("completion", "fish", "--install", HOME=str(home)).exit_code == 0
    for line, fits in [
        ("mockserver cov", ["coverage"]),
        ("brevo-mockserver scenarios sh", ["show"]),
        ("mockserver coverage --form", ["--format"]),
        ("mockserver coverage --format j", ["json", "junit"]),
        ("mockserver coverage --output rep", ["report.html"]),
        ("mockserver serve --scenarios fol", ["folder/"]),
        ("mockserver scenarios show onb", ["onboarding"]),
    ]:
        command = ["fish", "-c", f"complete -C '{line}'"]
        found = subprocess.run(command, capture_output=True, text=True, cwd=home, timeout=60, check=True)
        assert [row.partition("\t")[0] for row in found.stdout.splitlines()] == fits, line


# ---------------------------------------------------------------------- installing


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("bash", [".local/share/bash-completion/completions/mockserver",
                  ".local/share/bash-completion/completions/brevo-mockserver"]),
        ("fish", [".config/fish/completions/mockserver.fish", ".config/fish/completions/brevo-mockserver.fish"]),
        ("zsh", [".zfunc/_mockserver", ".zfunc/_brevo-mockserver"]),
    ],
)  # fmt: skip
def test_the_script_is_installed_once_where_the_shell_looks_for_it(home, run, name, files):
    first = run("completion", name, "--install")
    second = run("completion", "--install", SHELL=f"/usr/bin/{name}")

    assert run("completion", name).stdout.endswith("".join((home / file).read_text() for file in files))
    assert [f"{home / file} was written" for file in files] == first.stdout.splitlines()[: len(files)]
    assert [f"{home / file} is up to date" for file in files] == second.stdout.splitlines()[: len(files)]


def test_an_older_script_is_brought_up_to_date_and_the_file_of_somebody_else_stays(home, run):
    run("completion", "zsh", "--install")
    file = home / ".zfunc" / "_mockserver"
    file.write_text(file.read_text().replace("COMP_CWORD", "CWORD"))
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
        "Invalid value for '[bash|zsh|fish]': 'csh' is not one of 'bash', 'zsh', 'fish'."
        in run("completion", "csh").stderr
    )

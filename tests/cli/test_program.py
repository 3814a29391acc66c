"""What commands are made of: groups, sections of the help, types of values, and how a command ends."""

import inspect
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest

from mockserver.cli import commands
from mockserver.cli.options import EXISTING_FILE, JSON, TOKEN, Integer, Number
from mockserver.cli.output import echo
from mockserver.cli.program import Command, Group, Misused, argument, option, run
from mockserver.settings.distribution import advice

ALL = pytest.mark.parametrize(
    ("path", "found"), list(commands.walk()), ids=lambda value: value if isinstance(value, str) else ""
)


def test_value_is_refused_with_the_reason_when_it_is_of_another_type():
    for type_, text, told in [
        (Integer(1, 5), "6", "6 is not in the range 1<=x<=5."),
        (Integer(1, 5), "x", "'x' is not a valid integer."),
        (Number(0, min_open=True), "0", "0.0 is not in the range x>0."),
        (Number(), "1_0x", "'1_0x' is not a valid number."),
        (Number(), "-inf", "'-inf' is not a valid number."),
        (Number(), "9" * 400, f"{'9' * 400} is not a finite number."),
        (EXISTING_FILE, "/", "File '/' is a directory."),
        (EXISTING_FILE, "/none", "File '/none' does not exist."),
        (EXISTING_FILE, "x" * 10_000, f"File '{'x' * 10_000}' does not exist."),
    ]:
        with pytest.raises(click.BadParameter) as refusal:
            type_.convert(text, None, None)
        assert refusal.value.message == told


# ---------------------------------------------------------------------- help


def shown(*decorators):
    """The help of a command with some options and arguments."""

    def copy(**values):
        """Copy names. And tell
        what has happened.
        """

    for row in reversed(decorators):
        copy = row(copy)
    found = click.command("copy", cls=Command)(copy)
    return found.get_help(click.Context(found, info_name="program copy", max_content_width=100)).splitlines()


def test_help_lists_arguments_options_and_other_sections_with_variables_defaults_and_ranges(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")

    assert shown(
        argument("names", nargs=-1, required=True, help="What."),
        argument("to", required=False, help="Where."),
        TOKEN,
        option("-n", "--limit", type=Integer(1, 5), default=3, envvar="LIMIT", help="How many."),
        JSON,
    ) == [
        "Usage: program copy [OPTIONS] NAMES... [TO]",
        "",
        "  Copy names. And tell what has happened.",
        "",
        "Arguments:",
        "  NAMES...  What.",
        "  [TO]      Where.",
        "",
        "Options:",
        "  -n, --limit INTEGER  How many.  [env var: LIMIT; default: 3; 1<=x<=5]",
        "  --json               Print JSON.",
        "  --help               Show this message and exit.",
        "",
        "Which server:",
        "  --token TOKEN  The server's control token.  [env var: MOCKSERVER_TOKEN]",
    ]


@ALL
def test_every_command_and_each_of_its_options_is_explained_in_sentences(path, found):
    assert found.get_short_help_str(limit=1000).endswith(".")
    assert found.get_help(click.Context(found, info_name=path)).startswith(f"Usage: {path} ")
    assert [row.name for row in found.params if isinstance(row, click.Option) and not row.help.endswith(".")] == []


@ALL
def test_every_option_and_argument_is_a_parameter_of_the_function(path, found):
    signature = inspect.signature(found.callback)
    takes_all = any(row.kind is row.VAR_KEYWORD for row in signature.parameters.values())
    named = {row.name for row in signature.parameters.values() if row.kind is not row.VAR_KEYWORD}
    given = {row.name for row in found.params}
    if "target" in named:
        given = given - {"url", "token", "workspace", "as_json"} | {"target"}

    assert (named <= given, takes_all or given <= named) == (True, True)


def test_every_heading_of_the_help_has_commands_that_exist():
    listed = [name for names in commands.sections.values() for name in names]

    assert sorted(listed) == commands.list_commands(None)


# ---------------------------------------------------------------------- names of commands


@ALL
def test_help_has_no_bound_that_is_none(path, found):
    assert "None" not in found.get_help(click.Context(found, info_name=path))


def test_verbs_are_delete_and_new_and_others_mean_them_unseen(run):
    for line, means in [
        ("workspaces drop", "workspaces delete"), ("workspaces remove", "workspaces delete"),
        ("workspaces create", "workspaces new"), ("workspaces add", "workspaces new"), ("app create", "app new"),
        ("faults add", "faults new"), ("faults remove", "faults delete"), ("faults clear", "faults delete"),
        ("stubs add", "stubs new"), ("stubs remove", "stubs delete"), ("stubs clear", "stubs delete"),
        ("receivers clear", "receivers delete"), ("snapshots remove", "snapshots delete"),
        ("snapshot", "snapshots new"), ("mail delete", "mail clear"), ("logs delete", "logs clear"),
    ]:  # fmt: skip
        found = run(*line.split(), "--help")
        assert (found.exit_code, found.stdout.split()[:4]) == (0, ["Usage:", "mockserver", *means.split()]), line
        *group, verb = line.split()
        assert f"\n  {verb} " not in run(*group, "--help").stdout
    verbs = {path.split()[-1] for path, _ in commands.walk()}
    assert verbs & {"drop", "remove", "create", "add", "snapshot"} == set()
    assert [path for path, _ in commands.walk() if path.endswith(" clear")] == [
        "mockserver logs clear",
        "mockserver mail clear",
    ]


def test_unexpected_scenario_is_refused_with_the_option_that_takes_it(run):
    for words in ("reset onboarding", "serve onboarding"):
        found = run(*words.split())
        assert (found.exit_code, "extra argument (onboarding) Did you mean --scenario?" in found.stderr) == (2, True)


# ---------------------------------------------------------------------- how a command ends


def ended(function, *words):
    """The exit status of a program with one command."""
    program = Group("program", help="A program.")
    program.command("try")(function)
    return run(program, ["try", *words])


def test_exit_status_is_what_the_command_returns():
    assert (ended(lambda: 3), ended(lambda: None)) == (3, 0)


def test_misused_command_tells_the_reason_and_where_help_is(capsys):
    def refuse():
        raise Misused("it cannot be")

    assert ended(refuse) == 2
    assert capsys.readouterr() == ("", "Error: it cannot be\nTry 'program try --help' for help.\n")


def test_interrupted_command_ends_as_a_shell_expects_without_a_word(capsys):
    def interrupted():
        raise KeyboardInterrupt

    assert (ended(interrupted), capsys.readouterr()) == (130, ("", ""))


def test_error_within_a_command_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        ended(lambda: 1 / 0)


def test_command_that_lacks_the_server_says_so(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "flask", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    def serve():
        import flask  # noqa: F401, PLC0415

    assert ended(serve) == 2
    told = f"program try needs the server, which is not installed here{advice('server')}"
    assert capsys.readouterr().err == f"Error: {told}\n"


def test_words_lead_to_a_command(capsys):
    for words, status, out, err in [
        ([], 2, "", "Usage: program [OPTIONS]"),
        (["-h"], 0, "Usage: program [OPTIONS]", ""),
        (["--", "below", "two"], 0, "two\n", ""),
        (["below", "--help"], 0, "Usage: program below [OPTIONS]", ""),
        (["below"], 0, "two\n", ""),
        (["below", "--loud"], 0, "TWO\n", ""),
        (["below", "--lou"], 2, "", "Error: No such option '--lou'. Did you mean '--loud'?\nTry 'program below two"),
        (["below", "twoo"], 2, "", "Error: No such command 'twoo'. Did you mean 'two'?\nTry 'program below --help'"),
        (["below", "two", "-x", "--help"], 2, "", "Error: No such option '-x'.\nTry 'program below two --help'"),
        (["below", "two", "--help"], 0, "Usage: program below two [OPTIONS]", ""),
    ]:
        program = Group("program", help="A program.")
        below = Group("below", default="two", help="Below.")
        program.add_command(below)

        @below.command("two")
        @option("--loud", is_flag=True)
        def two(loud):
            echo("TWO" if loud else "two")

        found = run(program, words)
        printed = capsys.readouterr()
        assert (found, printed.out.startswith(out), printed.err.startswith(err)) == (status, True, True)
        assert (bool(printed.out), bool(printed.err)) == (bool(out), bool(err))


# ---------------------------------------------------------------------- the process


def started(*words, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "mockserver", *words],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def test_what_nobody_reads_ends_the_command_without_a_word():
    end, written = os.pipe()
    os.close(end)
    with os.fdopen(written, "w") as nobody, started("machines", stdout=nobody) as process:
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_ctrl_c_ends_a_command_that_waits_without_a_word():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with started("wait", "--url", f"http://127.0.0.1:{silent.getsockname()[1]}") as process:
            asking, _ = silent.accept()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=20)
        asking.close()
    assert (process.returncode, out, err) == (130, b"", b"")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_what_an_encoding_lacks_is_escaped(tmp_path, encoding):
    name = f"{tmp_path}/\u2603.yaml"
    Path(name).write_text("description: Snow.\n", encoding="utf-8")
    with started("scenarios", "check", name, env={**os.environ, "PYTHONIOENCODING": encoding}) as process:
        out, err = process.communicate(timeout=20)

    snowman = "\u2603" if encoding == "utf-8" else "\\u2603"
    assert (process.returncode, out.decode(), err) == (0, f"{tmp_path}/{snowman}.yaml: ok\n", b"")


#: Imports all modules of commands, and prints the packages that were imported with them.
ALL_COMMANDS = """
import sys
before = {name.partition(".")[0] for name in sys.modules}
from mockserver.cli import commands
list(commands.walk())
print(*sorted({name.partition(".")[0] for name in sys.modules} - before - sys.stdlib_module_names))
"""


def test_commands_import_nothing_but_the_standard_library_and_click():
    found = subprocess.run([sys.executable, "-c", ALL_COMMANDS], capture_output=True, text=True, check=True)

    assert set(found.stdout.split()) <= {"mockserver", "click", "__mp_main__"}

"""The frame of the commands: what a command line means, and what the help says of it."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import mockserver
from mockserver.cli import commands
from mockserver.cli.framework import Group, Misused, argument, command, group, option
from mockserver.cli.framework.help import help_of
from mockserver.cli.framework.output import echo
from mockserver.cli.framework.parsing import parse
from mockserver.cli.framework.program import run
from mockserver.cli.framework.values import EXISTING_FILE, Integer, Number
from mockserver.cli.options import JSON, TOKEN
from mockserver.settings.distribution import requirement


@command(
    argument("names", nargs="+"),
    argument("last"),
    option("-n", "--limit", type=int, default=5, envvar="LIMIT", help="How many."),
    option("-f", "--follow", action="store_true", envvar="FOLLOW", help="Go on."),
    option("--kind", choices=["a", "b"], help="Which."),
    option("--tag", action="append", envvar="TAGS", help="What."),
    option("--wait", nargs="?", const="30", metavar="S", help="How long."),
)
def copy(**values):
    """Copy names."""


@command(argument("by", nargs="?", default="1h"))
def advance(by):
    """Advance a clock. And tell
    what has happened.

    By an hour, if nothing is said.

        program advance 15m
          # indented
    """


DEFAULTS = {"limit": 5, "follow": False, "kind": None, "tag": (), "wait": None}


def parsed(*words, **environment):
    return parse(copy, words, environment)


# ---------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["a", "b"], {"names": ["a"], "last": "b"}),
        (["a", "-f", "b", "-n", "3", "c"], {"names": ["a", "b"], "last": "c", "follow": True, "limit": 3}),
        (["-fn3", "a", "b"], {"names": ["a"], "last": "b", "follow": True, "limit": 3}),
        (["-n=3", "a", "b"], "Invalid value for '--limit': '=3' is not a valid integer."),
        (["--limit=-3", "a", "b"], {"names": ["a"], "last": "b", "limit": -3}),
        (["--limit", "-3", "a", "b"], {"names": ["a"], "last": "b", "limit": -3}),
        (["--tag", "--kind", "--tag=", "a", "b"], {"names": ["a"], "last": "b", "tag": ["--kind", ""]}),
        (["--", "a", "--kind", "-f"], {"names": ["a", "--kind"], "last": "-f"}),
        (["-", ""], {"names": ["-"], "last": ""}),
        (["--wait", "a", "b"], {"names": ["a"], "last": "b", "wait": "30"}),
        (["--wait=5", "a", "b"], {"names": ["a"], "last": "b", "wait": "5"}),
        (["--kind", "a", "--kind", "b", "x", "y"], {"names": ["x"], "last": "y", "kind": "b"}),
        ([], "Missing argument 'NAMES...'."),
        (["a"], "Missing argument 'LAST'."),
        (["--lim", "3", "a", "b"], "No such option '--lim'. Did you mean '--limit'?"),
        (["-fx", "a", "b"], "No such option '-x'."),
        (["a", "b", "--limit"], "Option '--limit' requires an argument."),
        (["-n"], "Option '-n' requires an argument."),
        (["--follow=yes"], "Option '--follow' does not take a value."),
        (["--kind", "c", "a", "b"], "Invalid value for '--kind': 'c' is not one of 'a', 'b'."),
    ],
)
def test_a_command_line_means_one_thing(words, found):
    if isinstance(found, str):
        with pytest.raises(Misused) as refusal:
            parsed(*words)
        assert str(refusal.value) == found
    else:
        assert parsed(*words) == {**DEFAULTS, **found}


def test_a_word_too_many_is_refused():
    with pytest.raises(Misused, match=r"^Got unexpected extra argument \(b\)$"):
        parse(advance, ["a", "b"], {})


def test_an_argument_that_may_be_left_out_has_its_default():
    assert (parse(advance, [], {}), parse(advance, ["2h"], {})) == ({"by": "1h"}, {"by": "2h"})


def test_an_option_that_is_needed_is_asked_for():
    needing = command(option("--to", required=True, help="Where to."))(lambda to: None)

    with pytest.raises(Misused, match=r"^Missing option '--to'\.$"):
        parse(needing, [], {})


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"LIMIT": "7"}, {"limit": 7}),
        ({"LIMIT": ""}, {}),
        ({"FOLLOW": "Yes"}, {"follow": True}),
        ({"FOLLOW": "0"}, {}),
        ({"TAGS": " a  b"}, {"tag": ["a", "b"]}),
        ({"LIMIT": "x"}, "Invalid value for '--limit' (env var: 'LIMIT'): 'x' is not a valid integer."),
        ({"FOLLOW": "x"}, "Invalid value for '--follow' (env var: 'FOLLOW'): 'x' is neither yes nor no: "),
    ],
)
def test_a_variable_says_what_the_command_line_does_not(environment, found):
    if isinstance(found, str):
        with pytest.raises(Misused) as refusal:
            parsed("a", "b", **environment)
        assert str(refusal.value).startswith(found)
    else:
        assert parsed("a", "b", **environment) == {**DEFAULTS, "names": ["a"], "last": "b", **found}


def test_the_command_line_wins_over_a_variable_whatever_that_says():
    assert parsed("-n", "3", "a", "b", LIMIT="x")["limit"] == 3
    with pytest.raises(Misused, match=r"^Invalid value for '--limit': 'y' "):
        parsed("-n", "y", "a", "b", LIMIT="x")


@pytest.mark.parametrize(
    ("type_", "text", "told"),
    [
        (Integer(1, 5), "6", "6 is not in the range 1<=x<=5."),
        (Integer(1), "0", "0 is not in the range x>=1."),
        (Integer(most=5), "6", "6 is not in the range x<=5."),
        (Number(0, above=True), "0", "0.0 is not in the range x>0."),
        (Number(), "1_0x", "'1_0x' is not a valid number."),
        (Number(), "-inf", "-inf is not a finite number."),
        (EXISTING_FILE, "/", "File '/' is a directory."),
        (EXISTING_FILE, "/none", "File '/none' does not exist."),
        (EXISTING_FILE, "a\0b", "File 'a\\x00b' does not exist."),
        (EXISTING_FILE, "x" * 10_000, f"File '{'x' * 10_000}' does not exist."),
    ],
)
def test_a_value_that_is_none_is_refused_with_the_reason(type_, text, told):
    with pytest.raises(ValueError) as refusal:
        type_(text)

    assert str(refusal.value) == told


# ---------------------------------------------------------------------- help


def shown(found, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    return help_of("program name", found)


def test_help_tells_usage_paragraphs_and_examples(monkeypatch):
    assert shown(advance, 40, monkeypatch).splitlines() == [
        "Usage: program name [OPTIONS] [BY]",
        "",
        "  Advance a clock. And tell what has",
        "  happened.",
        "",
        "  By an hour, if nothing is said.",
        "",
        "    program advance 15m",
        "      # indented",
        "",
        "Options:",
        "  -h, --help",
        "      Show this message and exit.",
    ]


def test_help_tells_options_with_variables_defaults_and_ranges_under_their_headings(monkeypatch):
    limited = command(
        option("-n", "--limit", type=Integer(1, 5), default=3, envvar="LIMIT", help="How many."),
        option("--follow", action="store_true", help="Go on."),
        TOKEN,
        JSON,
    )(lambda **values: None)

    assert shown(limited, 200, monkeypatch).splitlines()[-8:] == [
        "Options:",
        "  -n, --limit INTEGER  How many.  [env var: LIMIT; default: 3; 1<=x<=5]",
        "  --follow             Go on.",
        "  --json               Print JSON.",
        "  -h, --help           Show this message and exit.",
        "",
        "Which server:",
        "  --token TOKEN  The server's control token.  [env var: MOCKSERVER_TOKEN]",
    ]


@pytest.mark.parametrize("columns", [1, 20, 60, 79, 80, 100, 500])
@pytest.mark.parametrize(
    ("path", "found"), list(commands.walk()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_help_fits_the_terminal_and_loses_no_word(path, found, columns, monkeypatch):
    text = shown(found, columns, monkeypatch)

    widest = max(30, min(columns, 100))
    # A name that is longer than a line stands on it alone.
    assert [line for line in text.splitlines() if len(line) > widest and " " in line.strip()[2:]] == [] or widest < 60
    words = "".join(text.split())
    for row in found.options:
        assert "".join(row.help.split()) in words


@pytest.mark.parametrize(
    ("path", "found"), list(commands.walk()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_command_and_each_of_its_options_is_explained_in_sentences(path, found):
    assert found.short_help.endswith(".")
    assert [row.name for row in found.options if not row.help.endswith(".")] == []


@pytest.mark.parametrize(
    ("path", "found"), list(commands.walk()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_option_and_argument_has_its_place_in_the_function(path, found):
    code = found.run.__code__
    takes_all = bool(code.co_flags & 0x08)
    named = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    given = {row.name for row in (*found.arguments, *found.options)} - {"help"}

    assert (named <= given, takes_all or given <= named) == (True, True)


def test_every_heading_of_the_help_has_commands_that_are_there():
    listed = [name for names in commands.sections.values() for name in names]

    assert sorted(listed) == commands.names()


# ---------------------------------------------------------------------- the program


def ended(function, *words):
    """The exit status of a program with one command."""
    tried = command()(function)
    tried.name = "try"
    return run(Group("program", tried, help="A program."), ["try", *words], lambda: "1")


def test_what_a_command_returns_is_the_exit_status():
    assert (ended(lambda: 3), ended(lambda: None)) == (3, 0)


def test_a_misused_command_tells_why_and_where_help_is(capsys):
    def refuse():
        raise Misused("it cannot be")

    assert ended(refuse) == 2
    assert capsys.readouterr() == ("", "Error: it cannot be\nTry 'program try --help' for help.\n")


def test_an_interrupted_command_ends_as_a_shell_expects_without_a_word(capsys):
    def interrupted():
        raise KeyboardInterrupt

    assert (ended(interrupted), capsys.readouterr()) == (130, ("", ""))


def test_what_goes_wrong_within_a_command_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        ended(lambda: 1 / 0)


def test_a_command_that_lacks_the_server_says_so(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "flask", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    def serve():
        import flask  # noqa: F401, PLC0415

    assert ended(serve) == 2
    told = f"program try needs the server, which is not installed here: pip install '{requirement('server')}'"
    assert capsys.readouterr().err == f"Error: {told}\n"


@pytest.mark.parametrize(
    ("words", "status", "out", "err"),
    [
        ([], 2, "", "Usage: program [OPTIONS]"),
        (["-h"], 0, "Usage: program [OPTIONS]", ""),
        (["--version"], 0, "program, version 1\n", ""),
        (["--", "below", "two"], 0, "two\n", ""),
        (["below"], 2, "", "Usage: program below [OPTIONS]"),
        (["below", "--help"], 0, "Usage: program below [OPTIONS]", ""),
        (
            ["below", "--hel"],
            2,
            "",
            "Error: No such option '--hel'. Did you mean '--help'?\nTry 'program below --help'",
        ),
        (["below", "twoo"], 2, "", "Error: No such command 'twoo'. Did you mean 'two'?\nTry 'program below --help'"),
        (["below", "two", "-x", "--help"], 2, "", "Error: No such option '-x'.\nTry 'program below two --help'"),
        (["below", "two", "--help"], 0, "Usage: program below two [OPTIONS]", ""),
    ],
)
def test_the_words_lead_to_a_command(capsys, words, status, out, err):
    two = command(name="two")(lambda: echo("two"))
    version = option("-V", "--version", action="store_true", help="Tell the version.")
    program = Group("program", group("below", two, help="Below."), help="A program.", options=(version,))

    found = run(program, words, lambda: "1")

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


def test_a_name_that_is_no_text_is_told_as_it_is_escaped():
    with started(b"scenarios", b"show", b"\xff") as process:
        out, err = process.communicate(timeout=20)

    assert (process.returncode, out, err) == (2, b"", b"Error: argument '\\xff': not UTF-8 text\n")


#: Imports all modules of commands.
ALL_COMMANDS = "import sys; sys.path.insert(0, sys.argv[1]); from mockserver.cli import commands; list(commands.walk())"


def test_the_commands_import_nothing_but_the_standard_library():
    """Without the folder of what is installed: `-S`."""
    root = Path(mockserver.__file__).parents[1]
    found = subprocess.run([sys.executable, "-I", "-S", "-c", ALL_COMMANDS, root], capture_output=True, check=False)

    assert (found.returncode, found.stderr) == (0, b"")

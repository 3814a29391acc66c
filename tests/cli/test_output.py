"""What commands print: whatever a server says, the terminal shows it and obeys none of it."""

import io
import sys

import pytest

from mockserver.cli.output import is_coloured, paint, printable, table


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def environment(monkeypatch):
    """Sets variables; those about colours are unset before."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return lambda **variables: [monkeypatch.setenv(*row) for row in variables.items()]


@pytest.fixture
def terminal(monkeypatch, environment):
    """A terminal as standard output, of some columns."""

    def of(columns):
        environment(COLUMNS=str(columns))
        monkeypatch.setattr(sys, "stdout", Terminal())

    return of


# ---------------------------------------------------------------------- printable


def test_what_would_move_a_cursor_is_escaped():
    for text, shown in [
        ("plain, caf\u00e9 \u96fb \U0001f600", "plain, caf\u00e9 \u96fb \U0001f600"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2028", "\\u2028"),
        ("\ud800", "\\ud800"),
        ("\x7f\x00", "\\x7f\\x00"),
    ]:
        assert printable(text) == shown


def test_lines_stay_where_they_are_wanted():
    assert printable("a\n\tb\r\n\x1b", lines=True) == "a\n\tb\\r\n\\x1b"


# ---------------------------------------------------------------------- colour


@pytest.mark.parametrize(
    ("variables", "of_terminal", "of_file"),
    [
        ({}, True, False), ({"NO_COLOR": "1"}, False, False), ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True), ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False), ({"TERM": "dumb"}, False, False),
    ],
)  # fmt: skip
def test_colours_are_for_terminals_unless_the_environment_says_otherwise(environment, variables, of_terminal, of_file):
    environment(**variables)

    assert (is_coloured(Terminal()), is_coloured(io.StringIO())) == (of_terminal, of_file)


def test_coloured_text_has_escaped_control_characters_and_only_the_outer_colour(terminal):
    terminal(80)

    assert paint("\x1b[0mok", "good") == "\033[32m\\x1b[0mok\033[0m"
    assert paint(paint("ok", "good"), "bad") == "\033[31mok\033[0m"


# ---------------------------------------------------------------------- tables


def test_a_table_has_columns_and_no_spaces_at_the_ends(environment):
    environment()

    assert table(("id", "name"), []) == "id  name"
    assert paint("ok", "good") == "ok"
    assert table(("id", "name"), [(1, "News"), (1_000, None), ("\x1b", "a\nb")]).splitlines() == [
        "id    name",
        "1     News",
        "1000",
        "\\x1b  a\\nb",
    ]


def test_redirected_table_is_not_truncated(environment):
    environment(COLUMNS="20")

    assert len(table(("text",), [("x" * 1_000,)]).splitlines()[1]) == 1_000


@pytest.mark.parametrize("columns", [30, 40, 79])
@pytest.mark.parametrize("text", ["x" * 200, "\u96fb" * 200, "e\u0301" * 200])
def test_on_a_terminal_the_widest_columns_are_cut_until_a_row_fits(terminal, columns, text):
    terminal(columns)

    lines = table(("id", "text"), [("12345", text)], width=None).splitlines()
    plain = lines[1].replace("\u0301", "")

    assert sum(2 if sign == "\u96fb" else 1 for sign in plain) in (columns - 1, columns)
    assert plain.startswith("12345  ")
    assert plain.endswith("\u2026")


@pytest.mark.parametrize("header", ["id", "timer", "at", "domain"])
def test_value_that_other_commands_take_is_never_cut(terminal, header):
    terminal(20)

    assert table((header, "text"), [("x" * 36, "y" * 40)]).splitlines()[1] == f"{'x' * 36}  {'y' * 7}\u2026"


def test_narrow_terminal_keeps_each_column_visible(terminal):
    terminal(1)

    assert table(("a", "b"), [("x" * 20, "y" * 20)]).splitlines()[1] == f"{'x' * 7}\u2026  {'y' * 7}\u2026"


def test_a_painted_cell_is_as_wide_as_it_looks(terminal):
    terminal(80)

    lines = table(("state", "name"), [(paint("ok", "good"), "a"), (paint("x" * 100, "bad"), "b")]).splitlines()

    assert lines[1] == f"\033[32mok\033[0m{' ' * 74}a"
    assert lines[2] == f"\033[31m{'x' * 73}\u2026\033[0m  b"

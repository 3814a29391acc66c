"""The help of commands, laid out for the terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator

from mockserver.cli.framework.commands import Command, Group
from mockserver.cli.framework.parameters import Argument, Option

#: The longest lines, in characters: longer ones are hard to read. The shortest: no word of the help would fit.
_WIDEST, _NARROWEST = 100, 30
#: How wide the column of names may be; longer ones have their explanation on the next line. Chosen, as `--help` of
#: other programs has it.
_NAMES = 30
#: Where the terminal leaves less than this for explanations, in characters, they stand below the names.
_ROOM = 34

#: A name and its explanation.
Row = tuple[str, str]


def help_of(path: str, found: Command | Group) -> str:
    """The help of the command that the words of `path` call."""
    width = max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size().columns))
    parts = [_usage(path, found, width), *_paragraphs(found.help, width)]
    if isinstance(found, Group) and found.default is not None:
        parts += _paragraphs(f"Without a command, it is {found.default.name}. {found.default.help}", width)
    parts += [_section(title, rows, width) for title, rows in sections(found)]
    return "\n\n".join(part for part in parts if part)


def sections(found: Command | Group) -> Iterator[tuple[str, list[Row]]]:
    """The headings of a command's help, each with its rows."""
    if isinstance(found, Command):
        arguments = [(row.title, explained(row)) for row in found.arguments if row.help]
        if arguments:
            yield "Arguments", arguments
    titles = dict.fromkeys(row.section for row in found.options)
    # What a command has for itself comes first, and --help with it.
    for title in sorted(titles, key=lambda title: title != "Options"):
        yield title, [(row.title, explained(row)) for row in found.options if row.section == title]
    if isinstance(found, Group):
        yield from _commands(found)


def _commands(found: Group) -> Iterator[tuple[str, list[Row]]]:
    rows = {name: (name, row.short_help) for name, row in found.all().items()}
    for title, names in found.sections.items():
        yield title, [rows.pop(name) for name in names if name in rows]
    if rows:
        yield "Commands", list(rows.values())


def explained(parameter: Option | Argument) -> str:
    """What a parameter means, and in brackets its environment variable, its default and its range."""
    notes = []
    if isinstance(parameter, Option) and parameter.envvar:
        notes.append(f"env var: {parameter.envvar}")
    if (default := default_of(parameter)) is not None:
        notes.append(f"default: {default}")
    if parameter.type.range:
        notes.append(parameter.type.range)
    if parameter.is_required and isinstance(parameter, Option):
        notes.append("required")
    return "  ".join([parameter.help, *([f"[{'; '.join(notes)}]"] if notes else [])]).strip()


def default_of(parameter: Option | Argument) -> str | None:
    """The default as help shows it; None: there is none to show."""
    if isinstance(parameter, Option) and not parameter.show_default:
        return None
    default = parameter.default
    if default is None or isinstance(default, bool) or default in ((), [], ""):
        return None
    return str(default)


def _usage(path: str, found: Command | Group, width: int) -> str:
    words = ["[OPTIONS]"]
    if isinstance(found, Group):
        words.append("COMMAND [ARGS]..." if found.default is None else "[COMMAND] [ARGS]...")
    else:
        words += [row.title for row in found.arguments]
    return "\n".join(_wrapped(f"Usage: {path} {' '.join(words)}", width, later=" " * 9))


def _paragraphs(text: str, width: int) -> Iterator[str]:
    """The paragraphs of a help; one that is indented, such as an example, stays as it is."""
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("    "):
            yield textwrap.indent(textwrap.dedent(paragraph), "    ")
        else:
            yield "\n".join(_wrapped(paragraph, width, "  "))


def _section(title: str, rows: Iterable[Row], width: int) -> str:
    rows = list(rows)
    fitting = [len(name) for name, _ in rows if len(name) <= _NAMES]
    column = max(fitting, default=0) + 4
    if width - column < _ROOM:
        column = 6
    lines = [f"{title}:"]
    for name, text in rows:
        lines += _row(name, _wrapped(text, width - column), column)
    return "\n".join(lines)


def _row(name: str, lines: list[str], column: int) -> Iterator[str]:
    start = f"  {name}"
    if lines and len(start) + 2 <= column:
        yield f"{start:{column}}{lines[0]}"
        lines = lines[1:]
    else:
        yield start
    for line in lines:
        yield f"{'':{column}}{line}"


def _wrapped(text: str, width: int, indent: str = "", later: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent if later is None else later,
        break_on_hyphens=False,
    )

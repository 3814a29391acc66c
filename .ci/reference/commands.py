"""The commands by group: usage, help, and the options that differ from those of the section."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from mockserver.cli import commands as program
from mockserver.cli.program import Group

#: The options that are described once, at the beginning of the page.
_COMMON = ("--json", "--url", "--token", "--workspace", "--scenarios", "--output")
#: The common options that a section names once; the others are named by each command that has them.
_OF_SECTIONS = _COMMON[:4]


def command_options() -> Iterator[str]:
    """The common options, and every command below the heading of its section and group."""
    found = list(program.walk())
    yield "## Common options"
    yield ""
    for flag in _COMMON:
        made = Counter(_option(row) for _, command in found for row in _options(command) if flag in row.opts)
        yield f"- {made.most_common(1)[0][0]}"
    yield ""
    for title, names in program.sections.items():
        rows = [(path, command) for path, command in found if path.split()[1] in names]
        usual = Counter(_common(command) for _, command in rows).most_common(1)[0][0]
        yield f"## {title}"
        yield ""
        if len(rows) > 1 and usual:
            yield f"Each takes {_listed(usual)}, unless it says otherwise."
            yield ""
        for name in sorted(names, key=lambda name: (isinstance(_command_of(name), Group), name)):
            yield from _group(name, [row for row in rows if row[0].split()[1] == name], usual)


def _group(name: str, rows: Sequence[tuple[str, click.Command]], usual: Sequence[str]) -> Iterator[str]:
    """The commands of a group, or one command without a group; what several of a group take is described once."""
    made = _command_of(name)
    lines = Counter(line for _, command in rows for line in _parameters(command))
    shared = [line for line, count in lines.items() if count > 1]
    if isinstance(made, Group):
        yield f"### mockserver {name}"
        yield ""
        yield _sentences(made.help) + (f" Without a command, it is `{made.default}`." if made.default else "")
        yield ""
    if shared:
        takers = {line: [f"`{path.split()[-1]}`" for path, row in rows if line in _parameters(row)] for line in shared}
        yield from (f"- {' and '.join(takers[line])}: {line}" for line in shared)
        yield ""
    for path, command in rows:
        yield from _command(path, command, usual, shared)


def _command_of(name: str) -> click.Command | None:
    return program.get_command(click.Context(program), name)


def _command(path: str, command: click.Command, usual: Sequence[str], shared: Sequence[str]) -> Iterator[str]:
    """A command: its usage and its help in a paragraph, and a list of its further options."""
    arguments = [row.make_metavar(click.Context(command)) for row in command.params if isinstance(row, click.Argument)]
    common = _common(command)
    less, more = [flag for flag in usual if flag not in common], [flag for flag in common if flag not in usual]
    more += [flag for flag in _COMMON[4:] if any(flag in row.opts and not _is_other(row) for row in _options(command))]
    notes = f" Without {_listed(less)}." * bool(less) + f" Also {_listed(more)}." * bool(more)
    yield f"**`{' '.join([path, *arguments])}`** {_sentences(command.help)}{notes}"
    yield ""
    rows = [] if path == "mockserver serve" else [row for row in _parameters(command) if row not in shared]
    if rows:
        yield from (f"- {row}" for row in rows)
        yield ""


def _parameters(command: click.Command) -> list[str]:
    """The described arguments and the options of a command, each as a line, without common options."""
    arguments = [row for row in command.params if isinstance(row, click.Argument)]
    lines = [f"`{title_of(row)}`: {row.help}" for row in arguments if getattr(row, "help", None)]
    return lines + [_option(row) for row in _options(command) if not set(_COMMON) & set(row.opts) or _is_other(row)]


def _is_other(option: click.Option) -> bool:
    """Whether an option has the name of a common one, and another meaning."""
    return "alone" in str(option.help) or (option.opts[-1] == "--output" and default_of(option) is not None)


def _common(command: click.Command) -> tuple[str, ...]:
    flags = {flag for row in _options(command) if not _is_other(row) for flag in row.opts}
    return tuple(flag for flag in _OF_SECTIONS if flag in flags)


def _options(command: click.Command) -> list[click.Option]:
    return [row for row in command.params if isinstance(row, click.Option)]


def _option(option: click.Option) -> str:
    default = default_of(option)
    notes = [f"`{option.envvar}`"] if option.envvar else []
    notes += [f"default `{default}`"] if default else ["required"] if option.required else []
    added = f" ({', '.join(notes)})" if notes else ""
    return f"`{title_of(option)}`{added}: {option.help}"


def _sentences(text: str | None) -> str:
    return " ".join(inspect.cleandoc(text or "").split())


def _listed(flags: Sequence[str]) -> str:
    return ", ".join(f"`{flag}`" for flag in flags)


def title_of(parameter: click.Parameter) -> str:
    """An option with its names, or an argument, as the help shows it: `-n, --limit N`."""
    ctx = click.Context(click.Command("documented"))
    if isinstance(parameter, click.Option):
        record = parameter.get_help_record(ctx)
        return record[0] if record else ""
    return parameter.make_metavar(ctx)


def default_of(parameter: click.Parameter) -> str | None:
    """The default as help shows it; None: there is none to show."""
    if not isinstance(parameter, click.Option):
        return None
    return parameter.get_help_extra(click.Context(click.Command("documented"))).get("default")

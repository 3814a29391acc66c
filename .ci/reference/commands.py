"""The commands with their arguments and options."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from mockserver.cli import commands as program
from reference.tables import code, head, row, words_of


def command_options() -> Iterator[str]:
    """Every command with its arguments and options."""
    for path, command in program.walk():
        yield f"### {path}"
        yield ""
        yield from inspect.cleandoc(command.help or "").splitlines()
        yield ""
        if path != "mockserver serve":
            yield from _parameters(command)


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


def _parameters(command: click.Command) -> Iterator[str]:
    arguments = [row for row in command.params if isinstance(row, click.Argument)]
    options = [row for row in command.params if isinstance(row, click.Option)]
    rows = [(title_of(argument), "", "", argument.help or "") for argument in arguments]
    rows += [
        (title_of(option), str(option.envvar or ""), default_of(option) or "", f"{option.help}{words_of(option.type)}")
        for option in options
    ]
    if rows:
        yield from head("argument or option", "variable", "default", "meaning")
        for name, variable, default, meaning in rows:
            yield row(code(name), *(code(text) if text else "" for text in (variable, default)), meaning)
        yield ""

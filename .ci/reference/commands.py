"""The commands with their arguments and options."""

from __future__ import annotations

from collections.abc import Iterator

from mockserver.cli import commands as program
from mockserver.cli.framework.commands import Command
from mockserver.cli.framework.help import default_of
from reference.tables import code, head, row, words_of


def command_options() -> Iterator[str]:
    """Every command with its arguments and options."""
    for path, command in program.walk():
        yield f"### {path}"
        yield ""
        yield from command.help.splitlines()
        yield ""
        if isinstance(command, Command) and path != "mockserver serve":
            yield from _parameters(command)


def _parameters(command: Command) -> Iterator[str]:
    rows = [(argument.title, "", "", argument.help) for argument in command.arguments]
    rows += [
        (option.title, option.envvar or "", default_of(option) or "", f"{option.help}{words_of(option.type)}")
        for option in command.options
        if "--help" not in option.title
    ]
    if rows:
        yield from head("argument or option", "variable", "default", "meaning")
        for name, variable, default, meaning in rows:
            yield row(code(name), *(code(text) if text else "" for text in (variable, default)), meaning)
        yield ""

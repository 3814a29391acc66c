"""A group of commands that prints help and errors in the style of this program."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, NoReturn

import click


class Program(click.Group):
    """A group of commands: its help shows whole sentences, and an error begins with the reason, not with the usage.

    Commands that are `late` are in modules of this package that are imported when the command is asked for, and have
    its name there.
    """

    def __init__(self, *arguments: Any, late: Mapping[str, str] = MappingProxyType({}), **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._late = late

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.commands, *self._late})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self._late and cmd_name not in self.commands:
            self.add_command(getattr(import_module(f"{__package__}.{self._late[cmd_name]}"), cmd_name))
        return super().get_command(ctx, cmd_name)

    def all_commands(self, ctx: click.Context) -> dict[str, click.Command]:
        """All commands by name, in the order of their names."""
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        return {name: command for name, command in found.items() if command is not None}

    def main(self, *arguments: Any, standalone_mode: bool = True, **options: Any) -> Any:
        """Run a command, and exit with its status; without `standalone_mode`, return its result or raise its error."""
        run: Callable[..., Any] = super().main
        if not standalone_mode:
            return run(*arguments, standalone_mode=False, **options)
        try:
            status = run(*arguments, standalone_mode=False, **options)
            sys.stdout.flush()
        except click.Abort:
            click.echo("Aborted!", err=True)
            sys.exit(1)
        except click.ClickException as error:
            _refuse(error)
        except OSError as error:
            give_up(error)
        sys.exit(status or 0)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The limit, in characters, is longer than any sentence: click would cut it at 45.
        rows = [(name, command.get_short_help_str(limit=1_000)) for name, command in self.all_commands(ctx).items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _refuse(error: click.ClickException) -> NoReturn:
    """Print what is wrong and then how to get help, and exit with the status of the error."""
    if not isinstance(error, click.UsageError) or isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    else:
        click.echo(f"Error: {error.format_message()}", err=True)
        if error.ctx is not None:
            click.echo(f"Try '{error.ctx.command_path} --help' for help.", err=True)
    sys.exit(error.exit_code)


def give_up(error: OSError) -> NoReturn:
    """Exit with 2 because standard output cannot be written; commands handle errors of other files themselves."""
    # At its exit Python would otherwise flush the old stream once more, and print a traceback.
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  # until the program ends
    click.echo(f"Error: cannot write to the standard output: {error.strerror}", err=True)
    sys.exit(2)

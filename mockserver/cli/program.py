"""How the commands speak: whole sentences in lists, and of a refusal the reason first."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click


class Program(click.Group):
    """A group of commands."""

    def main(self, *arguments: Any, standalone_mode: bool = True, **options: Any) -> Any:
        """Run a command, and end with its exit status."""
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
        rows = [(name, command.get_short_help_str(limit=1_000)) for name, command in sorted(self.commands.items())]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _refuse(error: click.ClickException) -> NoReturn:
    """Say what is wrong, and then where help is to be had."""
    if not isinstance(error, click.UsageError) or isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    else:
        click.echo(f"Error: {error.format_message()}", err=True)
        if error.ctx is not None:
            click.echo(f"Try '{error.ctx.command_path} --help' for help.", err=True)
    sys.exit(error.exit_code)


def give_up(error: OSError) -> NoReturn:
    """End where nobody takes what is printed; what else goes wrong with files, the commands tell by themselves."""
    # Without it, Python would try again at its end, and complain.
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  # until the program ends
    click.echo(f"Error: cannot write to the standard output: {error.strerror}", err=True)
    sys.exit(2)

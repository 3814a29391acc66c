"""The click classes of the commands: lazy groups, sections of the help, and exit statuses.

The module of a command is imported when the command runs: in a container `mockserver health` runs every few seconds.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from inspect import cleandoc
from types import MappingProxyType
from typing import Any, NoReturn

import click
from click.core import ParameterSource
from click.exceptions import Exit

from mockserver.cli.output import echo, forget
from mockserver.settings import ServerMissingError, needing_server

#: The names of the program, each with the environment variable by which a shell asks for completions.
PROGRAMS = {"mockserver": "_MOCKSERVER_COMPLETE", "brevo-mockserver": "_BREVO_MOCKSERVER_COMPLETE"}
#: The exit statuses of a misused command, and of an interrupted command: 128 and the number of SIGINT.
_MISUSED, _INTERRUPTED = 2, 130
#: The flags of every command, and the longest lines of its help, in characters.
_SETTINGS: Mapping[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
#: The longest sentence about a command in a list, in characters: sentences are not cut.
_SENTENCE = 1000
#: Other verbs, and the words that they mean in a group without such a command: neither help nor completion has them.
_ALIASES = {
    "drop": ["delete"], "remove": ["delete"], "clear": ["delete", "--all"], "delete": ["clear"],
    "create": ["new"], "add": ["new"], "snapshot": ["snapshots", "new"],
}  # fmt: skip
#: The sections of the help that come first.
_FIRST = {"Arguments": 0, "Options": 1}

#: Adds something to the function of a command.
Decorator = Callable[[Any], Any]
#: A misused command: the message is printed after `Error:`, and the exit status is 2.
Misused = click.UsageError


class Option(click.Option):
    """An option in a help section, shown with default and environment variable."""

    def __init__(
        self, flags: Sequence[str], *, section: str = "Options", show_default: bool = True, **rest: Any
    ) -> None:
        super().__init__(flags, show_default=show_default, show_envvar=True, **rest)
        self.section = section

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Name the option in error messages, with the environment variable if the value came from there."""
        is_variable = ctx is not None and ctx.get_parameter_source(str(self.name)) is ParameterSource.ENVIRONMENT
        return f"{self.opts[-1]!r}{f' (env var: {self.envvar!r})' if is_variable else ''}"


class Argument(click.Argument):
    """An argument with a help text (built into click 8.5)."""

    section = "Arguments"

    def __init__(self, names: Sequence[str], *, help: str = "", **rest: Any) -> None:  # noqa: A002  # as click calls it
        super().__init__(names, **rest)
        self.help = help
        word = self.human_readable_name
        if not word.endswith("..."):
            word = word if self.required else f"[{word}]"
            self.metavar = word if self.nargs == 1 else f"{word}..."


def option(*flags: str, **rest: Any) -> Decorator:
    # Called anew each time: the decorators of click before 8.1 forget the class after the first function.
    return lambda function: click.option(*flags, cls=Option, **rest)(function)  # noqa: PLW0108  # see above


def argument(name: str, **rest: Any) -> Decorator:
    return lambda function: click.argument(name, cls=Argument, **rest)(function)  # noqa: PLW0108  # see `option`


class Command(click.Command):
    """A command; its function returns the exit status (None: 0)."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, Exit, OSError):
            raise
        except Exception:
            # Only now: looking for all packages first would take longer than many commands.
            with needing_server(ctx.command_path):
                raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options in the sections of the help."""
        found: dict[str, list[tuple[str, str]]] = {}
        for row in self.get_params(ctx):
            record = (row.human_readable_name, row.help) if isinstance(row, Argument) else row.get_help_record(ctx)
            if record is not None and record[1]:
                found.setdefault(getattr(row, "section", "Options"), []).append((record[0], record[1]))
        for title in sorted(found, key=lambda title: _FIRST.get(title, len(_FIRST))):
            with formatter.section(title):
                formatter.write_dl(found[title])

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: `format_options` writes arguments, because click before 8.5 skips this method."""


class Group(click.Group):
    """A group of commands.

    Args:
        name: The name of the group.
        default: The name of the default command, whose options are also options of the group.
        lazy: The module of each command that is imported on use, by the name of the command. In its module, a command
            has this name.
        sections: The headings of the help, each with the names of its commands.
    """

    command_class = Command

    def __init__(
        self,
        name: str,
        *,
        default: str | None = None,
        lazy: Mapping[str, str] = MappingProxyType({}),
        sections: Mapping[str, Iterable[str]] = MappingProxyType({}),
        **rest: Any,
    ) -> None:
        super().__init__(name, no_args_is_help=False, context_settings=dict(_SETTINGS), **rest)
        self.default, self.sections = default, sections
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.commands, *self._lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands and cmd_name in self._lazy:
            self.add_command(getattr(import_module(self._lazy[cmd_name]), cmd_name))
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        found = self.get_command(ctx, args[0])
        if found is None and (alias := _ALIASES.get(args[0])) and (found := self.get_command(ctx, alias[0])):
            takes_all = isinstance(found, Group) or any("--all" in row.opts for row in found.params)
            args = [*(alias if takes_all else alias[:1]), *args[1:]]
        if not ctx.resilient_parsing and found is None:
            ctx.fail(f"No such command {args[0]!r}.{did_you_mean(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a command line; without a command, parse it for the default command."""
        if self.default and args[:1] not in (["-h"], ["--help"]):
            if args[0].startswith("-") if args else not ctx.resilient_parsing:
                args = [self.default, *args]
        elif not args and not ctx.resilient_parsing:
            echo(ctx.get_help(), err=True)
            ctx.exit(_MISUSED)
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        default = self.get_command(ctx, self.default) if self.default and incomplete.startswith("-") else None
        return default.shell_complete(ctx, incomplete) if default else super().shell_complete(ctx, incomplete)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the default command, and the commands."""
        default = self.get_command(ctx, self.default) if self.default else None
        if default is None:
            click.Command.format_options(self, ctx, formatter)
        else:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(f"Without a command, it is {default.name}. {cleandoc(default.help or '')}")
            default.format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = {str(row.name): row.get_short_help_str(_SENTENCE) for row in self.rows(ctx)}
        for title, names in (self.sections or {"Commands": rows}).items():
            with formatter.section(title):
                formatter.write_dl([(name, rows[name]) for name in names])

    def rows(self, ctx: click.Context) -> list[click.Command]:
        """Import all commands, and return them sorted by name."""
        found = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        return [row for row in found if row is not None]

    def walk(self, path: str = "") -> Iterator[tuple[str, click.Command]]:
        """Yield all commands with the words that call them, commands of groups included."""
        path = f"{path} {self.name}".strip()
        for row in self.rows(click.Context(self)):
            if isinstance(row, Group):
                yield from row.walk(path)
            else:
                yield f"{path} {row.name}", row


#: A command without a group.
command = partial(click.command, cls=Command, context_settings=_SETTINGS)


def decorated(*decorators: Decorator) -> Decorator:
    def decorate(function: Any) -> Any:
        for row in reversed(decorators):
            function = row(function)
        return function

    return decorate


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the nearest known name as the end of a message about an unknown name; empty without a near name."""
    from mockserver.core.text.messages import meant

    near = meant(name, known)
    return f" Did you mean {near!r}?" if near else ""


# ------------------------------------------------------------------ running


def run(program: Group, words: Sequence[str]) -> int:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed: no other file may get its descriptor
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  # until the program ends
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for characters that the encoding lacks
    try:
        return _run(program, words)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader has stopped, as in `mockserver openapi | head`.
        forget("stdout")
        return 1
    except OSError as error:
        give_up(error)


def _run(program: Group, words: Sequence[str]) -> int:
    for name, variable in PROGRAMS.items():
        if instruction := os.environ.get(variable):
            from click.shell_completion import shell_complete

            return shell_complete(program, {}, name, variable, instruction)
    try:
        with program.make_context(program.name, list(words)) as context:
            status = program.invoke(context)
        sys.stdout.flush()
    except Exit as end:
        return end.exit_code
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else program.name
        echo(f"Error: {_advised(error)}\nTry '{path} --help' for help.", err=True)
        return _MISUSED
    except ServerMissingError as error:
        echo(f"Error: {error}", err=True)
        return _MISUSED
    return status or 0


def _advised(error: click.UsageError) -> str:
    """Return the message of an error, with advice for a scenario or a parameter in the wrong place."""
    params = error.ctx.command.params if error.ctx else []
    flags = [flag for row in params for flag in row.opts]
    if "--scenario" in flags and "extra argument" in error.message:
        return f"{error.format_message()} Did you mean --scenario?"
    if isinstance(error, click.NoSuchOption) and any("NAME=VALUE" in str(row.metavar) for row in params):
        name = error.option_name.lstrip("-")
        if not did_you_mean(name, [flag.lstrip("-") for flag in flags]):
            message = click.NoSuchOption(error.option_name, ctx=error.ctx).format_message()
            return f"{message} Write parameters without dashes: {name}=VALUE."
    return error.format_message()


def ending_signals() -> Iterable[int]:
    """Return SIGTERM, and SIGHUP (the terminal is closed) unless it is ignored, as under nohup."""
    hangup = getattr(signal, "SIGHUP", signal.SIGTERM)  # Windows has none
    return {signal.SIGTERM} if signal.getsignal(hangup) is signal.SIG_IGN else {signal.SIGTERM, hangup}


def give_up(error: OSError) -> NoReturn:
    """Exit with 2 because standard output cannot be written."""
    forget("stdout")
    echo(f"Error: cannot write to the standard output: {error.strerror}", err=True)
    sys.exit(_MISUSED)

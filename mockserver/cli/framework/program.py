"""The program: finds the command that the words ask for, calls it, and ends with its status."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any, NoReturn

from mockserver.cli.framework.commands import HELP, Command, Group
from mockserver.cli.framework.errors import Misused
from mockserver.cli.framework.output import echo
from mockserver.cli.framework.parsing import parse
from mockserver.cli.framework.words import apart, did_you_mean
from mockserver.settings import ServerMissingError, needing_server

#: The exit statuses of a misused command, and of one that a user has interrupted: 128 and the number of SIGINT.
_MISUSED, _INTERRUPTED = 2, 130
#: The words that ask for the help of a group, and not for that of the command which is meant where none is named.
_ASKING = [[flag] for flag in HELP.flags]


def run(program: Group, words: Sequence[str], version: Callable[[], str]) -> int:
    """Run the command that the words ask for, and return its exit status; `version` gives the program's own."""
    _make_everything_printable()
    try:
        return _run(program, words, version)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # Who reads has seen enough, as in `mockserver openapi | head`.
        _forget_output()
        return 1
    except OSError as error:
        give_up(error)


def _run(program: Group, words: Sequence[str], version: Callable[[], str]) -> int:
    path = [program.name]
    try:
        found, words = _find(program, words, path)
        if isinstance(found, Group):
            return _explain(found, words, " ".join(path), version)
        values = parse(found, words)
        if values is None:
            return _show_help(found, " ".join(path))
        return _call(found, values, " ".join(path))
    except Misused as error:
        echo(f"Error: {error}\nTry '{' '.join(path)} --help' for help.", err=True)
    except ServerMissingError as error:
        echo(f"Error: {error}", err=True)
    return _MISUSED


def _find(program: Group, words: Sequence[str], path: list[str]) -> tuple[Command | Group, Sequence[str]]:
    """The command that the words ask for, and the words for it; names of commands are added to the path.

    A group is found where no command follows, or where options stand before the command; if it has a default command,
    that is found instead.
    """
    found: Command | Group = program
    words = words[1:] if words[:1] == ["--"] else words
    while isinstance(found, Group) and words and not words[0].startswith("-"):
        below = found.find(words[0])
        if below is None:
            raise Misused(f"No such command {words[0]!r}.{did_you_mean(words[0], found.names())}")
        path.append(words[0])
        found, words = below, words[1:]
    if isinstance(found, Group) and found.default is not None and words[:1] not in _ASKING:
        return found.default, words
    return found, words


def _explain(found: Group, words: Sequence[str], path: str, version: Callable[[], str]) -> int:
    """Tell what is asked about a group; without a question, print its help as that of a misused command."""
    asked = apart(list(takewhile(lambda word: word.startswith("-"), words)), found.options).given
    if "version" in asked and HELP.name not in asked:
        echo(f"{path}, version {version()}")
        return 0
    return _show_help(found, path, err=not asked)


def _call(found: Command, values: dict[str, Any], path: str) -> int:
    """Call a command's function, and return its exit status.

    Raises:
        ServerMissingError: it has failed because a distribution of the server is missing, or is not as it is needed.
    """
    try:
        status = found.run(**values) or 0
        sys.stdout.flush()
    except (Misused, OSError):
        raise
    except Exception:
        # Asked only now: to look for all distributions beforehand would take longer than many a command.
        with needing_server(path):
            raise
    return status


def _show_help(found: Command | Group, path: str, *, err: bool = False) -> int:
    """Print the help: on standard error and as misuse where it was not asked for."""
    from mockserver.cli.framework.help import help_of

    echo(help_of(path, found), err=err)
    return _MISUSED if err else 0


def _make_everything_printable() -> None:
    """Let characters that the encoding of an output lacks be escaped, and not end the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def give_up(error: OSError) -> NoReturn:
    """Exit with 2 because standard output cannot be written; commands handle errors of other files themselves."""
    _forget_output()
    echo(f"Error: cannot write to the standard output: {error.strerror}", err=True)
    sys.exit(_MISUSED)


def _forget_output() -> None:
    """Write to standard output no more: at its exit Python would flush the old stream, and print a traceback."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  # until the program ends

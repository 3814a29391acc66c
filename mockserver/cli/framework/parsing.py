"""The values for a command's function, out of the command line and the environment."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mockserver.cli.framework.commands import HELP, Command
from mockserver.cli.framework.errors import Misused
from mockserver.cli.framework.parameters import Option, Parameter
from mockserver.cli.framework.values import yes_or_no
from mockserver.cli.framework.words import apart


def parse(command: Command, words: Sequence[str], environment: Mapping[str, str] = os.environ) -> dict[str, Any] | None:
    """A value for each parameter of a command, by name; None: help is asked for.

    Raises:
        Misused: a word is not among what the command takes.
    """
    given = apart(words, command.options)
    if HELP.name in given.given:
        return None
    _refuse_missing(command, given.arguments)
    set_outside = {row.name: row for row in command.options if row.name not in given.given}
    from_environment = [word for row in set_outside.values() for word in _words_of_variable(row, environment)]
    parser = _parser(command, frozenset(set_outside))
    # Whatever the arguments are, argparse shall take them for such: they follow a word that says so.
    found, extra = parser.parse_known_args([*from_environment, *given.options, "--", *given.arguments])
    _refuse_extra([word for word in extra if word != "--"])
    values = {row.name: _value_of(row, found) for row in (*command.arguments, *command.options)}
    del values[HELP.name]
    return values


def _words_of_variable(option: Option, environment: Mapping[str, str]) -> Iterator[str]:
    """The words that say what an option's environment variable says; an empty variable is as good as none."""
    text = environment.get(option.envvar, "") if option.envvar else ""
    if not text:
        return
    if not option.takes_value:
        if _reading(option, yes_or_no, from_environment=True)(text):
            yield option.flag
        return
    for value in text.split() if option.collects else [text]:
        yield f"{option.flag}={value}"


def _parser(command: Command, set_outside: frozenset[str]) -> argparse.ArgumentParser:
    """The parser of a command; the parameters named by `set_outside` are not on the command line."""
    parser = _Parser(usage="", add_help=False, allow_abbrev=False)
    for option in command.options:
        keywords: dict[str, Any] = {"dest": option.name, "action": option.action, "default": argparse.SUPPRESS}
        if option.takes_value:
            keywords |= {"nargs": option.nargs, "type": _reading(option, option.type, option.name in set_outside)}
        parser.add_argument(*option.flags, **keywords, **option.keywords)
    for row in command.arguments:
        parser.add_argument(row.name, nargs=row.nargs, type=_reading(row, row.type), default=None)
    return parser


class _Parser(argparse.ArgumentParser):
    """Raises `Misused` where argparse would end the program."""

    def error(self, message: str) -> Any:
        raise Misused(message)


def _reading(parameter: Parameter, read: Callable[[str], Any], from_environment: bool = False) -> Callable[[str], Any]:
    """The function that reads words for a parameter; it raises `Misused` with the parameter's name."""

    def reading(text: str) -> Any:
        try:
            return read(text)
        except (ValueError, TypeError, argparse.ArgumentTypeError) as error:
            raise Misused(f"Invalid value for {_called(parameter, from_environment)}: {error}") from error

    return reading


def _called(parameter: Parameter, from_environment: bool) -> str:
    if not isinstance(parameter, Option):
        return repr(parameter.metavar)
    return f"{parameter.flag!r}{f' (env var: {parameter.envvar!r})' if from_environment else ''}"


def _refuse_missing(command: Command, words: Sequence[str]) -> None:
    """Refuse a command line with fewer words than the arguments need; argparse tells it in words of its own."""
    required = [row for row in command.arguments if row.is_required]
    if len(words) < len(required):
        raise Misused(f"Missing argument {required[len(words)].title!r}.")


def _value_of(parameter: Parameter, found: argparse.Namespace) -> Any:
    value = getattr(found, parameter.name, None)
    if value is not None:
        return value
    if isinstance(parameter, Option) and parameter.required:
        raise Misused(f"Missing option {parameter.flag!r}.")
    return parameter.default


def _refuse_extra(words: Sequence[str]) -> None:
    if words:
        raise Misused(f"Got unexpected extra argument{'s' * (len(words) != 1)} ({' '.join(words)})")

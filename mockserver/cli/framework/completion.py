"""What fits at the end of a command line, for a shell that completes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mockserver.cli.framework.commands import Command, Group
from mockserver.cli.framework.parameters import Argument, Option, Parameter

#: The kinds of values that the shell knows itself: names of files, and of folders.
OF_SHELLS = ("file", "folder")


class Candidate(NamedTuple):
    """What a word could be, and a sentence about it that may be empty."""

    word: str
    about: str = ""


class Fitting(NamedTuple):
    """What could stand in the place of the last word."""

    candidates: list[Candidate]
    #: What the shell adds: a kind of `OF_SHELLS`, or nothing.
    kind: str = ""


#: Gives the names of a kind, such as `workspace`, for a command line with some options: each flag and its value.
NamesOf = Callable[[str, dict[str, str]], Iterable[str]]


class _Line(NamedTuple):
    """A command line, as far as it is understood."""

    #: The option whose value comes next; None: there is none.
    waiting: Option | None
    #: How many arguments there are.
    arguments: int
    #: The values of the options, by the names of their parameters.
    given: dict[str, str]
    #: Whether what comes next is an argument whatever it looks like.
    only_arguments: bool


def fitting(program: Group, words: Sequence[str], names_of: NamesOf) -> Fitting:
    """What could stand in the place of the last of the words after the program's name."""
    *before, last = words or [""]
    found: Command | Group | None = program
    while isinstance(found, Group) and before and not before[0].startswith("-"):
        found, before = found.find(before[0]), before[1:]
    if isinstance(found, Group) and found.default is not None and before:
        found = found.default  # as where an option stands in the place of a command
    if isinstance(found, Group):
        return Fitting(_options(found.options, last) if last.startswith("-") else _commands(found, last))
    return Fitting([]) if found is None else _for_command(found, before, last, names_of)


def _for_command(command: Command, before: Sequence[str], last: str, names_of: NamesOf) -> Fitting:
    line = _read(command, before)
    if line.waiting is not None:
        return _values(line.waiting, last, line, names_of)
    if last.startswith("-") and not line.only_arguments:
        flag, sign, value = last.partition("=")
        option = _flags(command).get(flag)
        if sign and option is not None and option.takes_value:
            found = _values(option, value, line, names_of)
            return Fitting([Candidate(f"{flag}={row.word}", row.about) for row in found.candidates], found.kind)
        left = [row for row in command.options if row.collects or row.name not in line.given]
        return Fitting(_options(left, last))
    argument = _argument(command, line.arguments)
    return Fitting([]) if argument is None else _values(argument, last, line, names_of)


def _read(command: Command, words: Sequence[str]) -> _Line:
    """A command line as far as it is understood; what is wrong in it is passed over, as it is not finished."""
    flags, waiting, count = _flags(command), None, 0
    given: dict[str, str] = {}
    left = iter(words)
    for word in left:
        if waiting is not None:
            given[waiting.name], waiting = word, None
        elif word == "--":
            return _Line(None, count + len(list(left)), given, only_arguments=True)
        elif word.startswith("-") and word != "-":
            flag, sign, value = word.partition("=")
            option = flags.get(flag)
            if option is not None:
                waiting = option if option.takes_value and not sign and not option.value_may_be_left_out else None
                given |= {} if waiting else {option.name: value}
        else:
            count += 1
    return _Line(waiting, count, given, only_arguments=False)


def _flags(command: Command) -> dict[str, Option]:
    return {flag: option for option in command.options for flag in option.flags}


def _argument(command: Command, count: int) -> Argument | None:
    """The argument that comes after some others; the last one may take all that come."""
    if count < len(command.arguments):
        return command.arguments[count]
    last = command.arguments[-1] if command.arguments else None
    return last if last is not None and last.nargs in ("*", "+") else None


def _values(parameter: Parameter, last: str, line: _Line, names_of: NamesOf) -> Fitting:
    kind = parameter.completes
    if isinstance(kind, tuple):
        return Fitting(_beginning(map(Candidate, kind), last))
    if not kind or kind in OF_SHELLS:
        return Fitting([], kind)
    candidates = _beginning(map(Candidate, names_of(kind, line.given)), last)
    # A scenario may be a file as well.
    return Fitting(candidates, "file" if kind == "scenario" and not candidates else "")


def _options(options: Iterable[Option], last: str) -> list[Candidate]:
    rows = [Candidate(flag, row.help) for row in options for flag in row.flags if flag.startswith("--")]
    return _beginning(rows, last)


def _commands(group: Group, last: str) -> list[Candidate]:
    return _beginning((Candidate(name, row.short_help) for name, row in group.all().items()), last)


def _beginning(candidates: Iterable[Candidate], start: str) -> list[Candidate]:
    return [row for row in candidates if row.word.startswith(start)]

"""Commands and groups of commands, as the program knows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from mockserver.cli.framework.parameters import Argument, Option, Parameter, option

#: The option that every command has.
HELP = option("-h", "--help", action="store_true", help="Show this message and exit.")


class Command:
    """A function with the options and arguments from which it is called."""

    def __init__(self, name: str, run: Callable[..., int | None], parameters: tuple[Parameter, ...]) -> None:
        self.name = name
        #: Called with a value for each parameter, by keyword; returns the exit status, None for 0.
        self.run = run
        self.arguments = [row for row in parameters if isinstance(row, Argument)]
        self.options = [*(row for row in parameters if isinstance(row, Option)), HELP]

    @property
    def help(self) -> str:
        """What the command does, in paragraphs."""
        return _unindented(self.run.__doc__ or "")

    @property
    def short_help(self) -> str:
        """The first sentence of the help, in one line."""
        return _first_sentence(self.help)


class Group:
    """Commands below a name. Those that are `late` are in modules that are imported when they are asked for.

    The `default` is one of the commands: it is meant where none is named, and its options are those of the group.
    """

    def __init__(
        self,
        name: str,
        *commands: Command | Group,
        help: str,  # noqa: A002  # as argparse calls it
        options: tuple[Option, ...] = (),
        late: Mapping[str, str] = MappingProxyType({}),
        sections: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        default: Command | None = None,
    ) -> None:
        self.name, self.help = name, help
        self.default = default
        self.options = [*options, HELP] if default is None else default.options
        #: The headings under which the help lists the commands, with their names; those of no section come last.
        self.sections = sections
        self._commands: dict[str, Command | Group] = {row.name: row for row in commands}
        #: The module of each command that is not here yet; in it, the command has its own name.
        self._late = late

    @property
    def short_help(self) -> str:
        """The first sentence of the help, in one line."""
        return _first_sentence(self.help)

    def names(self) -> list[str]:
        """The names of the commands, in alphabetical order, but for those of programs, which begin with `_`."""
        return sorted(name for name in {*self._commands, *self._late} if not name.startswith("_"))

    def find(self, name: str) -> Command | Group | None:
        """The command of a name, or None; its module is imported."""
        if name not in self._commands and name in self._late:
            module = import_module(self._late[name])
            self._commands[name] = getattr(module, name.strip("_").replace("-", "_"))
        return self._commands.get(name)

    def all(self) -> dict[str, Command | Group]:
        """All commands by name, in alphabetical order; their modules are imported."""
        found = {name: self.find(name) for name in self.names()}
        return {name: row for name, row in found.items() if row is not None}

    def walk(self, path: str = "") -> Iterator[tuple[str, Command]]:
        """All commands, those of groups as well, each after the words that call it."""
        path = path or self.name
        for name, row in self.all().items():
            if isinstance(row, Group):
                yield from row.walk(f"{path} {name}")
            else:
                yield f"{path} {name}", row


def command(*parameters: Parameter, name: str | None = None) -> Callable[[Callable[..., int | None]], Command]:
    """Decorate a function as a command: its docstring is the help, its parameters are called as options and arguments.

    The name is that of the function, with hyphens, and without an underscore at its end.
    """

    def decorated(function: Callable[..., int | None]) -> Command:
        return Command(name or function.__name__.rstrip("_").replace("_", "-"), function, parameters)

    return decorated


def group(
    name: str,
    *commands: Command | Group,
    help: str,  # noqa: A002  # as argparse calls it
    default: Command | None = None,
) -> Group:
    """A command with commands below it; `help` says what they are about, `default` which is meant if none is named."""
    return Group(name, *commands, help=help, default=default)


def _unindented(text: str) -> str:
    from textwrap import dedent

    first, _, rest = text.strip().partition("\n")
    return f"{first.strip()}\n{dedent(rest)}".strip()


def _first_sentence(text: str) -> str:
    words: list[Any] = []
    for word in text.split("\n\n", 1)[0].split():
        words.append(word)
        if word.endswith("."):
            break
    return " ".join(words)

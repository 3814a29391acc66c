"""The options and arguments of a command, as they are declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mockserver.cli.framework.values import Integer, Number, OneOf, Value

#: The actions of argparse that take a value.
_WITH_VALUE = ("store", "append", "extend")
#: The actions of argparse that take several values, one after the other.
_COLLECTING = ("append", "extend", "append_const")
#: What an option is when the command line does not name it; by its action, None for all others.
_DEFAULTS: dict[str, Any] = {"store_true": False, "store_false": True, "append": (), "extend": ()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What options and arguments have in common."""

    #: The name of the function's parameter.
    name: str
    #: A sentence for people.
    help: str
    #: Reads a word; raises ValueError with a sentence.
    type: Value
    metavar: str
    #: The value where nothing is given.
    default: Any
    #: How many words argparse takes: one (None), `?`, `*` or `+`.
    nargs: str | None
    #: What a shell offers: words, or the name of a kind such as `file`; empty: nothing.
    completes: str | tuple[str, ...]

    @property
    def is_required(self) -> bool:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument(Parameter):
    """A word, or several, told by their place."""

    @property
    def is_required(self) -> bool:
        return self.nargs in (None, "+")

    @property
    def title(self) -> str:
        """The argument in a usage: `NAME`, `[NAME]`, `NAME...` or `[NAME]...`."""
        if self.metavar.endswith("..."):
            return self.metavar
        word = self.metavar if self.is_required else f"[{self.metavar}]"
        return f"{word}..." if self.nargs in ("*", "+") else word


@dataclass(frozen=True, slots=True, kw_only=True)
class Option(Parameter):
    """What is told by its name."""

    #: The names, the longest last.
    flags: tuple[str, ...]
    #: The environment variable that gives the value where the command line does not.
    envvar: str | None = None
    #: What argparse does when it meets the option.
    action: str = "store"
    #: The heading in the help.
    section: str = "Options"
    #: Whether help shows the default.
    show_default: bool = True
    required: bool = False
    #: What else argparse is told, such as `const`.
    keywords: dict[str, Any] = field(default_factory=dict)

    @property
    def is_required(self) -> bool:
        return self.required

    @property
    def flag(self) -> str:
        """The name by which messages call the option."""
        return self.flags[-1]

    @property
    def takes_value(self) -> bool:
        return self.action in _WITH_VALUE

    @property
    def value_may_be_left_out(self) -> bool:
        """Whether the option also stands alone; its value then follows an equals sign."""
        return self.nargs == "?"

    @property
    def collects(self) -> bool:
        """Whether the option can be given several times."""
        return self.action in _COLLECTING

    @property
    def title(self) -> str:
        """The option in the help: `-n, --limit NUMBER`."""
        names = ", ".join(self.flags)
        if not self.takes_value:
            return names
        return f"{names}[={self.metavar}]" if self.value_may_be_left_out else f"{names} {self.metavar}"


def argument(
    name: str,
    *,
    help: str = "",  # noqa: A002  # as argparse calls it
    type: Callable[[str], Any] | None = None,  # noqa: A002  # see above
    choices: tuple[str, ...] | list[str] | None = None,
    metavar: str | None = None,
    default: Any = None,
    nargs: str | None = None,
    completes: str | tuple[str, ...] | None = None,
) -> Argument:
    """An argument of a command; the keywords are those of `ArgumentParser.add_argument`.

    `completes` is what a shell offers: words, or the name of a kind such as `file`. With `nargs` `*` or `+` the value
    is a list.
    """
    reads = _value(type, choices)
    return Argument(
        name=name.replace("-", "_"),
        help=help,
        type=reads,
        metavar=metavar or (reads.metavar if choices else name.upper()),
        default=default,
        nargs=nargs,
        completes=reads.completes if completes is None else completes,
    )


def option(  # noqa: PLR0913  # a keyword for each of argparse
    *flags: str,
    envvar: str | None = None,
    help: str = "",  # noqa: A002  # as argparse calls it
    dest: str | None = None,
    action: str = "store",
    type: Callable[[str], Any] | None = None,  # noqa: A002  # see above
    choices: tuple[str, ...] | list[str] | None = None,
    metavar: str | None = None,
    default: Any = None,
    nargs: str | None = None,
    required: bool = False,
    section: str = "Options",
    show_default: bool = True,
    completes: str | tuple[str, ...] | None = None,
    **keywords: Any,
) -> Option:
    """An option of a command, by its flags, the longest last; most keywords are those of `ArgumentParser.add_argument`.

    Beside these: `envvar` is the environment variable that gives the value where the command line does not; `section`
    is the heading in the help; `show_default`, whether help tells the default; `completes`, what a shell offers: words,
    or the name of a kind such as `file`. With `nargs="?"` the value follows an equals sign and may be left out.
    """
    reads = _value(type, choices)
    return Option(
        name=dest or flags[-1].lstrip("-").replace("-", "_"),
        help=help,
        type=reads,
        metavar=metavar or reads.metavar,
        default=_DEFAULTS.get(action) if default is None else default,
        nargs=nargs,
        completes=reads.completes if completes is None else completes,
        flags=flags,
        envvar=envvar,
        action=action,
        section=section,
        show_default=show_default,
        required=required,
        keywords=keywords,
    )


class _Read(Value):
    """Values that a function reads."""

    def __init__(self, read: Callable[[str], Any]) -> None:
        self._read = read

    def __call__(self, text: str) -> Any:
        return self._read(text)


def _value(type_: Callable[[str], Any] | None, choices: tuple[str, ...] | list[str] | None) -> Value:
    """The value type that the keywords `type` and `choices` of argparse mean."""
    if choices is not None:
        return OneOf(choices)
    if type_ is None or type_ is str:
        return Value()
    if isinstance(type_, Value):
        return type_
    if type_ is int:
        return Integer()
    if type_ is float:
        return Number()
    found = _Read(type_)
    if type_ is Path:
        found.metavar, found.completes = "PATH", "file"
    return found

"""The words of a command line, put in an order in which argparse has nothing to guess.

argparse takes a value that begins with a hyphen for an option, and reads options between arguments differently from
version to version. Here each value is tied to its option, and the arguments come last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mockserver.cli.framework.errors import Misused
from mockserver.cli.framework.parameters import Option

#: What follows the hyphen of a negative number or duration, `-1h` or `-PT1H`, and of no option.
_OF_NUMBERS = "0123456789P"


class Words(NamedTuple):
    """The words of a command line, apart."""

    #: Options, each with its value in the same word.
    options: list[str]
    arguments: list[str]
    #: The names of the parameters that the options are for.
    given: set[str]


def apart(words: Sequence[str], options: Iterable[Option]) -> Words:
    """The options and the arguments of a command line.

    Raises:
        Misused: there is no such option, one lacks its value, or one has a value that takes none.
    """
    known = {flag: option for option in options for flag in option.flags}
    found = Words([], [], set())
    left = iter(words)
    for word in left:
        if word == "--":
            found.arguments.extend(left)
        elif word.startswith("-") and word != "-" and word[1] not in _OF_NUMBERS:
            for option, text in _options_in(word, known, left):
                found.options.append(text)
                found.given.add(option.name)
        else:
            found.arguments.append(word)
    return found


def _options_in(word: str, known: dict[str, Option], left: Iterator[str]) -> Iterator[tuple[Option, str]]:
    """The options in one word, each with its value; a value that is a word of its own is taken from those left."""
    if word.startswith("--"):
        flag, sign, value = word.partition("=")
        option = _find(flag, known)
        yield option, _with_value(option, flag, value if sign else None, left)
        return
    for place, letter in enumerate(word[1:], 2):
        option = _find(f"-{letter}", known)
        if option.takes_value:
            yield option, _with_value(option, f"-{letter}", word[place:] or None, left)
            return
        yield option, option.flag


def _with_value(option: Option, flag: str, value: str | None, left: Iterator[str]) -> str:
    if not option.takes_value:
        if value is not None:
            raise Misused(f"Option {flag!r} does not take a value.")
        return flag
    if value is None:
        if option.value_may_be_left_out:
            return option.flag
        value = next(left, None)
    if value is None:
        raise Misused(f"Option {flag!r} requires an argument.")
    return f"{option.flag}={value}"


def _find(flag: str, known: dict[str, Option]) -> Option:
    if flag in known:
        return known[flag]
    raise Misused(f"No such option {flag!r}.{did_you_mean(flag, known)}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What to add to the message about a name that is not known: the nearest ones, or nothing."""
    from difflib import get_close_matches

    near = sorted(get_close_matches(name, list(known)))
    if not near:
        return ""
    if len(near) == 1:
        return f" Did you mean {near[0]!r}?"
    return f" (Did you mean one of: {', '.join(map(repr, near))}?)"

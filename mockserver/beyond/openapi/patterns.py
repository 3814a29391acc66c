"""A shortest text that a regular expression of ECMA-262 fits, made by reading the expression, never by matching it."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: The longest expression, in characters, and the longest text. Chosen: far above any example.
_LONGEST_PATTERN, _LONGEST_TEXT = 1_000, 100_000
#: The most groups within each other. Chosen: more than a reader follows; they are read recursively.
_DEEPEST = 20

_Test = Callable[[str], bool]
#: The halves of surrogate pairs, which are no characters.
_SURROGATES = range(0xD800, 0xE000)
#: Which characters a class like `\\d` stands for, the first of them first.
_CLASSES: Mapping[str, _Test] = {
    "d": lambda sign: sign in string.digits,
    "w": lambda sign: sign in string.ascii_letters or sign in string.digits or sign == "_",
    "s": lambda sign: sign in " \t\n\r\f\v",
}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
#: In this order characters are tried that an expression does not name.
_CANDIDATES = string.ascii_lowercase + string.ascii_uppercase + string.digits + " " + string.punctuation + "\t\nä"
_QUANTIFIERS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class NoMatchError(ValueError):
    """No text is found; the message names what is not understood."""


@dataclass(slots=True)
class _Part:
    """The shortest text that a part of an expression fits, and what may be repeated to make it longer."""

    text: str = ""
    #: Where in the text something may be inserted, that, and how often at most; None: as often as one likes.
    more: tuple[int, str, int | None] | None = None

    def then(self, other: _Part) -> _Part:
        """Both parts, one behind the other."""
        more = other.more and (other.more[0] + len(self.text), *other.more[1:])
        return _Part(_bounded(self.text + other.text), _longer(self.more, more))


def _longer(
    one: tuple[int, str, int | None] | None, other: tuple[int, str, int | None] | None
) -> tuple[int, str, int | None] | None:
    """What may be repeated more often."""
    if one is None or other is None:
        return one or other
    return other if one[2] is not None and (other[2] is None or other[2] > one[2]) else one


def _bounded(text: str) -> str:
    if len(text) > _LONGEST_TEXT:
        raise NoMatchError("a text that is too long")
    return text


def shortest_match(pattern: str, least: int = 0) -> str:
    """A shortest text of at least so many characters in which an expression is found.

    Raises:
        NoMatchError: there is none, or the expression has what is not read here, such as looking ahead.
    """
    if len(pattern) > _LONGEST_PATTERN:
        raise NoMatchError("too many characters")
    reader = _Reader(pattern)
    found = reader.choice(0)
    if not reader.is_at_end:
        raise NoMatchError("a bracket that nothing opens")
    missing = least - len(found.text)
    if missing <= 0:
        return found.text
    if "^" not in pattern:  # anything may stand before what is found
        return "a" * missing + found.text
    return found.text + "a" * missing if "$" not in pattern else _lengthened(found, missing)


def _lengthened(part: _Part, missing: int) -> str:
    if part.more is None:
        raise NoMatchError("nothing to repeat")
    place, unit, most = part.more
    count = -(-missing // len(unit))
    if most is not None and count > most:
        raise NoMatchError("too few repetitions")
    return _bounded(part.text[:place] + unit * min(count, _LONGEST_TEXT) + part.text[place:])


class _Reader:
    """Reads an expression from its beginning to its end."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    @property
    def is_at_end(self) -> bool:
        return self._at >= len(self._pattern)

    def choice(self, depth: int) -> _Part:
        """Parts between bars, of which one has to fit."""
        if depth > _DEEPEST:
            raise NoMatchError("too many groups within each other")
        found = self._sequence(depth)
        while self._takes("|"):
            other = self._sequence(depth)
            found = min(found, other, key=lambda part: len(part.text))
        return found

    def _sequence(self, depth: int) -> _Part:
        found = _Part()
        while not self.is_at_end and self._pattern[self._at] not in "|)":
            if self._pattern[self._at] in "^$":
                self._at += 1
                continue
            found = found.then(self._repeated(self._atom(depth)))
        return found

    def _repeated(self, part: _Part) -> _Part:
        """A part as often as the quantifier behind it wants."""
        bounds = self._quantifier()
        if bounds is None:
            return part
        least, most = bounds
        if len(part.text) * least > _LONGEST_TEXT:
            raise NoMatchError("a text that is too long")
        text = part.text * least
        more = (len(text), part.text, None if most is None else most - least)
        return _Part(text, more if part.text and most != least else None)

    def _quantifier(self) -> tuple[int, int | None] | None:
        if self.is_at_end:
            return None
        found = _QUANTIFIERS.get(self._pattern[self._at])
        if found is not None:
            self._at += 1
        elif self._pattern[self._at] == "{":
            found = self._counts()
        if found is not None:
            self._takes("?")  # lazy
        return found

    def _counts(self) -> tuple[int, int | None] | None:
        """`{2}`, `{2,}` or `{2,3}`; None: the brace stands for itself."""
        end = self._pattern.find("}", self._at)
        least, comma, most = self._pattern[self._at + 1 : end].partition(",")
        if end < 0 or not _is_count(least) or not (most == "" or _is_count(most)):
            return None
        self._at = end + 1
        return int(least), int(most) if most else None if comma else int(least)

    def _atom(self, depth: int) -> _Part:
        sign = self._next()
        match sign:
            case "(":
                return self._group(depth)
            case "[":
                return _Part(self._one_of())
            case ".":
                return _Part("a")
            case "\\":
                return _Part(_character(self._escaped()))
            case "*" | "+" | "?":
                raise NoMatchError(f"{sign} behind nothing")
        return _Part(sign)

    def _group(self, depth: int) -> _Part:
        if self._takes("?"):
            kind = self._next()
            if kind == "<" and self._pattern[self._at : self._at + 1] not in ("=", "!", ""):
                self._at = self._pattern.find(">", self._at) + 1 or len(self._pattern)
            elif kind != ":":
                raise NoMatchError(f"(?{kind}")
        found = self.choice(depth + 1)
        if not self._takes(")"):
            raise NoMatchError("a bracket that nothing closes")
        return found

    def _one_of(self) -> str:
        """A character of a class in square brackets."""
        refused = self._takes("^")
        tests: list[_Test] = []
        first: str | None = None
        while not self._takes("]"):
            test, sign = self._member()
            tests.append(test)
            first = first or sign
        if not refused and first is not None:
            return first
        return _first(lambda sign: any(test(sign) for test in tests) is not refused)

    def _member(self) -> tuple[_Test, str | None]:
        """A member of a class as a test, and a character that fits."""
        low = self._sign()
        if not isinstance(low, str):
            return low, None
        if self._pattern[self._at : self._at + 1] != "-" or self._pattern[self._at + 1 : self._at + 2] in ("]", ""):
            return lambda sign: sign == low, low
        self._at += 1
        high = self._sign()
        if not isinstance(high, str) or high < low:
            raise NoMatchError("a range that is none")
        return lambda sign: low <= sign <= high, low

    def _sign(self) -> str | _Test:
        """A character of a class in square brackets, or what an escape there stands for."""
        sign = self._next()
        if sign != "\\":
            return sign
        return "\b" if self._takes("b") else self._escaped()

    def _escaped(self) -> str | _Test:
        """The character that an escape stands for, or a test for several."""
        sign = self._next()
        test = _CLASSES.get(sign.lower())
        if test is not None:
            return test if sign.islower() else lambda other: not test(other)
        if sign in "xu":
            return self._by_number(2 if sign == "x" else 4)
        if sign.isalnum() and sign not in _CONTROLS:
            raise NoMatchError(f"\\{sign}")
        return _CONTROLS.get(sign, sign)

    def _by_number(self, digits: int) -> str:
        number = self._pattern[self._at : self._at + digits]
        self._at += digits
        if len(number) != digits or not set(number) <= set(string.hexdigits) or int(number, 16) in _SURROGATES:
            raise NoMatchError("an escape that is none")
        return chr(int(number, 16))

    def _takes(self, sign: str) -> bool:
        if self._pattern[self._at : self._at + 1] != sign:
            return False
        self._at += 1
        return True

    def _next(self) -> str:
        if self.is_at_end:
            raise NoMatchError("an end that comes too early")
        self._at += 1
        return self._pattern[self._at - 1]


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _character(found: str | _Test) -> str:
    return found if isinstance(found, str) else _first(found)


def _first(test: _Test) -> str:
    found = next(filter(test, _CANDIDATES), None)
    if found is None:
        raise NoMatchError("a class without a usual character")
    return found

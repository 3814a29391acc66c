"""Declarations of settings, for programs, flags, environment variables and the README, with their value types."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address
from typing import Any, ClassVar, TypeVar

Value = TypeVar("Value")
#: The most characters of a value in a message. Chosen: one line or two.
_SHOWN = 60
#: The longest host name (RFC 1035, 2.3.4), in characters.
_LONGEST_HOST = 253


def without_secrets(url: str) -> str:
    """Return an address, or what was given as one, without its credentials, query and fragment."""
    before, at, after = url.rpartition("@")
    scheme, sign, _ = before.partition("://")
    kept, private, _ = after.replace("#", "?").partition("?")
    return f"{scheme + sign if sign and scheme.isalpha() else ''}{at and '***@'}{kept}{private and '?***'}"


class ValueType:
    #: The Python types of the values.
    types: ClassVar[tuple[type, ...]]
    #: Whether the flag can be given several times.
    is_list: ClassVar[bool] = False

    @property
    def words(self) -> str:
        """The expected values, for the message `must be ...`."""
        raise NotImplementedError

    def takes(self, value: Any) -> bool:
        """Return whether a correctly typed value is in range."""
        return True

    def check(self, name: str, value: Any) -> None:
        """Raise TypeError for wrongly typed values, or ValueError for values out of range."""
        # A bool is an int to Python; given for a number it is an error.
        is_of_type = isinstance(value, self.types) and isinstance(value, bool) == (bool in self.types)
        if is_of_type and self.takes(value):
            return
        message = f"{name} must be {self.words}, not {self.shown(value)}"
        raise ValueError(message) if is_of_type else TypeError(message)

    def shown(self, value: Any) -> str:
        shown = repr(without_secrets(value) if isinstance(value, str) else value)
        return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"


class Text(ValueType):
    types = (str,)
    words = "a text"


class ReplicaName(Text):
    """A replica name, short enough for API keys."""

    words = "1 to 8 of the letters a to z and digits"

    def takes(self, value: Any) -> bool:
        return 1 <= len(value) <= 8 and value.isascii() and value.isalnum() and value == value.lower()


class StoreReference(Text):
    words = "memory, sqlite:PATH or redis://HOST:PORT"

    def takes(self, value: Any) -> bool:
        engine, _, rest = value.partition(":")
        if engine in ("redis", "rediss"):
            return bool(rest.startswith("//"))
        return bool(value == "memory" or (engine == "sqlite" and rest))


#: A label of a host name (RFC 1123, 2.1); names of containers have underscores as well.
_LABEL = r"(?!-)[a-z0-9_-]{1,63}(?<!-)"
#: A root address, and a path whose first segment is none of the mock's own.
_PUBLIC_URL = re.compile(
    rf"https?://(?P<host>(?:{_LABEL}\.)*{_LABEL}\.?|\[[0-9a-f:.]+\])(?P<port>:[1-9][0-9]{{0,4}})?"
    r"(?!/(_mock|v3|w|realms|account|shared)(/|$))(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*"
)


def without_version(url: str) -> str:
    """Return a server's root address without slash, from itself or its API's address, which ends in `/v3`."""
    return url.rstrip("/").removesuffix("/v3").rstrip("/")


def public_root(url: str) -> str:
    """Return a public address without slash and version, with scheme and host in lower case."""
    return re.sub(r"\A[^/]*//[^/]*", lambda found: found[0].lower(), without_version(url))


def _is_host(name: str) -> bool:
    """Return whether a name is short enough, and an IP address if it is in brackets or ends in a number."""
    try:
        if name.startswith("["):
            IPv6Address(name[1:-1])
        elif name.removesuffix(".").rpartition(".")[2].isdigit():
            IPv4Address(name)
    except ValueError:
        return False
    return len(name) <= _LONGEST_HOST


class PublicUrl(Text):
    words = (
        "an absolute http or https URL such as https://mock.acme.test/brevo, with a valid host, without user, query "
        "and fragment, whose path has only letters, digits and -._~, and does not begin with /_mock, /v3, /w, /realms, "
        "/account or /shared"
    )

    def takes(self, value: Any) -> bool:
        found = _PUBLIC_URL.fullmatch(public_root(value))
        return found is not None and _is_host(found["host"]) and int((found["port"] or ":1")[1:]) <= 65_535


class Secret(Text):
    def shown(self, value: Any) -> str:
        return f"what is given, of type {type(value).__name__}"


class Texts(ValueType):
    types = (tuple, list)
    words = "a tuple of texts"
    is_list = True

    def takes(self, value: Any) -> bool:
        return all(isinstance(row, str) for row in value)


class YesOrNo(ValueType):
    types = (bool,)
    words = "true or false"


class ScenarioReference(ValueType):
    """A scenario's name, path or document."""

    types = (str, Mapping)
    words = "a name, a path or a document"


@dataclass(frozen=True, slots=True)
class PathType(ValueType):
    types = (str, os.PathLike)
    words = "a path"
    #: Whether the path may lead to a file, or to a folder, and whether it must exist when the flag is read.
    file: bool = True
    folder: bool = True
    exists: bool = False


class Seconds(ValueType):
    types = (int, float)
    words = "a number of seconds above 0"

    def takes(self, value: Any) -> bool:
        return bool(0 < value < math.inf)


@dataclass(frozen=True, slots=True)
class Choice(ValueType):
    types = (str,)
    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"

    def takes(self, value: Any) -> bool:
        return value in self.choices


@dataclass(frozen=True, slots=True)
class WholeNumber(ValueType):
    types = (int,)
    least: int = 1
    #: The upper bound, or None.
    most: int | None = None
    #: The least value of the flag, if programs may set less.
    least_of_flag: int | None = None

    @property
    def words(self) -> str:
        end = "on" if self.most is None else f"to {self.most}"
        return f"a whole number from {self.least} {end}"

    def takes(self, value: Any) -> bool:
        return bool(self.least <= value <= (math.inf if self.most is None else self.most))


class Int64(WholeNumber):
    """A 64-bit number, without range in messages."""

    words = "a whole number of 64 bits"


@dataclass(frozen=True, slots=True)
class Declaration:
    type: ValueType
    #: A sentence for the help and the README.
    help: str
    #: The placeholder in the help, or None for the default of the type.
    metavar: str | None = None
    #: What happens above a limit; None for other settings.
    beyond: str | None = None
    #: The default of the flag, if it differs from that of programs.
    flag_default: str | None = None


def setting(
    default: Value,
    type: ValueType,  # noqa: A002  # as dataclasses and argparse call it
    help: str,  # noqa: A002  # as dataclasses and argparse call it
    *,
    metavar: str | None = None,
    flag_default: str | None = None,
) -> Value:
    declaration = Declaration(type, help, metavar, flag_default=flag_default)
    return field(default=default, repr=not isinstance(type, Secret), metadata={Declaration: declaration})


def limit(
    default: Value,
    type: ValueType,  # noqa: A002  # as dataclasses and argparse call it
    help: str,  # noqa: A002  # as dataclasses and argparse call it
    beyond: str,
) -> Value:
    """Declare a limit; `beyond` says what happens above it."""
    return field(default=default, metadata={Declaration: Declaration(type, help, beyond=beyond)})


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared setting: name, default, declaration."""

    name: str
    default: Any
    declaration: Declaration

"""How a setting is declared: once, for programs, flags, variables of the environment and the README."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

from mockserver.settings.value_types import Secret, ValueType

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a setting declares beside its name and its default."""

    type: ValueType
    #: A sentence for people, shown in the help of the flag and in the README.
    help: str
    #: The placeholder for a value in the help of the flag; None: it follows from the type.
    metavar: str | None = None
    #: Of a limit: what the server does when the limit is exceeded; None: the setting is no limit.
    beyond: str | None = None
    #: The default of the flag, where `serve` has another default than a program; None: they have the same.
    flag_default: str | None = None


def setting(
    default: Value,
    type: ValueType,  # noqa: A002  # as dataclasses and argparse call it
    help: str,  # noqa: A002  # as dataclasses and argparse call it
    *,
    metavar: str | None = None,
    flag_default: str | None = None,
) -> Value:
    """A field of `Settings`; a setting whose default is None may be left out."""
    declaration = Declaration(type, help, metavar, flag_default=flag_default)
    return field(default=default, repr=not isinstance(type, Secret), metadata={Declaration: declaration})


def limit(
    default: Value,
    type: ValueType,  # noqa: A002  # as dataclasses and argparse call it
    help: str,  # noqa: A002  # as dataclasses and argparse call it
    beyond: str,
) -> Value:
    """A field of `Settings` that limits what a server takes or keeps; `beyond` says what happens above the limit."""
    return field(default=default, metadata={Declaration: Declaration(type, help, beyond=beyond)})


@dataclass(frozen=True, slots=True)
class Declared:
    """A setting with its name, its default and its declaration."""

    name: str
    default: Any
    declaration: Declaration

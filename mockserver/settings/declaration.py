"""How a setting is declared: once, for programs, flags, variables of the environment and the README."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

from mockserver.settings.kinds import Kind

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Declaration:
    """What is said of a setting beside its name, its type and its default."""

    kind: Kind
    #: A sentence for people.
    help: str
    #: What stands for a value in the help of its flag; None: what its kind says.
    metavar: str | None = None
    #: Of a limit, what becomes of what goes beyond it.
    beyond: str | None = None
    #: The default of its flag, where `serve` has another one than programs.
    flag_default: str | None = None


def setting(
    default: Value,
    kind: Kind,
    help: str,  # noqa: A002  # as click calls it
    *,
    metavar: str | None = None,
    flag_default: str | None = None,
) -> Value:
    """A field of `Settings`; where its default is None, it may be left out."""
    declaration = Declaration(kind, help, metavar, flag_default=flag_default)
    return field(default=default, metadata={Declaration: declaration})


def limit(default: Value, kind: Kind, help: str, beyond: str) -> Value:  # noqa: A002  # as click calls it
    """A field of `Settings` that limits what a server takes or keeps."""
    return field(default=default, metadata={Declaration: Declaration(kind, help, beyond=beyond)})


@dataclass(frozen=True, slots=True)
class Declared:
    """A setting with its declaration."""

    name: str
    default: Any
    declaration: Declaration

"""The flags of `serve`, which follow from the declared settings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from mockserver.cli.environment import variable
from mockserver.cli.framework import option
from mockserver.cli.framework.parameters import Option
from mockserver.cli.framework.values import Integer, OneOf, PathValue, Value
from mockserver.cli.options import Seconds as SecondsValue
from mockserver.settings import declared
from mockserver.settings.declaration import Declared
from mockserver.settings.value_types import (
    Choice,
    PathType,
    ReplicaName,
    ScenarioReference,
    Seconds,
    StoreReference,
    Texts,
    ValueType,
    WholeNumber,
    YesOrNo,
)

#: The headings in the help, of settings and of limits.
_SETTINGS, _LIMITS = "Options", "Limits"


class _Scenario(Value):
    """The name of a scenario, or the path of its file."""

    completes = "scenario"


class _ReplicaName(Value):
    """The name of a replica."""

    def __call__(self, text: str) -> str:
        if not ReplicaName().takes(text):
            raise ValueError(f"{text!r} is no name of a replica: it has {ReplicaName.words}.")
        return text


class _StoreReference(Value):
    """Where workspaces are kept."""

    def __call__(self, text: str) -> str:
        if not StoreReference().takes(text):
            raise ValueError(f"{text!r} is no store: it must be {StoreReference.words}.")
        return text


class _Names(Value):
    """Several texts with commas between them, as a list."""

    def __call__(self, text: str) -> list[str]:
        return [name for name in text.split(",") if name]


def flags() -> Iterator[Option]:
    """The flags of all settings, in the order of their declaration; their values have the settings' names."""
    for row in declared():
        yield _flag(row)


def _flag(setting: Declared) -> Option:
    """The flag of a setting; the value can also be given by an environment variable, `MOCKSERVER_...`."""
    declaration = setting.declaration
    return option(
        f"--{setting.name.replace('_', '-')}",
        action=_action(declaration.type),
        type=_value(declaration.type),
        default=setting.default if declaration.flag_default is None else declaration.flag_default,
        help=declaration.help,
        metavar=declaration.metavar,
        envvar=variable(setting.name),
        section=_SETTINGS if declaration.beyond is None else _LIMITS,
    )


def _action(type_: ValueType) -> str:
    if isinstance(type_, YesOrNo):
        return "store_true"
    return "extend" if type_.is_list else "store"


@singledispatch
def _value(type_: ValueType) -> Value:
    """How the words of a setting's flag are read."""
    return Value()


@_value.register
def _(type_: WholeNumber) -> Value:
    return Integer(type_.least if type_.least_of_flag is None else type_.least_of_flag, type_.most)


@_value.register
def _(type_: Seconds) -> Value:
    return SecondsValue(0, above=True)


@_value.register
def _(type_: Choice) -> Value:
    return OneOf(type_.choices)


@_value.register
def _(type_: PathType) -> Value:
    return PathValue(exists=type_.exists, file=type_.file, folder=type_.folder)


@_value.register
def _(type_: ReplicaName) -> Value:
    return _ReplicaName()


@_value.register
def _(type_: StoreReference) -> Value:
    return _StoreReference()


@_value.register
def _(type_: Texts) -> Value:
    return _Names()


@_value.register
def _(type_: ScenarioReference) -> Value:
    return _Scenario()

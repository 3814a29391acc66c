"""The flags of `serve`, which follow from the declared settings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import click

from mockserver.cli.environment import variable
from mockserver.cli.known_names import names_of
from mockserver.cli.program import Option
from mockserver.cli.values import Integer
from mockserver.cli.values import Seconds as SecondsValue
from mockserver.settings import declared
from mockserver.settings.declaration import (
    Choice,
    Declared,
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


def flags() -> Iterator[Option]:
    """Yield the flags of all settings, in the order of their declaration; their values have the settings' names."""
    for row in declared():
        yield _flag(row)


def _flag(setting: Declared) -> Option:
    """Return the flag of a setting; the value can also be given by an environment variable, `MOCKSERVER_...`."""
    declaration = setting.declaration
    return Option(
        [f"--{setting.name.replace('_', '-')}"],
        default=setting.default if declaration.flag_default is None else declaration.flag_default,
        help=declaration.help,
        metavar=declaration.metavar,
        envvar=variable(setting.name),
        section=_SETTINGS if declaration.beyond is None else _LIMITS,
        **_reading(declaration.type),
    )


@singledispatch
def _reading(type_: ValueType) -> dict[str, Any]:
    """Return what click needs to read the words of a setting's flag."""
    return {}


@_reading.register
def _(type_: YesOrNo) -> dict[str, Any]:
    return {"is_flag": True}


@_reading.register
def _(type_: WholeNumber) -> dict[str, Any]:
    return {"type": Integer(type_.least if type_.least_of_flag is None else type_.least_of_flag, type_.most)}


@_reading.register
def _(type_: Seconds) -> dict[str, Any]:
    return {"type": SecondsValue(0, min_open=True)}


@_reading.register
def _(type_: Choice) -> dict[str, Any]:
    return {"type": click.Choice(list(type_.choices))}


@_reading.register
def _(type_: PathType) -> dict[str, Any]:
    return {"type": click.Path(exists=type_.exists, file_okay=type_.file, dir_okay=type_.folder)}


@_reading.register
def _(type_: ReplicaName) -> dict[str, Any]:
    return {"type": _Taken(type_, "name of a replica: it has")}


@_reading.register
def _(type_: StoreReference) -> dict[str, Any]:
    return {"type": _Taken(type_, "store: it must be")}


@_reading.register
def _(type_: Texts) -> dict[str, Any]:
    return {"multiple": True, "callback": lambda ctx, param, given: _names(given)}


@_reading.register
def _(type_: ScenarioReference) -> dict[str, Any]:
    return {"shell_complete": names_of("scenario")}


class _Taken(click.types.StringParamType):
    """A text that a setting takes; `why` follows "is no" in the message about another one."""

    def __init__(self, type_: ReplicaName | StoreReference, why: str) -> None:
        self._type, self._why = type_, why

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if self._type.takes(value) else self.fail(f"{value!r} is no {self._why} {self._type.words}.")


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts of a list, each of which may have several with commas between them."""
    return tuple(name for text in given for name in text.split(",") if name)

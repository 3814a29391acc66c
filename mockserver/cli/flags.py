"""The flags of `serve`, which follow from the declared settings."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import click

from mockserver.cli.environment import variable
from mockserver.cli.output import Finite
from mockserver.settings import declared
from mockserver.settings.declaration import Declared
from mockserver.settings.value_types import Choice, PathType, Seconds, ValueType, WholeNumber, YesOrNo


class Flag(click.Option):
    """The flag of a setting; the value can also be given by an environment variable, `MOCKSERVER_...`."""

    def __init__(self, setting: Declared) -> None:
        declaration = setting.declaration
        default = setting.default if declaration.flag_default is None else declaration.flag_default
        super().__init__(
            [f"--{setting.name.replace('_', '-')}"],
            type=_click_type(declaration.type),
            default=default,
            show_default=bool(default),
            help=declaration.help,
            metavar=declaration.metavar,
            envvar=variable(setting.name),
            show_envvar=True,
            is_flag=isinstance(declaration.type, YesOrNo),
            multiple=declaration.type.is_list,
            callback=_split if declaration.type.is_list else None,
        )
        #: Of a limit: what the server does when the limit is exceeded; None: the setting is no limit.
        self.beyond = declaration.beyond


def flags() -> list[Flag]:
    """The flags of all settings, in the order of their declaration."""
    return [Flag(row) for row in declared()]


def _split(context: click.Context, flag: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """The values of a flag that was given several times, or with several values between commas."""
    return tuple(value for text in given for value in text.split(",") if value)


@singledispatch
def _click_type(type_: ValueType) -> click.ParamType[Any]:
    """The type with which click reads the values of a setting."""
    return click.STRING


@_click_type.register
def _(type_: WholeNumber) -> click.ParamType[Any]:
    return click.IntRange(type_.least if type_.least_of_flag is None else type_.least_of_flag, type_.most)


@_click_type.register
def _(type_: Seconds) -> click.ParamType[Any]:
    return Finite(0, min_open=True)


@_click_type.register
def _(type_: YesOrNo) -> click.ParamType[Any]:
    return click.BOOL


@_click_type.register
def _(type_: Choice) -> click.ParamType[Any]:
    return click.Choice(type_.choices)


@_click_type.register
def _(type_: PathType) -> click.ParamType[Any]:
    return click.Path(exists=type_.exists, file_okay=type_.file, dir_okay=type_.folder)

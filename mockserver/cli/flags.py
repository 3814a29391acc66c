"""The flags of `serve`, which follow from the declared settings."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import click

from mockserver.cli.environment import variable
from mockserver.cli.output import Finite
from mockserver.settings import declared
from mockserver.settings.declaration import Declared
from mockserver.settings.kinds import Choice, Kind, Place, Seconds, Whole


class Flag(click.Option):
    """A flag for a setting, which can be given by its variable as well."""

    def __init__(self, setting: Declared) -> None:
        declaration = setting.declaration
        default = setting.default if declaration.flag_default is None else declaration.flag_default
        super().__init__(
            [f"--{setting.name.replace('_', '-')}"],
            type=_type_of(declaration.kind),
            default=default,
            show_default=bool(default),
            help=declaration.help,
            metavar=declaration.metavar,
            envvar=variable(setting.name),
            show_envvar=True,
            multiple=declaration.kind.is_list,
            callback=_split if declaration.kind.is_list else None,
        )
        #: Of a limit, what becomes of what goes beyond it.
        self.beyond = declaration.beyond


def flags() -> list[Flag]:
    """The flags of all settings, in their order."""
    return [Flag(row) for row in declared()]


def _split(context: click.Context, flag: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """The values of a flag that was given several times, or with commas."""
    return tuple(name for part in given for name in part.split(",") if name)


@singledispatch
def _type_of(kind: Kind) -> click.ParamType[Any]:
    """How click reads a value of a kind."""
    return click.STRING


@_type_of.register
def _(kind: Whole) -> click.ParamType[Any]:
    return click.IntRange(kind.least if kind.least_of_flag is None else kind.least_of_flag, kind.most)


@_type_of.register
def _(kind: Seconds) -> click.ParamType[Any]:
    return Finite(0, min_open=True)


@_type_of.register
def _(kind: Choice) -> click.ParamType[Any]:
    return click.Choice(kind.choices)


@_type_of.register
def _(kind: Place) -> click.ParamType[Any]:
    return click.Path(exists=kind.exists, file_okay=kind.file, dir_okay=kind.folder)

"""The types of values that options and arguments take, beside those of click."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from mockserver.core.time import duration


class Integer(click.IntRange):
    """A whole number, perhaps within bounds."""

    name = "integer"


class Number(click.FloatRange):
    """A finite number, perhaps within bounds; no bound would hold back `nan`."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        return found if math.isfinite(found) else self.fail(f"{value} is not a finite number.", param, ctx)


class Seconds(Number):
    """A number of seconds, or a duration such as `90s` or `16m`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return super().convert(value, param, ctx)
        is_duration = duration.is_duration(value)
        try:
            return super().convert(str(duration.parse(value).total_seconds()) if is_duration else value, param, ctx)
        except (ValueError, click.BadParameter) as error:
            why = error.message if isinstance(error, click.BadParameter) else error
            told = f"{value!r}: {why}" if is_duration else f"{why} Give seconds, or a duration {duration.EXAMPLES}."
            self.fail(told, param, ctx)


class Token(click.types.StringParamType):
    """A token that a header can hold."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value and not (value.isprintable() and all(ord(sign) < 256 for sign in value)):
            self.fail("it has characters that cannot stand in a header.", param, ctx)
        return value


#: A file that a command reads.
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
#: A file that a command writes.
OUTPUT_FILE = click.Path(dir_okay=False, path_type=Path)
#: A folder that a command reads.
EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

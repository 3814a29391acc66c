"""What commands write, and how they end."""

from __future__ import annotations

import math
import sys
from typing import Any, NoReturn

import click

#: A folder that has to be there.
FOLDER = click.Path(exists=True, file_okay=False)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class Finite(click.FloatRange):
    """A number in a range. `nan`, which no bound holds back, is none, nor is one without an end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return found


def fail(message: str) -> NoReturn:
    """End with 1: found wanting."""
    click.echo(message, err=True)
    sys.exit(1)

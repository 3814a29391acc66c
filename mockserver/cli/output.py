"""What the commands have in common: types of their arguments, `--json`, and the exit with an error."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

#: The type of an option for an existing folder.
FOLDER = click.Path(exists=True, file_okay=False)
#: The flag `--json`, a command's parameter `as_json`.
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
#: The option `--out` of commands that write a scenario.
OUT = click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the scenario there, and not on standard output.",
)


class Finite(click.FloatRange):
    """A finite number in a range; `nan`, which no bound of click excludes, and infinity are refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return found


def fail(message: str) -> NoReturn:
    """Print a message on standard error, and exit with 1."""
    click.echo(message, err=True)
    sys.exit(1)

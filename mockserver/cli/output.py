"""What commands write, and how they end."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

#: A folder that has to be there.
FOLDER = click.Path(exists=True, file_okay=False)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def fail(message: str) -> NoReturn:
    """End with 1: found wanting."""
    click.echo(message, err=True)
    sys.exit(1)

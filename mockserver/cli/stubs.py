"""`stubs`: answers for operations that the mock does not have."""

from __future__ import annotations

import click

from mockserver.cli.openapi_import import from_openapi
from mockserver.cli.program import Program


@click.group(cls=Program)
def stubs() -> None:
    """Answers for operations that the mock does not have."""


stubs.add_command(from_openapi)

"""The commands of the program `mockserver`.

Exit status: 0 for success, 1 for a check that failed or a server that does not answer, 2 for a misused command.
Modules that take long to import are imported by the command that needs them: in a container `health` runs every few
seconds.
"""

from __future__ import annotations

import os

import click

from mockserver.cli.environment import forget_kubernetes as forget_kubernetes
from mockserver.cli.program import Program

#: The module of each command, which is imported when the command is asked for: a server needs none but its own.
_MODULES = {
    "app": "apps",
    "coverage": "coverage",
    "env": "asking",
    "health": "asking",
    "machines": "documents",
    "openapi": "documents",
    "scenarios": "scenarios",
    "serve": "serving",
    "stubs": "stubs",
    "verify": "replaying",
    "wait": "asking",
}


def main() -> None:
    """Run the program with the arguments of its command line, and exit."""
    forget_kubernetes(os.environ)
    commands(prog_name="mockserver")


@click.group(cls=Program, late=_MODULES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(None, "-V", "--version", package_name="mockserver")
def commands() -> None:
    """A stateful mock of the Brevo administration API, v3."""

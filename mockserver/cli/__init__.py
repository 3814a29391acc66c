"""The commands. Exit status: 0 well, 1 found wanting, 2 misused.

Whatever is heavy is imported by the command that needs it: `health` runs every few seconds in a container.
"""

from __future__ import annotations

import os

import click

from mockserver.cli.apps import app
from mockserver.cli.asking import env, health, wait
from mockserver.cli.coverage import coverage
from mockserver.cli.documents import machines, openapi
from mockserver.cli.environment import forget_kubernetes as forget_kubernetes
from mockserver.cli.program import Program
from mockserver.cli.replaying import verify
from mockserver.cli.scenarios import scenarios
from mockserver.cli.serving import serve as serve


def main() -> None:
    """The program's entry."""
    forget_kubernetes(os.environ)
    commands(prog_name="mockserver")


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(None, "-V", "--version", package_name="mockserver")
def commands() -> None:
    """A stateful mock of the Brevo administration API, v3."""


for _command in (serve, health, wait, env, coverage, verify, scenarios, machines, openapi, app):
    commands.add_command(_command)

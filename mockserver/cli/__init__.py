"""The commands of the program `mockserver`.

Exit status: 0 for success, 1 for a check that failed or a server that does not answer, 2 for a misused command.
Modules that take long to import are imported by the command that needs them: in a container `health` runs every few
seconds.
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
from mockserver.cli.stubs import stubs


def main() -> None:
    """Run the program with the arguments of its command line, and exit."""
    forget_kubernetes(os.environ)
    commands(prog_name="mockserver")


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(None, "-V", "--version", package_name="mockserver")
def commands() -> None:
    """A stateful mock of the Brevo administration API, v3."""


for _command in (serve, health, wait, env, coverage, verify, scenarios, machines, openapi, app, stubs):
    commands.add_command(_command)

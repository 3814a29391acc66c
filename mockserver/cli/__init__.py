"""The commands of the program `mockserver`.

Exit status: 0 for success, 1 for a failed check or a server that does not answer, 2 for a misused command, 130 for an
interrupted command. Each command imports slow modules itself: in a container `health` runs every few seconds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from mockserver.cli.environment import forget_kubernetes
from mockserver.cli.output import echo
from mockserver.cli.program import Group, Option, run
from mockserver.settings.distribution import breakage, warning

#: The module of each command, under the headings of the help.
_SECTIONS = {
    "Start a server": {"serve": "serving"},
    "Ask a running server": {
        "app": "apps",
        "ca": "server",
        "coverage": "coverage",
        "env": "server",
        "health": "server",
        "wait": "server",
    },
    "Work with a workspace of a running server": {
        "advance": "clock",
        "clock": "clock",
        "deliveries": "deliveries",
        "dns": "dns",
        "expect": "expect",
        "faults": "faults",
        "lint": "lint",
        "logs": "logs",
        "machines": "machines",
        "mail": "mail",
        "receivers": "deliveries",
        "report": "report",
        "requests": "logs",
        "reset": "workspaces",
        "restore": "workspaces",
        "seed": "state",
        "snapshots": "workspaces",
        "state": "state",
        "stubs": "stubs",
        "trace": "logs",
        "trigger": "deliveries",
        "workspaces": "workspaces",
    },
    "Put a client on trial": {"bisect": "bisect"},
    "Read and check the contract": {
        "drift": "drift",
        "openapi": "contract",
        "scenarios": "scenarios",
        "verify": "contract",
    },
    "Maintain a store (stop the server first)": {"store": "stores"},
    "Set up": {"completion": "completion", "init": "initializing"},
}


def _show_version(ctx: click.Context, param: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        from mockserver import __version__

        echo(f"mockserver, version {__version__}")
        ctx.exit()


#: The program with all commands.
commands = Group(
    "mockserver",
    help="A stateful mock of the Brevo administration API, v3.",
    lazy={name: f"{__name__}.{module}" for section in _SECTIONS.values() for name, module in section.items()},
    sections=_SECTIONS,
    params=[
        Option(
            ["-V", "--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Show the version and exit.",
        )
    ],
)


def main(words: Sequence[str] | None = None) -> None:
    """Run the command of a command line (default: `sys.argv`), and exit."""
    if (sentence := breakage()) is not None:  # another distribution has replaced a part of the package
        echo(f"Error: {sentence}", err=True)
        sys.exit(2)
    if (sentence := warning()) is not None:
        echo(f"warning: {sentence}", err=True)
    forget_kubernetes(os.environ)
    words = sys.argv[1:] if words is None else words
    _refuse_undecodable(words)
    sys.exit(run(commands, words))


def _refuse_undecodable(words: Sequence[str]) -> None:
    """Exit with 2 on arguments or MOCKSERVER variables with invalid UTF-8."""
    given = [(f"argument {ascii(os.fsencode(word))[1:]}", word) for word in words]
    given += [(f"variable {name}", value) for name, value in os.environ.items() if name.startswith("MOCKSERVER_")]
    for place, text in given:
        try:
            text.encode()
        except UnicodeEncodeError:
            echo(f"Error: {place}: not UTF-8 text", err=True)
            sys.exit(2)

"""The commands of the program `mockserver`.

Exit status: 0 for success, 1 for a check that failed or a server that does not answer, 2 for a misused command, 130 for
one that was interrupted. Modules that take long to import are imported by the command that needs them: in a container
`health` runs every few seconds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from mockserver.cli.environment import forget_kubernetes as forget_kubernetes
from mockserver.cli.program import Group, Option, run
from mockserver.settings.distribution import breakage, warning

#: The module of each command, under the headings of the help. It is imported when the command is asked for: a server
#: needs none but its own.
_SECTIONS = {
    "Start a server": {"serve": "serving"},
    "Ask a running server": {
        "app": "apps",
        "ca": "authority",
        "coverage": "coverage",
        "env": "asking",
        "health": "asking",
        "wait": "asking",
    },
    "Work with a workspace of a running server": {
        "advance": "live.clock",
        "clock": "live.clock",
        "deliveries": "live.deliveries",
        "dns": "live.dns",
        "faults": "live.faults",
        "logs": "live.logs",
        "machines": "live.machines",
        "mail": "live.mail",
        "receivers": "live.receivers",
        "reset": "live.workspaces",
        "restore": "live.snapshots",
        "seed": "live.state",
        "snapshot": "live.snapshots",
        "snapshots": "live.snapshots",
        "state": "live.state",
        "stubs": "stubs",
        "trigger": "live.deliveries",
        "workspaces": "live.workspaces",
    },
    "Read and check the contract": {
        "openapi": "documents",
        "scenarios": "scenarios",
        "verify": "replaying",
    },
    "Maintain a store (stop the server first)": {"store": "stores"},
    "Set up": {"completion": "completing", "init": "initializing"},
}


def _show_version(ctx: click.Context, param: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        from mockserver import __version__

        print(f"mockserver, version {__version__}")
        ctx.exit()


#: The program: all commands.
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
    """Run the command that some words ask for, those of the command line if none are given, and exit."""
    _tell_exclusion()
    forget_kubernetes(os.environ)
    words = sys.argv[1:] if words is None else words
    _refuse_undecodable(words)
    sys.exit(run(commands, words))


def _refuse_undecodable(words: Sequence[str]) -> None:
    """Exit with 2 if an argument or a variable of ours holds bytes that are not UTF-8."""
    given = [(f"argument {ascii(os.fsencode(word))[1:]}", word) for word in words]
    given += [(f"variable {name}", value) for name, value in os.environ.items() if name.startswith("MOCKSERVER_")]
    for place, text in given:
        try:
            text.encode()
        except UnicodeEncodeError:
            print(f"Error: {place}: not UTF-8 text", file=sys.stderr)
            sys.exit(2)


def _tell_exclusion() -> None:
    """Exit with 2 where another distribution has replaced a part of the package, and warn where it might."""
    if (sentence := breakage()) is not None:
        print(f"Error: {sentence}", file=sys.stderr)
        sys.exit(2)
    if (sentence := warning()) is not None:
        print(f"warning: {sentence}", file=sys.stderr)

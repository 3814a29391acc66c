"""The environment's settings: `MOCKSERVER_*`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

import click

#: What Kubernetes sets for a service of the name `mockserver`; none of our business.
_OF_KUBERNETES = re.compile(r"MOCKSERVER_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP)(_\w+)?)")
#: Read by the clients of the mock, and by commands that ask a running one.
_OF_CLIENTS = frozenset({"MOCKSERVER_URL", "MOCKSERVER_TOKEN"})


def setting(name: str) -> str:
    """The variable that stands for a flag."""
    return f"MOCKSERVER_{name}"


def forget_kubernetes(environment: Any) -> None:
    """Kubernetes sets MOCKSERVER_PORT to an address for a service of that name; then it is not our setting."""
    if environment.get("MOCKSERVER_PORT", "").startswith(("tcp://", "udp://")):
        del environment["MOCKSERVER_PORT"]


def refuse_unknown(environment: Mapping[str, str], flags: Collection[str]) -> None:
    """End with a usage error if a variable is neither a flag's nor somebody else's."""
    known = {*flags, *_OF_CLIENTS}
    for name in sorted(environment):
        if name.startswith("MOCKSERVER_") and name not in known and not _OF_KUBERNETES.fullmatch(name):
            import difflib

            near = difflib.get_close_matches(name, known, n=1)
            advice = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(sorted(known))}"
            raise click.UsageError(f"unknown setting {name}{advice}")

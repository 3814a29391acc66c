"""The environment's settings: `MOCKSERVER_*`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

import click

_PREFIX = "MOCKSERVER_"
#: What Kubernetes sets for services of the name `mockserver`, or of one that begins so; none of our business.
_OF_KUBERNETES = re.compile(r"MOCKSERVER_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)")
_ADDRESSES = ("tcp://", "udp://", "sctp://")
#: Read by the clients of the mock, and by commands that ask a running one.
_OF_CLIENTS = frozenset({"MOCKSERVER_URL", "MOCKSERVER_TOKEN"})
#: How like a known name one has to be, from 0 to 1, to be taken for a slip of the hand.
_NEAR = 0.75


def variable(setting: str) -> str:
    """The variable that stands for a setting."""
    return f"{_PREFIX}{setting.upper()}"


def forget_kubernetes(environment: Any) -> None:
    """Kubernetes sets MOCKSERVER_PORT to an address for a service of that name; then it is not our setting."""
    if environment.get("MOCKSERVER_PORT", "").startswith(_ADDRESSES):
        del environment["MOCKSERVER_PORT"]


def check_names(environment: Mapping[str, str], settings: Collection[str]) -> None:
    """End with a usage error if a variable looks like a misspelt setting; warn of others that are not known here."""
    known = {name.removeprefix(_PREFIX) for name in (*settings, *_OF_CLIENTS)}
    for name in sorted(environment):
        end = name.removeprefix(_PREFIX)
        if end == name or end in known or _is_of_kubernetes(name, environment[name]):
            continue
        import difflib

        near = difflib.get_close_matches(end.upper(), known, n=1, cutoff=_NEAR)
        if near:
            raise click.UsageError(f"unknown setting {name}; did you mean {_PREFIX}{near[0]}?")
        click.echo(f"warning: {name} is no setting of this program, and is ignored", err=True)


def _is_of_kubernetes(name: str, value: str) -> bool:
    return _OF_KUBERNETES.fullmatch(name) is not None or (name.endswith("_PORT") and value.startswith(_ADDRESSES))

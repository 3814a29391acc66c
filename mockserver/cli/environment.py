"""The environment variables of the settings, `MOCKSERVER_*`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from mockserver.cli.output import echo
from mockserver.cli.program import Misused

_PREFIX = "MOCKSERVER_"
#: The variables that Kubernetes sets in a pod for each service whose name begins with `mockserver`; they are no
#: settings (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
_OF_KUBERNETES = re.compile(r"MOCKSERVER_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)")
#: The beginnings of the addresses that Kubernetes sets as values.
_ADDRESSES = ("tcp://", "udp://", "sctp://")
#: The variables of clients, commands and the pytest plugin, after the prefix.
_OF_CLIENTS = ("ARTIFACTS", "CA", "COMMAND", "IMAGE", "TOKEN", "URL", "WORKSPACE")
#: How similar an unknown name is to a known name, from 0 to 1, to be a misspelling of it. Chosen: a setting with one
#: or two wrong letters is above it.
_NEAR = 0.75


def variable(setting: str) -> str:
    return f"{_PREFIX}{setting.upper()}"


def forget_kubernetes(environment: Any) -> None:
    """Remove MOCKSERVER_PORT if Kubernetes has set it (the address of a service)."""
    if environment.get("MOCKSERVER_PORT", "").startswith(_ADDRESSES):
        del environment["MOCKSERVER_PORT"]


def check_names(environment: Mapping[str, str], settings: Collection[str]) -> None:
    """Warn of unknown variables with the prefix `MOCKSERVER_`."""
    known = {*(name.removeprefix(_PREFIX) for name in settings), *_OF_CLIENTS}
    for name in sorted(environment):
        end = name.removeprefix(_PREFIX)
        if end == name or end in known or _is_of_kubernetes(name, environment[name]):
            continue
        import difflib

        near = difflib.get_close_matches(end.upper(), known, n=1, cutoff=_NEAR)
        if near:
            raise Misused(f"unknown setting {name}; did you mean {_PREFIX}{near[0]}?")
        echo(f"warning: {name} is no setting of this program, and is ignored", err=True)


def _is_of_kubernetes(name: str, value: str) -> bool:
    return _OF_KUBERNETES.fullmatch(name) is not None or (name.endswith("_PORT") and value.startswith(_ADDRESSES))

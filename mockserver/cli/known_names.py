"""The names that a shell completes: those of every server, of scenarios here, and of what a running server has.

They are asked for while somebody waits at a prompt: what takes long, or goes wrong, gives no names.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from mockserver.cli.framework import Misused
from mockserver.cli.remote import RequestRefused, Unreachable, read, root_of, send
from mockserver.settings import data_folder
from mockserver.testing import names

#: How long all may take, in seconds. Chosen: who waits longer at a prompt thinks that the shell hangs.
_LONGEST_S = 1.0
#: What else than letters and digits a name may have, so that no shell takes it for something else.
_HARMLESS = "-_.@+"
#: How many names are offered at most. Chosen: nobody reads more.
_MOST = 200
#: By kind, where a server tells what it has, and the member of a row that is its name.
_ON_SERVERS = {
    "workspace": ("/_mock/workspaces", "name"),
    "snapshot": ("/_mock/snapshots", "name"),
    "stub": ("/_mock/stubs", "id"),
    "fault": ("/_mock/faults", "id"),
    "delivery": ("/_mock/deliveries", "id"),
    "app": ("/_mock/oauth/apps", "client_id"),
    "domain": ("/_mock/dns", "domain"),
    "receiver": ("/_mock/receivers", "name"),
}
#: The names that every server knows, by kind.
_EVERYWHERE = {
    "operation": (*get_args(names.ApiOperation), *get_args(names.OtherOperation)),
    "fault kind": get_args(names.FaultName),
    "event": get_args(names.WebhookEvent),
    "machine": get_args(names.MachineName),
    "machine event": get_args(names.MachineEvent),
    "story": get_args(names.Story),
    "event or story": (*get_args(names.WebhookEvent), *get_args(names.Story)),
}


def known_names(kind: str, given: Mapping[str, str]) -> list[str]:
    """The names of a kind, sorted; `given` are the options of the command line, which may tell a server or a folder."""
    if kind in _EVERYWHERE:
        return sorted({*_EVERYWHERE[kind], *(_beyond() if kind == "operation" else ())})
    try:
        with _in_time():
            names = _scenarios(given) if kind == "scenario" else _on_server(kind, given)
            return sorted({name for name in names if _is_harmless(name)})[:_MOST]
    except (Unreachable, RequestRefused, Misused, OSError):
        return []


def _beyond() -> Iterable[str]:
    """Return the ids of the operations that stubs answer for."""
    from mockserver.beyond.catalogue import catalogue

    return catalogue()


def _scenarios(given: Mapping[str, str]) -> Iterator[str]:
    """The names of scenarios, by those of their files: to read them takes the server's own libraries."""
    from mockserver.scenario.documents.names import SUFFIXES

    own = given.get("folder") or given.get("scenarios") or os.environ.get("MOCKSERVER_SCENARIOS")
    for folder in (*([Path(own)] if own else []), data_folder("scenarios")):
        for file in folder.iterdir():
            if file.suffix in SUFFIXES:
                yield file.stem


def _on_server(kind: str, given: Mapping[str, str]) -> Iterator[str]:
    if kind not in _ON_SERVERS:
        return
    path, member = _ON_SERVERS[kind]
    root = root_of(given.get("url") or os.environ.get("MOCKSERVER_URL"))
    answer = send(
        root,
        "GET",
        path,
        workspace=given.get("workspace") or os.environ.get("MOCKSERVER_WORKSPACE"),
        token=given.get("token") or os.environ.get("MOCKSERVER_TOKEN"),
        timeout=_LONGEST_S,
    )
    for row in read(root, answer, {"items": list})["items"]:
        if isinstance(row, dict) and isinstance(row.get(member), str):
            yield row[member]


def _is_harmless(name: str) -> bool:
    return (
        bool(name)
        and name.isascii()
        and all(sign.isalnum() or sign in _HARMLESS for sign in name)
        and not name.startswith("-")
    )


@contextmanager
def _in_time() -> Iterator[None]:
    """Let what takes too long end with TimeoutError: a server that sends a byte now and then as well."""
    if not hasattr(signal, "setitimer"):  # on Windows, where none of these shells is at home
        yield
        return
    before = signal.signal(signal.SIGALRM, _give_up)
    signal.setitimer(signal.ITIMER_REAL, _LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _give_up(*_: Any) -> None:
    raise TimeoutError

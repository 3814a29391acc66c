"""The names that a shell completes: those of every server, of scenarios here, and of a running server.

They are asked for while somebody waits at a prompt: what takes long, or fails, gives no names.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from mockserver.settings import data_folder

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

#: How long all may take, in seconds. Chosen: who waits longer at a prompt thinks that the shell hangs.
_LONGEST_S = 1.0
#: What else than letters and digits a name may have, so that no shell takes it for something else.
_HARMLESS = "-_.@+"
#: How many names are offered at most. Chosen: nobody reads more.
_MOST = 200
#: By kind, where a server lists its names, and the member of a row that is its name.
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
#: The names that every server knows, by kind: the types of `mockserver/testing/names.py`.
_EVERYWHERE = {
    "operation": ("ApiOperation", "OtherOperation"),
    "fault kind": ("FaultName",),
    "event": ("WebhookEvent",),
    "machine": ("MachineName",),
    "machine event": ("MachineEvent",),
    "story": ("Story",),
    "event or story": ("WebhookEvent", "Story"),
}

#: Completes a parameter, as click calls it.
Completion = Callable[["click.Context", "click.Parameter", str], "list[CompletionItem]"]


def names_of(kind: str) -> Completion:
    """Return what completes the names of a kind; a scenario may be a file as well."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        found = [name for name in known_names(kind, ctx.params) if name.startswith(incomplete)]
        if kind == "scenario" and not found:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(name) for name in found]

    return complete


def known_names(kind: str, given: Mapping[str, Any]) -> list[str]:
    """Return the names of a kind, sorted; `given` are the values of the command line, such as a server or a folder."""
    if kind == "length":
        return ["next"]
    if kind in _EVERYWHERE:
        return sorted(_everywhere(kind))
    try:
        with _in_time():
            names = _scenarios(given) if kind == "scenario" else _on_server(kind, given)
            return sorted({name for name in names if _is_harmless(name)})[:_MOST]
    except Exception:  # noqa: BLE001  # a prompt shows no errors
        return []


def _everywhere(kind: str) -> set[str]:
    from mockserver.beyond.catalogue import catalogue
    from mockserver.testing import names

    found = {name for type_ in _EVERYWHERE[kind] for name in get_args(getattr(names, type_))}
    return found | set(catalogue()) if kind == "operation" else found


def _scenarios(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of scenarios, by those of their files: to read them takes the server's own libraries."""
    from mockserver.scenario.documents.mistakes import SUFFIXES

    own = given.get("folder") or given.get("scenarios") or os.environ.get("MOCKSERVER_SCENARIOS")
    for folder in (*([Path(own)] if own else []), data_folder("scenarios")):
        for file in folder.iterdir():
            if file.suffix in SUFFIXES:
                yield file.stem


def _on_server(kind: str, given: Mapping[str, Any]) -> Iterator[str]:
    from mockserver.cli.remote import client_of, root_of

    path, member = _ON_SERVERS[kind]
    client = client_of(root_of(given.get("url")), given.get("token"), timeout=_LONGEST_S)
    headers = {"X-Mock-Workspace": given.get("workspace") or "default"}
    for row in client.json("GET", path, headers=headers)["items"]:
        if isinstance(row, dict) and isinstance(row.get(member), str | int):
            yield str(row[member])


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

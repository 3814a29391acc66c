"""Shared options, value types, and shell completion of names."""

from __future__ import annotations

import math
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, get_args

import click

from mockserver.cli.output import echo
from mockserver.cli.program import Decorator, Misused, decorated, option
from mockserver.core.time import duration
from mockserver.settings import data_folder, files

# ------------------------------------------------------------------ values

#: The numbers of flags and variables; Python reads others, such as `+1`, `1_0` and digits of other alphabets.
_NUMBER = re.compile(r"-?(?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)")


class Integer(click.IntRange):
    """A whole number, perhaps within bounds."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and not _NUMBER.fullmatch(value):
            self.fail(f"{value!r} is not a valid integer.", param, ctx)
        return super().convert(value, param, ctx)


class Number(click.FloatRange):
    """A finite number, perhaps within bounds."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and not _NUMBER.fullmatch(value):
            self.fail(f"{value!r} is not a valid number.", param, ctx)
        found = super().convert(value, param, ctx)
        return found if math.isfinite(found) else self.fail(f"{value} is not a finite number.", param, ctx)


class Seconds(Number):
    """Seconds as a number or a duration: `90s`, `16m`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return super().convert(value, param, ctx)
        is_duration = duration.is_duration(value)
        try:
            return super().convert(duration.parse(value).total_seconds() if is_duration else value, param, ctx)
        except (ValueError, click.BadParameter) as error:
            why = error.message if isinstance(error, click.BadParameter) else error
            told = f"{value!r}: {why}" if is_duration else f"{why} Give seconds, or a duration {duration.EXAMPLES}."
            self.fail(told, param, ctx)


class Header(click.types.StringParamType):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value and not (value.isprintable() and all(ord(sign) < 256 for sign in value)):
            self.fail("it has characters that cannot stand in a header.", param, ctx)
        return value


#: A file that a command reads.
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
#: A file that a command writes.
OUTPUT_FILE = click.Path(dir_okay=False, path_type=Path)
#: A folder that a command reads.
EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


def json_object(text: str | None, flag: str) -> dict[str, Any]:
    import json

    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise Misused(f"Invalid value for '{flag}': it is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise Misused(f"Invalid value for '{flag}': it is no JSON object.")
    return found


# ------------------------------------------------------------------ names that a shell completes

#: The most seconds for all names. Chosen: a user who waits longer at a prompt thinks that the shell hangs.
_LONGEST_S = 1.0
#: The names that no shell takes for anything else.
_HARMLESS = re.compile(r"[A-Za-z0-9_.@+][A-Za-z0-9_.@+-]*")
#: The most names that are offered. Chosen: nobody reads more.
_MOST = 200
#: For each kind of names on a server, the path of the list and the member of a row that has the name.
_ON_SERVER = {
    "workspace": ("/_mock/workspaces", "name"),
    "snapshot": ("/_mock/snapshots", "name"),
    "stub": ("/_mock/stubs", "id"),
    "fault": ("/_mock/faults", "id"),
    "delivery": ("/_mock/deliveries", "id"),
    "app": ("/_mock/oauth/apps", "client_id"),
    "domain": ("/_mock/dns", "domain"),
    "receiver": ("/_mock/receivers", "name"),
    "instance": ("/_mock/machines/{machine}", "key"),
    "machine event": ("/_mock/machines/{machine}/{key}", "allowed"),
}
#: For each kind of names that every server knows, the types in `mockserver/testing/names.py`.
_TYPES = {
    "operation": ("ApiOperation", "OtherOperation"),
    "fault kind": ("FaultName",),
    "event": ("WebhookEvent",),
    "machine": ("MachineName",),
    "machine event": ("MachineEvent",),
    "story": ("Story",),
    "event or story": ("WebhookEvent", "Story"),
}


class Name(click.types.StringParamType):
    """A name with shell completion; scenarios may also be files."""

    def __init__(self, kind: str, metavar: str = "") -> None:
        self.kind, self.name = kind, metavar or kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        found = [name for name in known_names(self.kind, ctx.params) if name.startswith(incomplete)]
        if self.kind == "scenario" and not found:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(name) for name in found]


class Workspace(Name, Header):
    """A workspace name, sent as a header."""


def known_names(kind: str, given: Mapping[str, Any]) -> list[str]:
    """Return the sorted names of a kind. `given` are the values of the command line.

    If the server does not answer in time, these are the names that every server knows, or none.
    """
    if kind in _TYPES and kind not in _ON_SERVER:
        return sorted(_everywhere(kind))
    found: list[str] = []

    def collect() -> None:
        try:
            found.extend(_scenarios(given) if kind == "scenario" else _on_server(kind, given))
        except Exception:  # noqa: BLE001  # a prompt shows no errors
            found.clear()

    # In a thread: a server that sends a byte now and then does not hold the prompt either.
    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    thread.join(_LONGEST_S)
    found = found or (list(_everywhere(kind)) if kind in _TYPES else [])
    return sorted({name for name in found if _HARMLESS.fullmatch(name)})[:_MOST]


def _everywhere(kind: str) -> set[str]:
    from mockserver.beyond.catalogue import catalogue
    from mockserver.testing import names

    found = {name for type_ in _TYPES[kind] for name in get_args(getattr(names, type_))}
    return found | set(catalogue()) if kind == "operation" else found


def _scenarios(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of scenario files without reading the files: parsing needs the server's libraries."""
    own = given.get("folder") or given.get("scenarios") or os.environ.get("MOCKSERVER_SCENARIOS")
    for folder in (*([Path(own)] if own else []), data_folder("scenarios")):
        yield from (file.stem for file in folder.iterdir() if files.is_scenario(file.name))


def _on_server(kind: str, given: Mapping[str, Any]) -> Iterable[str]:
    from urllib.parse import quote

    from mockserver.cli.remote import client_of, root_of

    path, member = _ON_SERVER[kind]
    client = client_of(root_of(given.get("url")), given.get("token"), timeout=_LONGEST_S)
    headers = {"X-Mock-Workspace": given.get("workspace") or "default"}
    address = path.format_map({name: quote(str(value), safe="") for name, value in given.items()})
    answer = client.json("GET", address, headers=headers)
    rows = answer["items"] if "items" in answer else [{member: name} for name in answer[member]]
    return [str(row[member]) for row in rows if isinstance(row, dict) and isinstance(row.get(member), str | int)]


# ------------------------------------------------------------------ options

#: The heading in the help of the options that choose a server.
_SERVER = "Which server"
_URL_HELP = "The root address of the server; the default is this machine and MOCKSERVER_PORT or 8003."


def url(help: str = _URL_HELP) -> Decorator:  # noqa: A002  # as click calls it
    return option("--url", envvar="MOCKSERVER_URL", metavar="URL", help=help, section=_SERVER)


def workspace(help: str = "The workspace to speak with.", *, default: str = "default") -> Decorator:  # noqa: A002
    return option(
        "--workspace",
        envvar="MOCKSERVER_WORKSPACE",
        metavar="NAME",
        type=Workspace("workspace"),
        default=default,
        help=help,
        section=_SERVER,
    )


def waiting(help: str) -> Decorator:  # noqa: A002  # as click calls it
    return option("--wait", type=Seconds(0), default=0, show_default=False, metavar="SECONDS", help=help)


def limit(items: str, default: int, least: int = 1) -> Decorator:
    return option("-n", "--limit", type=Integer(least, 1000), default=default, metavar="N", help=f"How many {items}.")


#: The flag `--all` of commands that delete, a command's parameter `every`.
ALL = option("--all", "every", is_flag=True, help="Delete all.")
#: The flag `--json`, a command's parameter `as_json`.
JSON = option("--json", "as_json", is_flag=True, help="Print JSON.")
URL = url()
#: The control token of a server.
TOKEN = option(
    "--token",
    envvar="MOCKSERVER_TOKEN",
    metavar="TOKEN",
    type=Header(),
    help="The server's control token.",
    section=_SERVER,
)


def targeted(*options: Decorator) -> Decorator:
    """Return a decorator for a command that asks a running server.

    The values of the options `--json`, `--url`, `--token` and `--workspace` become one parameter, `target`. The command
    exits with 2 if the server refuses a call, and with 1 if no mock server answers.

    Args:
        options: Those of the four options that the command has.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        @wraps(function)
        def called(
            *, url: str | None, token: str | None, workspace: str = "default", as_json: bool = False, **given: Any
        ) -> Any:
            from mockserver.cli.remote import Target, answered

            target = Target(url, token, workspace, as_json=as_json)
            with answered(target.root):
                return function(target=target, **given)

        return decorated(*options)(called)

    return decorate


#: A server and a workspace; a server.
TARGET, SERVER = targeted(JSON, URL, TOKEN, workspace()), targeted(JSON, URL, TOKEN)

#: The user's own folder of scenarios, a command's parameter `folder`.
SCENARIOS = option(
    "--scenarios",
    "folder",
    envvar="MOCKSERVER_SCENARIOS",
    type=EXISTING_FOLDER,
    metavar="DIR",
    help="A folder of scenarios, searched before the shipped ones.",
)
#: The file into which a command writes.
OUTPUT = option("--out", "--output", "output", type=OUTPUT_FILE, metavar="FILE", help="Write to this file.")


def read_scenario(file: str) -> str:
    """Return the text of a scenario file, or of standard input for `-`; warn of variables in it."""
    try:
        text = (files.read_from(sys.stdin.buffer, file) if file == "-" else files.read_bytes(file)).decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        reason = f"not UTF-8 at byte {error.start}" if isinstance(error, UnicodeDecodeError) else reason
        raise Misused(f"{'stdin' if file == '-' else file} cannot be read: {reason}") from error
    for warning in files.unreplaced(text, file):
        echo(warning, err=True)
    return text


def write(output: Path | None, text: str) -> None:
    """Write a text to the file of `OUTPUT`, or to standard output without a file."""
    if output is None:
        echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Misused(f"cannot write {output}: {error.strerror}") from error

"""The commands. Exit status: 0 well, 1 found wanting, 2 misused."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from mockserver.scenario.library import Library

# Whatever is heavy is imported by the command that needs it: `health` runs every few seconds in a container.

#: What Kubernetes sets for a service of the name `mockserver`; none of our business.
_OF_KUBERNETES = re.compile(r"MOCKSERVER_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP)(_\w+)?)")
#: Read by the clients of the mock, and by commands that ask a running one.
_OF_CLIENTS = frozenset({"MOCKSERVER_URL", "MOCKSERVER_TOKEN"})


def _setting(name: str) -> str:
    return f"MOCKSERVER_{name}"


def main() -> None:
    """The program's entry."""
    forget_kubernetes(os.environ)
    commands(prog_name="mockserver")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mockserver")
def commands() -> None:
    """A stateful mock of the Brevo administration API, v3."""


# ---------------------------------------------------------------------- serve


@commands.command()
@click.option("--host", envvar=_setting("HOST"), default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", envvar=_setting("PORT"), type=click.IntRange(0, 65535), default=8003, show_default=True,
    help="Port to listen on; 0 takes a free one.",
)  # fmt: skip
@click.option(
    "--port-file", envvar=_setting("PORT_FILE"), type=click.Path(dir_okay=False), help="Write the port there."
)
@click.option(
    "--scenario", envvar=_setting("SCENARIO"), default="standard", show_default=True, metavar="NAME|PATH",
    help="What the world looks like at the start.",
)  # fmt: skip
@click.option(
    "--scenarios", envvar=_setting("SCENARIOS"), type=click.Path(), metavar="DIR",
    help="A folder of scenarios, searched before the shipped ones.",
)  # fmt: skip
@click.option(
    "--keys", envvar=_setting("KEYS"), type=click.Choice(["any", "known"]), default="any", show_default=True,
    help="Whether an unknown API key opens the first account, or is refused.",
)  # fmt: skip
@click.option("--seed", envvar=_setting("SEED"), type=int, help="Another seed than the scenario's.")
@click.option(
    "--mailbox-limit", envvar=_setting("MAILBOX_LIMIT"), type=click.IntRange(1), default=1000, show_default=True,
    help="How many e-mails are kept.",
)  # fmt: skip
def serve(**options: Any) -> None:
    """Start the server; its address is the first line that it writes."""
    _refuse_unknown_settings(os.environ)
    gc.disable()  # what is made until the server runs lives as long as the process

    from mockserver.app import create_app
    from mockserver.scenario.mistakes import ScenarioError
    from mockserver.settings import Settings
    from mockserver.web.server import BindError, address, bind, server

    settings = Settings(**options)
    try:
        app = create_app(settings)
        listener = bind(settings.host, settings.port)
    except ScenarioError as error:
        _fail(str(error))
    except BindError as error:
        _fail(str(error))
    if settings.port_file:
        Path(settings.port_file).write_text(f"{listener.getsockname()[1]}\n", encoding="ascii")
    gc.freeze()
    gc.enable()
    print(address(listener), flush=True)
    with contextlib.suppress(KeyboardInterrupt):  # an interrupt is how a shell stops it
        server(app).run(sockets=[listener])


def forget_kubernetes(environment: Any) -> None:
    """Kubernetes sets MOCKSERVER_PORT to an address for a service of that name; then it is not our setting."""
    if environment.get("MOCKSERVER_PORT", "").startswith(("tcp://", "udp://")):
        del environment["MOCKSERVER_PORT"]


def _refuse_unknown_settings(environment: Mapping[str, str]) -> None:
    known = {str(option.envvar) for option in serve.params if isinstance(option, click.Option)} | _OF_CLIENTS
    for name in sorted(environment):
        if name.startswith("MOCKSERVER_") and name not in known and not _OF_KUBERNETES.fullmatch(name):
            import difflib

            near = difflib.get_close_matches(name, known, n=1)
            advice = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(sorted(known))}"
            raise click.UsageError(f"unknown setting {name}{advice}")


def _fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(1)


# ---------------------------------------------------------------------- asking a running server

_URL = click.option(
    "--url", envvar="MOCKSERVER_URL", metavar="URL",
    help="The root address of the server; the default is this machine and MOCKSERVER_PORT or 8003.",
)  # fmt: skip
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@commands.command()
@_URL
@_JSON
def health(url: str | None, as_json: bool) -> None:
    """Ask a running server how it is; exit status 1 if it does not answer."""
    from http.client import HTTPException

    root = url or f"http://127.0.0.1:{os.environ.get('MOCKSERVER_PORT', '8003')}"
    try:
        found = _get(f"{root.rstrip('/')}/_mock/health")
    except (OSError, ValueError, HTTPException) as error:
        _fail(f"{root} does not answer: {error}")
    click.echo(json.dumps(found) if as_json else f"{found['status']}: {found['scenario']} at {root}")


def _get(url: str) -> Any:
    if not url.startswith(("http://", "https://")):
        raise ValueError("not an http address")
    import urllib.request

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, timeout=5) as answer:
        return json.load(answer)


@commands.command()
@click.option("--url", envvar="MOCKSERVER_URL", metavar="URL", help="A running server, whose default world is reset.")
@_JSON
def verify(url: str | None, as_json: bool) -> None:
    """Replay the contract's exchanges, here or against a running server; exit status 1 if one is answered otherwise."""
    from mockserver.fixture import cases
    from mockserver.replay import replay
    from mockserver.verify import over_http, within

    send = over_http(url) if url else within()
    try:
        found = {f"{case.operation}: {case.name}": _differences(replay(case, send)) for case in cases()}
    except OSError as error:
        _fail(f"{url} does not answer: {error}")
    wrong = {name: rows for name, rows in found.items() if rows}
    if as_json:
        click.echo(json.dumps({"exchanges": len(found), "differences": wrong}, indent=2))
    else:
        for name, rows in wrong.items():
            click.echo("\n  ".join([name, *rows]))
        click.echo(f"{len(found) - len(wrong)} of {len(found)} exchanges as promised")
    sys.exit(1 if wrong else 0)


def _differences(exchanges: Iterable[Any]) -> list[str]:
    return [f"{exchange.title}: {row}" for exchange in exchanges for row in exchange.differences]


# ---------------------------------------------------------------------- scenarios

_FOLDER = click.option(
    "--scenarios", "folder", envvar=_setting("SCENARIOS"), type=click.Path(), metavar="DIR",
    help="A folder of scenarios, searched before the shipped ones.",
)  # fmt: skip


@commands.group()
def scenarios() -> None:
    """List, check and show scenarios."""


@scenarios.command("list")
@_FOLDER
@_JSON
def list_scenarios(folder: str | None, as_json: bool) -> None:
    """Names and descriptions of all scenarios."""
    rows = list(_library(folder).describe())
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        click.echo(f"{row['name']:{width}}  {row.get('error') or row['description'].strip()}")


@scenarios.command("check")
@click.argument("names", nargs=-1, metavar="[NAME|PATH]...")
@_FOLDER
@_JSON
def check_scenarios(names: tuple[str, ...], folder: str | None, as_json: bool) -> None:
    """Load scenarios, all if none is named; tell every mistake with its line."""
    from mockserver.scenario.load import load
    from mockserver.scenario.mistakes import ScenarioError

    library = _library(folder)
    found: dict[str, list[dict[str, Any]]] = {}
    for name in names or library.names():
        try:
            load(library.read(name), name="check", title=name)
            found[name] = []
        except ScenarioError as error:
            found[name] = [_mistake(mistake) for mistake in error.mistakes]
    if as_json:
        click.echo(json.dumps(found, indent=2))
    else:
        for name, rows in found.items():
            click.echo("\n".join([row["text"] for row in rows]) or f"{name}: ok")
    sys.exit(1 if any(found.values()) else 0)


def _mistake(mistake: Any) -> dict[str, Any]:
    place = {"file": mistake.mark.file, "line": mistake.mark.line} if mistake.mark else {}
    return {**place, "path": mistake.pointer, "message": mistake.message, "text": str(mistake)}


@scenarios.command("show")
@click.argument("name", metavar="NAME|PATH")
@_FOLDER
@_JSON
def show_scenario(name: str, folder: str | None, as_json: bool) -> None:
    """A scenario with all that it extends, as YAML."""
    from mockserver.scenario.dump import to_yaml
    from mockserver.scenario.mistakes import ScenarioError

    try:
        document = json.loads(json.dumps(_library(folder).read(name), default=_written))
    except ScenarioError as error:
        _fail(str(error))
    click.echo(json.dumps(document, indent=2) if as_json else to_yaml(document), nl=as_json)


def _written(value: Any) -> str:
    from mockserver.resources.section import write_instant

    return write_instant(value)


def _library(folder: str | None) -> Library:
    from mockserver.scenario.library import Library

    return Library(*([Path(folder)] if folder else []))


# ---------------------------------------------------------------------- documents


@commands.command()
@_JSON
def machines(as_json: bool) -> None:
    """Every state machine as a Mermaid diagram."""
    from mockserver.resources.rooms import LIFECYCLES

    found = [row.machine for row in LIFECYCLES.values()]
    if as_json:
        click.echo(json.dumps([{"name": row.name, "mermaid": row.mermaid()} for row in found], indent=2))
        return
    for machine in found:
        click.echo(f"%% {machine.name}\n{machine.mermaid()}\n")


@commands.command()
@_JSON
def openapi(as_json: bool) -> None:
    """The OpenAPI document of the mocked API, as YAML."""
    from mockserver.openapi import document
    from mockserver.scenario.dump import to_yaml

    click.echo(json.dumps(document(), indent=2) if as_json else to_yaml(document()), nl=as_json)

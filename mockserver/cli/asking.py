"""Commands that ask a running server."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import Any

import click

from mockserver.cli.output import JSON, fail

_URL = click.option(
    "--url", envvar="MOCKSERVER_URL", metavar="URL",
    help="The root address of the server; the default is this machine and MOCKSERVER_PORT or 8003.",
)  # fmt: skip


@click.command()
@_URL
@JSON
def health(url: str | None, as_json: bool) -> None:
    """Ask a running server how it is; exit status 1 if it does not answer."""
    from http.client import HTTPException

    root = url or f"http://127.0.0.1:{os.environ.get('MOCKSERVER_PORT', '8003')}"
    try:
        found = _get(f"{root.rstrip('/')}/_mock/health")
    except (OSError, ValueError, HTTPException) as error:
        fail(f"{root} does not answer: {error}")
    click.echo(json.dumps(found) if as_json else f"{found['status']}: {found['scenario']} at {root}")


def _get(url: str) -> Any:
    if not url.startswith(("http://", "https://")):
        raise ValueError("not an http address")
    import urllib.request

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, timeout=5) as answer:
        return json.load(answer)


@click.command()
@click.option("--url", envvar="MOCKSERVER_URL", metavar="URL", help="A running server, whose default world is reset.")
@JSON
def verify(url: str | None, as_json: bool) -> None:
    """Replay the contract's exchanges, here or against a running server; exit status 1 if one is answered otherwise."""
    from mockserver.fixture import cases
    from mockserver.replay import replay
    from mockserver.verify import over_http, within

    send = over_http(url) if url else within()
    try:
        found = {f"{case.operation}: {case.name}": _differences(replay(case, send)) for case in cases()}
    except OSError as error:
        fail(f"{url} does not answer: {error}")
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

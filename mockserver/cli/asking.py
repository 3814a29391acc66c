"""`health`, `wait` and `env`: commands that ask a running server how it is and where it is."""

from __future__ import annotations

import json
import time

import click

from mockserver.cli.output import JSON, Finite, fail
from mockserver.cli.remote import TOKEN, URL, RequestRefused, Unreachable, answer_or_exit, get, health_of, root_of

#: Between two questions whether a server is ready, in seconds; chosen so short that no script waits noticeably longer.
_PAUSE_S = 0.1


@click.command()
@URL
@JSON
def health(url: str | None, as_json: bool) -> None:
    """Ask a running server how it is; exit status 1 if it does not answer."""
    try:
        root = root_of(url)
        found = health_of(root)
    except click.UsageError as error:  # the health check of a container knows 0 and 1 only
        fail(f"{url or 'the server'} does not answer: {error.message}")
    except (Unreachable, RequestRefused) as error:
        fail(str(error))
    click.echo(json.dumps(found) if as_json else f"{found['status']}: {found['scenario']} at {root}")


@click.command()
@URL
@TOKEN
@click.option("--timeout", type=Finite(0), default=30, show_default=True, metavar="SECONDS", help="How long to wait.")
def wait(url: str | None, token: str | None, timeout: float) -> None:
    """Wait until a server is ready; exit status 1 if it is not in time. A token is tried out, too."""
    root = root_of(url)
    deadline = time.monotonic() + timeout
    while (reason := _not_ready(root, deadline - time.monotonic())) is not None:
        if time.monotonic() + _PAUSE_S > deadline:
            fail(f"{root} was not ready within {timeout:g} s: {reason}")
        time.sleep(_PAUSE_S)
    if token:
        answer_or_exit(root, "GET", "/_mock", {}, token=token)
    click.echo(f"ready: {root}")


def _not_ready(root: str, seconds_left: float) -> str | None:
    """Why a server is not ready, or None if it is ready."""
    # At most 5 seconds for one question, so that a server that hangs is asked again; at least time for one exchange.
    timeout = min(5.0, max(0.1, seconds_left))
    try:
        found = json.loads(get(root, "/_mock/readyz", timeout=timeout))
    except (Unreachable, RequestRefused, ValueError, RecursionError) as error:
        return str(error)
    return None if isinstance(found, dict) and found.get("status") == "ok" else "another server answers there"


@click.command()
@URL
@TOKEN
@click.option("--workspace", default="default", show_default=True, metavar="NAME", help="The workspace to speak with.")
def env(url: str | None, token: str | None, workspace: str) -> None:
    """Lines for a shell that lead clients to a running server: `eval "$(mockserver env)"`."""
    from shlex import quote
    from urllib.parse import quote as percent_encoded

    root = root_of(url)
    path = f"/_mock/workspaces/{percent_encoded(workspace, safe='')}"
    found = answer_or_exit(root, "GET", path, {"api_key": str | None}, token=token)
    base = f"{root}/v3" if workspace == "default" else f"{root}/w/{workspace}/v3"
    variables = {
        "MOCKSERVER_URL": root,
        "BREVO_API_URL": base,
        "BREVO_BASE_URL": base,
        "BREVO_API_KEY": found["api_key"] or "",
    }
    for name, value in variables.items():
        click.echo(f"export {name}={quote(value)}")

"""`health`, `wait`, `env`, `ca`: server status, addresses, CA certificate."""

from __future__ import annotations

import json
import socket
import time
from contextlib import suppress
from shlex import quote
from typing import Any

from mockserver.cli.options import JSON, TOKEN, URL, Seconds, targeted, workspace
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Misused, command, option
from mockserver.cli.remote import Target, answered, client_of, health_of, root_of, told
from mockserver.testing.client import MockServerError

#: Between two questions whether a server is ready, in seconds. Chosen: no script waits noticeably longer.
_PAUSE_S = 0.1
#: How long one question may take, in seconds: a server that hangs is asked again.
_QUESTION_S = 5.0


@command("health")
@URL
@JSON
def health(url: str | None, as_json: bool) -> None:
    """Check that a server is up; exit status 1 otherwise.

    Without --url, the port is in the file MOCKSERVER_PORT_FILE, which the server wrote, or it is MOCKSERVER_PORT.
    """
    try:
        root = root_of(url)
        root, found = _asked(root, is_here=url is None)
    except Misused as error:  # the health check of a container knows 0 and 1 only
        fail(error.message)
    except MockServerError as error:
        fail(told(root, error))
    echo(json.dumps(found) if as_json else f"{found['status']}: {found['scenario']} at {root}")


def _asked(root: str, *, is_here: bool) -> tuple[str, dict[str, Any]]:
    """Return a server's address and health; the server here may have been started with the flags --tls and --host."""
    try:
        return root, health_of(client_of(root, checked=not is_here, timeout=_QUESTION_S))
    except MockServerError as error:
        other = root.replace("http:", "https:") if error.members else root.replace("127.0.0.1", socket.gethostname())
        if not is_here or other == root:
            raise
        with suppress(MockServerError):
            return _asked(other, is_here=True)
        raise


@command("wait")
@option("--timeout", type=Seconds(0), default=30.0, metavar="SECONDS", help="How long to wait.")
@URL
@TOKEN
def wait(url: str | None, token: str | None, timeout: float) -> None:
    """Wait until a server is ready; exit status 1 on timeout. Checks the control token, too."""
    root = root_of(url)
    deadline = time.monotonic() + timeout
    while (reason := _not_ready(root, deadline - time.monotonic())) is not None:
        if time.monotonic() + _PAUSE_S > deadline:
            fail(f"not ready within {timeout:g} s: {reason}")
        time.sleep(_PAUSE_S)
    if token:
        with answered(root):
            client_of(root, token).json("GET", "/_mock/workspaces", query={"limit": 1})
    echo(f"ready: {root}")


def _not_ready(root: str, seconds_left: float) -> str | None:
    timeout = min(_QUESTION_S, max(0.1, seconds_left))  # at least time for one exchange
    try:
        found = client_of(root, timeout=timeout).json("GET", "/_mock/readyz")
    except MockServerError as error:
        return told(root, error)
    return None if isinstance(found, dict) and found.get("status") == "ok" else "another program answers there"


@command("env")
@targeted(URL, TOKEN, workspace())
def env(target: Target) -> None:
    """Print environment variables that point clients to a running server: `eval "$(mockserver env)"`."""
    api_key = target.described()["api_key"] or ""
    variables = {
        "MOCKSERVER_URL": target.client.public_url,
        "BREVO_API_URL": f"{target.url}/v3",
        "BREVO_BASE_URL": f"{target.url}/v3",
        "BREVO_API_KEY": api_key,
    }
    for name, value in variables.items():
        echo(f"export {name}={quote(value)}")


@command("ca")
@URL
def ca(url: str | None) -> None:
    """Print the CA certificate that clients of a server with TLS must trust, in PEM.

    The connection that fetches it is not verified. On a network that you do not trust, give the server --tls-ca-file.
    """
    root = root_of(url)
    with answered(root):
        echo(client_of(root, checked=False).call("GET", "/_mock/ca").text, nl=False)

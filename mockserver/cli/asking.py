"""`health`, `wait` and `env`: commands that ask a running server how it is and where it is."""

from __future__ import annotations

import json
import time

from mockserver.cli.options import JSON, SERVER, TOKEN, URL
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Misused, command, option
from mockserver.cli.remote import Target, client_of, health_of, root_of, told
from mockserver.cli.values import Seconds
from mockserver.testing.client import MockServerError, path_segment

#: Between two questions whether a server is ready, in seconds; chosen so short that no script waits noticeably longer.
_PAUSE_S = 0.1
#: How long one question may take, in seconds, so that a server that hangs is asked again.
_QUESTION_S = 5.0


@command("health")
@URL
@JSON
def health(url: str | None, as_json: bool) -> None:
    """Check that a server is up; exit status 1 if it is not."""
    try:
        root = root_of(url)
        try:
            found = health_of(client_of(root, timeout=_QUESTION_S))
        except MockServerError as error:  # the server here may have been started with the flag --tls
            if url is not None or not error.members or not root.startswith("http:"):
                raise
            root = root.replace("http:", "https:", 1)
            found = health_of(client_of(root, checked=False, timeout=_QUESTION_S))
    except Misused as error:  # the health check of a container knows 0 and 1 only
        fail(error.message)
    except MockServerError as error:
        fail(told(root, error))
    echo(json.dumps(found) if as_json else f"{found['status']}: {found['scenario']} at {root}")


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
        Target(root, token).get("/workspaces", limit=1)
    echo(f"ready: {root}")


def _not_ready(root: str, seconds_left: float) -> str | None:
    """Return why a server is not ready, or None if it is ready."""
    timeout = min(_QUESTION_S, max(0.1, seconds_left))  # at least time for one exchange
    try:
        found = client_of(root, timeout=timeout).json("GET", "/_mock/readyz")
    except MockServerError as error:
        return told(root, error)
    return None if isinstance(found, dict) and found.get("status") == "ok" else "another program answers there"


@command("env")
@SERVER
def env(url: str | None, token: str | None, workspace: str) -> None:
    """Print environment variables that point clients to a running server: `eval "$(mockserver env)"`."""
    from shlex import quote

    target = Target(url, token, workspace)
    found, root = target.get(f"/workspaces/{path_segment(workspace)}"), target.root
    base = f"{root}/v3" if workspace == "default" else f"{root}/w/{workspace}/v3"
    variables = {
        "MOCKSERVER_URL": root,
        "BREVO_API_URL": base,
        "BREVO_BASE_URL": base,
        "BREVO_API_KEY": found["api_key"] or "",
    }
    for name, value in variables.items():
        echo(f"export {name}={quote(value)}")

"""`health`, `wait` and `env`: commands that ask a running server how it is and where it is."""

from __future__ import annotations

import json
import time

from mockserver.cli.options import JSON, SERVER, TOKEN, URL
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Misused, command, option
from mockserver.cli.remote import RequestRefused, Unreachable, answer_or_exit, get, health_of, root_of
from mockserver.cli.values import Seconds

#: Between two questions whether a server is ready, in seconds; chosen so short that no script waits noticeably longer.
_PAUSE_S = 0.1


@command("health")
@URL
@JSON
def health(url: str | None, as_json: bool) -> None:
    """Check that a server is up; exit status 1 if it is not."""
    try:
        root = root_of(url)
        try:
            found = health_of(root)
        except RequestRefused:  # the server here may have been started with the flag --tls
            if url is not None or not root.startswith("http:"):
                raise
            root = root.replace("http:", "https:", 1)
            found = health_of(root, checked=False)
    except Misused as error:  # the health check of a container knows 0 and 1 only
        fail(str(error))
    except (Unreachable, RequestRefused) as error:
        fail(str(error))
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
        answer_or_exit(root, "GET", "/_mock", {}, token=token)
    echo(f"ready: {root}")


def _not_ready(root: str, seconds_left: float) -> str | None:
    """Why a server is not ready, or None if it is ready."""
    # At most 5 seconds for one question, so that a server that hangs is asked again; at least time for one exchange.
    timeout = min(5.0, max(0.1, seconds_left))
    try:
        found = json.loads(get(root, "/_mock/readyz", timeout=timeout))
    except (Unreachable, RequestRefused, ValueError, RecursionError) as error:
        return str(error)
    return None if isinstance(found, dict) and found.get("status") == "ok" else "another program answers there"


@command("env")
@SERVER
def env(url: str | None, token: str | None, workspace: str) -> None:
    """Print environment variables that point clients to a running server: `eval "$(mockserver env)"`."""
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
        echo(f"export {name}={quote(value)}")

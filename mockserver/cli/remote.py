"""How commands reach a running server."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from mockserver.cli.output import fail
from mockserver.settings import without_version

if TYPE_CHECKING:
    from urllib.error import HTTPError

URL = click.option(
    "--url", envvar="MOCKSERVER_URL", show_envvar=True, metavar="URL",
    help="The root address of the server; the default is this machine and MOCKSERVER_PORT or 8003.",
)  # fmt: skip
TOKEN = click.option(
    "--token", envvar="MOCKSERVER_TOKEN", show_envvar=True, metavar="TOKEN", help="The server's control token."
)


class Unreachable(Exception):
    """No mockserver answers there."""


class Refused(Exception):
    """The server does not take the call, and says why."""


def root_of(url: str | None) -> str:
    """The root address that is meant, without a slash at its end."""
    return without_version(url or f"http://127.0.0.1:{os.environ.get('MOCKSERVER_PORT', '8003')}")


def get(root: str, path: str, *, token: str | None = None, timeout: float = 5) -> bytes:
    """The body of the answer to a call of the control API that only asks.

    Raises:
        Unreachable: there was no answer, or none of a mockserver.
        Refused: the answer is a problem.
    """
    return send(root, "GET", path, token=token, timeout=timeout)


def send(
    root: str,
    method: str,
    path: str,
    *,
    body: object = None,
    workspace: str | None = None,
    token: str | None = None,
    timeout: float = 5,
) -> bytes:
    """The body of the answer to a call of the control API; proxies are no way to it.

    Raises:
        Unreachable: there was no answer, or none of a mockserver.
        Refused: the answer is a problem.
    """
    import urllib.request
    from http.client import HTTPException
    from urllib.error import HTTPError

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    if not root.startswith(("http://", "https://")):
        raise Unreachable(f"{root} does not answer: not an http address")
    content = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"} if content else {}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if workspace:
        headers["X-Mock-Workspace"] = workspace
    call = urllib.request.Request(f"{root}{path}", content, headers, method=method)
    try:
        with direct.open(call, timeout=timeout) as answer:
            found: bytes = answer.read()
    except HTTPError as error:
        raise refusal(root, error) from error
    except (OSError, ValueError, HTTPException) as error:
        raise Unreachable(f"{root} does not answer: {error}") from error
    return found


def refusal(root: str, error: HTTPError) -> Unreachable | Refused:
    """What a status of 400 or more says: the server's own refusal, or that another one answers there."""
    with error:
        if error.headers.get_content_type() == "application/problem+json":
            return Refused(f"{root}: {json.load(error)['detail']}")
    return Unreachable(f"{root} does not answer as a mockserver: {error}")


def asked(root: str, method: str, path: str, **call: Any) -> Any:
    """The JSON answer to a call of the control API, as `send` makes it; the command ends here if there is none."""
    try:
        answer = send(root, method, path, **call)
        return json.loads(answer) if answer else None
    except Refused as error:
        raise click.UsageError(str(error)) from error
    except Unreachable as error:
        fail(str(error))
    except ValueError as error:
        fail(f"{root} does not answer as a mockserver: {error}")

"""How commands reach a running server."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import date
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

#: Members that an object has, each with its type.
Shape = Mapping[str, Any]
PROBLEM: Shape = {"detail": str}


def _sendable(_: click.Context, __: click.Parameter, token: str | None) -> str | None:
    """A token that can stand in a header."""
    if token and not (token.isprintable() and all(ord(sign) < 256 for sign in token)):
        raise click.BadParameter("it has characters that cannot stand in a header.")
    return token


TOKEN = click.option(
    "--token", envvar="MOCKSERVER_TOKEN", show_envvar=True, metavar="TOKEN", callback=_sendable,
    help="The server's control token.",
)  # fmt: skip


class Unreachable(Exception):
    """No mockserver answers there."""


class RequestRefused(Exception):
    """The server does not take the call, and says why."""


def root_of(url: str | None) -> str:
    """The root address that is meant, without a slash at its end; the command ends here if it is none."""
    root = without_version(url or f"http://127.0.0.1:{os.environ.get('MOCKSERVER_PORT', '8003')}")
    if (wrong := _wrong_address(root)) is not None:
        raise click.UsageError(f"{url or root} is not an http address{wrong}")
    return root


def _wrong_address(root: str) -> str | None:
    """What is wrong with an address, if anything is, as the end of a sentence."""
    from urllib.parse import urlsplit

    if not root.startswith(("http://", "https://")):
        return ""
    try:
        parts = urlsplit(root)
        if not parts.hostname or parts.port == 0:
            return ": it names no server"
    except ValueError as error:
        return f": {error}"
    is_plain = root.isprintable() and " " not in root and parts.path.isascii()
    return None if is_plain else ": it has characters that must be escaped"


def get(root: str, path: str, *, token: str | None = None, timeout: float = 5) -> bytes:
    """The body of the answer to a call of the control API that only asks.

    Raises:
        Unreachable: there was no answer, or none of a mockserver.
        RequestRefused: the answer is a problem.
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
        RequestRefused: the answer is a problem.
    """
    import urllib.request
    from http.client import HTTPException
    from urllib.error import HTTPError

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    content = None if body is None else json.dumps(body, default=_written).encode()
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


def _written(value: object) -> str:
    """The moments that YAML has, and JSON has not."""
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"there is no JSON for {value!r}")


def refusal(root: str, error: HTTPError) -> Unreachable | RequestRefused:
    """What a status of 400 or more says: the server's own refusal, or that another one answers there."""
    from http.client import HTTPException

    with error:
        if error.headers.get_content_type() == "application/problem+json":
            try:
                return RequestRefused(f"{root}: {read(root, error.read(), PROBLEM)['detail']}")
            except (Unreachable, OSError, HTTPException) as other:
                return Unreachable(str(other))
    return Unreachable(f"{root} does not answer as a mockserver: {error}")


def read(root: str, answer: bytes, form: Shape) -> dict[str, Any]:
    """The JSON of an answer, an object that has these members.

    Raises:
        Unreachable: it is another one, as another server gives it.
    """
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise Unreachable(f"{root} does not answer as a mockserver: {error}") from error
    return checked(root, found, form)


def checked(root: str, found: Any, form: Shape) -> dict[str, Any]:
    """What was answered, if it is an object that has these members.

    Raises:
        Unreachable: it is not.
    """
    if not isinstance(found, dict):
        raise Unreachable(f"{root} does not answer as a mockserver: its answer is no object")
    for name, kind in form.items():
        if name not in found or not isinstance(found[name], kind):
            raise Unreachable(f"{root} does not answer as a mockserver: its answer has no {name} as it should be")
    return found


def health_of(root: str) -> dict[str, Any]:
    """How a server is, which any mockserver tells to everybody.

    Raises:
        Unreachable, RequestRefused: as for `send`.
    """
    return read(root, get(root, "/_mock/health"), {"status": str, "scenario": str})


def asked(root: str, method: str, path: str, form: Shape | None, **call: Any) -> Any:
    """The JSON answer to a call of the control API, as `send` makes it; the command ends here if there is none.

    `form` says what it holds; None: there is nothing to tell.
    """
    try:
        answer = send(root, method, path, **call)
        found = None if form is None else read(root, answer, form)
    except RequestRefused as error:
        raise click.UsageError(str(error)) from error
    except Unreachable as error:
        fail(str(error))
    if form is None and answer:
        fail(f"{root} does not answer as a mockserver: it tells what nobody has asked")
    return found

"""Control calls to a running server, for commands."""

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

#: The option `--url`, for `root_of`.
URL = click.option(
    "--url", envvar="MOCKSERVER_URL", show_envvar=True, metavar="URL",
    help="The root address of the server; the default is this machine and MOCKSERVER_PORT or 8003.",
)  # fmt: skip

#: The members that a JSON object must have, each with its type.
Shape = Mapping[str, Any]
#: The shape of a problem (RFC 9457) as the control API gives it.
PROBLEM: Shape = {"detail": str}
#: How long an answer may take, in seconds; chosen far above the milliseconds that a control call takes.
_TIMEOUT_S = 5.0


def _sendable(_: click.Context, __: click.Parameter, token: str | None) -> str | None:
    """A token, if a header can hold it; another one is a usage error."""
    if token and not (token.isprintable() and all(ord(sign) < 256 for sign in token)):
        raise click.BadParameter("it has characters that cannot stand in a header.")
    return token


#: The option `--token`: the control token of the server.
TOKEN = click.option(
    "--token", envvar="MOCKSERVER_TOKEN", show_envvar=True, metavar="TOKEN", callback=_sendable,
    help="The server's control token.",
)  # fmt: skip


class Unreachable(Exception):
    """No mockserver answers at an address: there is no answer, or one of another program."""


class RequestRefused(Exception):
    """A server has refused a control call; the message says why."""


def root_of(url: str | None) -> str:
    """The root address of a server, without a slash at its end; without `url`, that of the default server here.

    Raises:
        click.UsageError: the address is no http address.
    """
    root = without_version(url or f"http://127.0.0.1:{os.environ.get('MOCKSERVER_PORT', '8003')}")
    if (reason := _address_error(root)) is not None:
        raise click.UsageError(f"{url or root} is not an http address{reason}")
    return root


def _address_error(root: str) -> str | None:
    """Why an address is not usable, as the end of a sentence and perhaps empty; None if it is usable."""
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


def get(root: str, path: str, *, token: str | None = None, timeout: float = _TIMEOUT_S) -> bytes:
    """The body of the answer to a GET of the control API, which may take `timeout` seconds.

    Raises:
        Unreachable: there was no answer, or one of another program.
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
    timeout: float = _TIMEOUT_S,
) -> bytes:
    """The body of the answer to a control call, which may take `timeout` seconds; proxies of the environment are not
    used.

    `body` is sent as JSON, None as no body.

    Raises:
        Unreachable: there was no answer, or one of another program.
        RequestRefused: the answer is a problem.
    """
    import urllib.request
    from http.client import HTTPException
    from urllib.error import HTTPError

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    content = None if body is None else json.dumps(body, default=_isoformat).encode()
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


def _isoformat(value: object) -> str:
    """A date or moment of YAML, which JSON lacks, in ISO 8601."""
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"there is no JSON for {value!r}")


def refusal(root: str, error: HTTPError) -> Unreachable | RequestRefused:
    """The error for an answer with a status of 400 or more: a problem is a refusal, all else is of another program."""
    from http.client import HTTPException

    with error:
        if error.headers.get_content_type() == "application/problem+json":
            try:
                return RequestRefused(f"{root}: {read(root, error.read(), PROBLEM)['detail']}")
            except (Unreachable, OSError, HTTPException) as other:
                return Unreachable(str(other))
    return Unreachable(f"{root} does not answer as a mockserver: {error}")


def read(root: str, answer: bytes, shape: Shape) -> dict[str, Any]:
    """The JSON object of an answer that has the members of a shape.

    Raises:
        Unreachable: the answer is anything else, as another program gives it.
    """
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise Unreachable(f"{root} does not answer as a mockserver: {error}") from error
    return checked(root, found, shape)


def checked(root: str, found: Any, shape: Shape) -> dict[str, Any]:
    """A value of an answer's JSON, which is an object that has the members of a shape.

    Raises:
        Unreachable: the value is anything else, as another program gives it.
    """
    if not isinstance(found, dict):
        raise Unreachable(f"{root} does not answer as a mockserver: its answer is no object")
    for name, type_ in shape.items():
        if name not in found or not isinstance(found[name], type_):
            raise Unreachable(f"{root} does not answer as a mockserver: its answer has no {name} as it should be")
    return found


def health_of(root: str) -> dict[str, Any]:
    """The answer of `/_mock/health`, which needs no token and which only a mockserver gives.

    Raises:
        Unreachable: there was no answer, or one of another program.
        RequestRefused: the answer is a problem.
    """
    return read(root, get(root, "/_mock/health"), {"status": str, "scenario": str})


def answer_or_exit(root: str, method: str, path: str, shape: Shape | None, **options: Any) -> Any:
    """The JSON answer to a control call; exits with 2 if the call is refused, and with 1 if no mockserver answers.

    `shape` names the members that the answer must have; None: it must be empty. `options` are those of `send`.
    """
    try:
        answer = send(root, method, path, **options)
        found = None if shape is None else read(root, answer, shape)
    except RequestRefused as error:
        raise click.UsageError(str(error)) from error
    except Unreachable as error:
        fail(str(error))
    if shape is None and answer:
        fail(f"{root} does not answer as a mockserver: it tells what nobody has asked")
    return found

"""Control calls to a running server, for commands."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, cast

import click

from mockserver.cli.output import fail
from mockserver.cli.program import Misused
from mockserver.settings import without_version

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, HTTPSHandler

#: The members that a JSON object must have, each with its type.
Shape = Mapping[str, Any]
#: The shape of a problem (RFC 9457) as the control API gives it.
PROBLEM: Shape = {"detail": str}
#: How long an answer may take, in seconds; chosen far above the milliseconds that a control call takes.
_TIMEOUT_S = 5.0
#: The header of each option of a control call.
_HEADERS = {
    "workspace": "X-Mock-Workspace",
    "token": "Authorization",
    "media": "Content-Type",
    "accept": "Accept",
    "last_event": "Last-Event-ID",
    "key": "api-key",
}


class Unreachable(Exception):
    """No mockserver answers at an address: there is no answer, or one of another program."""


class RequestRefused(Exception):
    """A server has refused a control call; the message says why."""


def root_of(url: str | None) -> str:
    """The root address of a server, without a slash at its end; without `url`, that of the default server here.

    Raises:
        Misused: the address is no http address.
    """
    root = without_version(url or _here())
    if (reason := _address_error(root)) is not None:
        raise Misused(f"{url or root} is not the address of a server{reason}")
    return root


def _here() -> str:
    """The root address of the default server here: the environment may be the one in which it was started.

    Raises:
        Misused: MOCKSERVER_TLS says neither yes nor no.
    """
    try:
        speaks_tls = click.BOOL.convert(os.environ.get("MOCKSERVER_TLS") or "no", None, None)
    except click.BadParameter as error:
        raise Misused(f"MOCKSERVER_TLS: {error.message}") from error
    scheme = "https" if speaks_tls and not os.environ.get("MOCKSERVER_TLS_PORT") else "http"
    return f"{scheme}://127.0.0.1:{os.environ.get('MOCKSERVER_PORT', '8003')}"


def _address_error(root: str) -> str | None:
    """Why an address is not usable, as the end of a sentence and perhaps empty; None if it is usable."""
    from urllib.parse import urlsplit

    if not root.startswith(("http://", "https://")):
        return f": it must begin with http:// or https://; did you mean http://{root}?"
    try:
        parts = urlsplit(root)
        if not parts.hostname or parts.port == 0:
            return ": it names no server"
        if "@" in parts.netloc or parts.query or parts.fragment:
            return ": it has more than the server's name, port and path"
    except ValueError as error:
        return f": {error}"
    is_plain = root.isprintable() and " " not in root and parts.path.isascii()
    return None if is_plain else ": it has characters that must be escaped"


def get(root: str, path: str, *, token: str | None = None, timeout: float = _TIMEOUT_S, checked: bool = True) -> bytes:
    """The body of the answer to a GET of the control API, which may take `timeout` seconds; `checked` as for `send`.

    Raises:
        Unreachable: there was no answer, or one of another program.
        RequestRefused: the answer is a problem.
    """
    return send(root, "GET", path, token=token, timeout=timeout, checked=checked)


def send(
    root: str,
    method: str,
    path: str,
    *,
    body: object = None,
    timeout: float = _TIMEOUT_S,
    checked: bool = True,
    **headers: str | None,
) -> bytes:
    """The body of the answer to a control call, which may take `timeout` seconds.

    The options are those of `opened`.

    Raises:
        Unreachable: there was no answer, or one of another program.
        RequestRefused: the answer is a problem.
    """
    from http.client import HTTPException

    from mockserver.testing.answers import body_of, unreachable

    try:
        with opened(root, method, path, body=body, timeout=timeout, checked=checked, **headers) as answer:
            return body_of(answer)
    except (OSError, HTTPException) as error:
        raise Unreachable(unreachable(root, error)) from error


def opened(
    root: str,
    method: str,
    path: str,
    *,
    body: object = None,
    timeout: float = _TIMEOUT_S,
    checked: bool = True,
    **headers: str | None,
) -> Any:
    """The answer to a control call, to be read and closed; proxies of the environment are not used.

    `body` is sent as JSON, bytes as they are, None as no body. Where it is not `checked`, a server that speaks TLS may
    have any certificate; so may the default server here. `headers` are `workspace`, `token`, `media` (the type of a
    body of bytes), `accept` (that of the answer) and `last_event` (after which a stream is to go on). Nothing may take
    more than `timeout` seconds to come.

    Raises:
        Unreachable: there was no answer, or one of another program.
        RequestRefused: the answer is a problem.
    """
    import urllib.request
    from http.client import HTTPException
    from urllib.error import HTTPError

    from mockserver.testing.answers import unreachable

    direct = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), _no_redirect(), *_secured(root, checked=checked)
    )
    content = body if isinstance(body, bytes | None) else json.dumps(body, default=_isoformat).encode()
    sent = _sent(headers, has_content=content is not None)
    call = urllib.request.Request(f"{root}{path}", content, sent, method=method)
    try:
        return direct.open(call, timeout=timeout)
    except HTTPError as error:
        raise refusal(root, error) from error
    except (OSError, ValueError, HTTPException) as error:
        raise Unreachable(unreachable(root, error)) from error


def _sent(headers: Mapping[str, str | None], *, has_content: bool) -> dict[str, str]:
    """The headers of a control call, by their names in HTTP."""
    sent = {_HEADERS[name]: value for name, value in headers.items() if value}
    if "Authorization" in sent:
        sent["Authorization"] = f"Bearer {sent['Authorization']}"
    if has_content:
        sent.setdefault("Content-Type", "application/json")
    return sent


def _no_redirect() -> HTTPRedirectHandler:
    """What takes a redirect, which no mock server gives here, for an answer."""
    from urllib.request import HTTPRedirectHandler

    class NoRedirect(HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            """Follow no redirect."""

    return NoRedirect()


def _secured(root: str, *, checked: bool) -> list[HTTPSHandler]:
    """What speaks TLS with a server, if it is called over that.

    Raises:
        Misused: the file of MOCKSERVER_CA cannot be read, or holds no certificates.
    """
    if not root.startswith("https://"):
        return []
    from urllib.request import HTTPSHandler

    from mockserver.testing import trust

    try:
        context = trust.trusting() if checked and root != _here() else trust.unchecked()
    except ValueError as error:
        raise Misused(str(error)) from error
    return [HTTPSHandler(context=context)]


def _isoformat(value: object) -> str:
    """A date or moment of YAML, which JSON lacks, in ISO 8601."""
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"there is no JSON for {value!r}")


def refusal(root: str, error: HTTPError) -> Unreachable | RequestRefused:
    """The error for an answer with a status of 400 or more: a problem is a refusal, all else is of another program."""
    from http.client import HTTPException

    from mockserver.testing.answers import body_of

    with error:
        if error.headers.get_content_type() == "application/problem+json":
            try:
                return RequestRefused(
                    f"{root}: {read(root, body_of(cast('HTTPResponse', error.fp)), PROBLEM)['detail']}"
                )
            except (Unreachable, OSError, HTTPException) as other:
                return Unreachable(str(other))
    return _other_program(root, f"it answers {error.code} {error.reason}")


def _other_program(root: str, why: str) -> Unreachable:
    return Unreachable(f"no mock server answers at {root}: {why}")


def read(root: str, answer: bytes, shape: Shape) -> dict[str, Any]:
    """The JSON object of an answer that has the members of a shape.

    Raises:
        Unreachable: the answer is anything else, as another program gives it.
    """
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise _other_program(root, f"its answer is not JSON ({error})") from error
    return checked(root, found, shape)


def checked(root: str, found: Any, shape: Shape) -> dict[str, Any]:
    """A value of an answer's JSON, which is an object that has the members of a shape.

    Raises:
        Unreachable: the value is anything else, as another program gives it.
    """
    if not isinstance(found, dict):
        raise _other_program(root, "its answer is not a JSON object")
    for name, type_ in shape.items():
        if name not in found or not isinstance(found[name], type_):
            raise _other_program(root, f"its answer has no valid member {name!r}")
    return found


def health_of(root: str, *, checked: bool = True) -> dict[str, Any]:
    """The answer of `/_mock/health`, which needs no token and which only a mockserver gives; `checked` as for `send`.

    Raises:
        Unreachable: there was no answer, or one of another program.
        RequestRefused: the answer is a problem.
    """
    return read(root, get(root, "/_mock/health", checked=checked), {"status": str, "scenario": str})


def answer_or_exit(root: str, method: str, path: str, shape: Shape | None, **options: Any) -> Any:
    """The JSON answer to a control call; exits with 2 if the call is refused, and with 1 if no mockserver answers.

    `shape` names the members that the answer must have; None: it must be empty. `options` are those of `send`.
    """
    try:
        answer = send(root, method, path, **options)
        found = None if shape is None else read(root, answer, shape)
    except RequestRefused as error:
        raise Misused(str(error)) from error
    except Unreachable as error:
        fail(str(error))
    if shape is None and answer:
        fail(str(_other_program(root, "its answer should be empty")))
    return found

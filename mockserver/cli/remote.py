"""A running server, for commands: its address, calls of its control API, and how a command ends that gets no answer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, TypeVar

import click

from mockserver.cli.output import fail
from mockserver.cli.program import Misused
from mockserver.cli.progress import progress
from mockserver.settings import without_version
from mockserver.testing import trust
from mockserver.testing.client import Client, MockServerError

Found = TypeVar("Found")

#: How long an answer may take, in seconds, beyond the time that the server is asked to wait. Chosen: far above the
#: milliseconds that a control call takes.
SPARE_S = 10.0
#: The most seconds for which a command asks the server to wait at once; below the 30 that a control call takes.
_WAIT_S = 25.0


# ------------------------------------------------------------------ addresses


def root_of(url: str | None) -> str:
    """Return the root address of a server, without a slash at its end; without `url`, of the default server here.

    Raises:
        Misused: The address is not an HTTP address.
    """
    root = without_version(url or _here())
    if (reason := _address_error(root)) is not None:
        raise Misused(f"{url or root} is not the address of a server{reason}")
    return root


def _here() -> str:
    """Return the root address of the default server here: the environment may be the one in which it was started.

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
    """Return why an address is not usable, as the end of a sentence and perhaps empty, or None if it is usable."""
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


# ------------------------------------------------------------------ calls


def client_of(root: str, token: str | None = None, *, checked: bool = True, timeout: float = SPARE_S) -> Client:
    """Return a client of the control API of a server, which may take `timeout` seconds to answer.

    Unless `checked`, a server that speaks TLS may have any certificate; so may the default server here.

    Raises:
        Misused: The file of MOCKSERVER_CA cannot be read, or holds no certificates.
    """
    takes_any = root.startswith("https://") and (not checked or root == _here())
    try:
        found = Client(root, token, trust.unchecked() if takes_any else None)
    except ValueError as error:
        raise Misused(str(error)) from error
    found.timeout = timeout
    return found


def health_of(client: Client) -> dict[str, Any]:
    """Return the answer of `/_mock/health`, which needs no token and which only a mock server gives.

    Raises:
        MockServerError: There is no answer, or another program answers.
    """
    found = client.json("GET", "/_mock/health")
    if not isinstance(found, dict) or not all(isinstance(found.get(name), str) for name in ("status", "scenario")):
        raise MockServerError(None, f"no mock server answers at {client.url}: its health is none")
    return found


def told(root: str, error: MockServerError) -> str:
    """Return the sentence about a call that was refused or not answered."""
    if error.members:
        return f"{root}: {error.detail}"
    return error.detail if error.status is None else f"no mock server answers at {root}: {error.detail}"


@contextmanager
def answered(root: str) -> Iterator[None]:
    """Exit with 2 if a call in a `with` block is refused, and with 1 if no mock server answers it."""
    try:
        yield
    except MockServerError as error:
        if error.members:
            raise Misused(told(root, error)) from error
        fail(told(root, error))


class Target:
    """A workspace of a running server. Its methods exit with 2 if a call is refused, with 1 if no server answers."""

    def __init__(self, url: str | None, token: str | None, workspace: str | None = None) -> None:
        """Check that a mock server answers: the answers to later calls are then those of a mock server.

        Args:
            url: The address of the server, as the option gives it.
            token: The control token.
            workspace: The name of the workspace; None: the default one.

        Raises:
            Misused: The address is not an HTTP address.
        """
        self.root = root_of(url)
        self.workspace = workspace or "default"
        self.client = client_of(self.root, token)
        with answered(self.root):
            health_of(self.client)

    def call(self, method: str, path: str, body: object = None, *, timeout: float = SPARE_S, **options: Any) -> Any:
        """Return the JSON value that a control call answers, or None if the answer is empty.

        Args:
            method: The method.
            path: What follows `/_mock`.
            body: What is sent as JSON; None: no body.
            timeout: How long the answer may take, in seconds.
            options: Other options of `Client.json`.
        """
        self.client.timeout = timeout
        with answered(self.root):
            return self.client.json(method, f"/_mock{path}", body=body, **self._named(options))

    def get(self, path: str, /, *, wait: float = 0, **query: Any) -> Any:
        """Return the JSON value that a GET answers, which may wait for so many seconds."""
        wanted = {**query, "wait": f"{wait:.3f}"} if wait > 0 else query
        return self.call("GET", path, query=wanted, timeout=wait + SPARE_S)

    def awaited(self, path: str, wait: float, waiting_for: str, /, **query: Any) -> Any:
        """Return a list, an object `{"items", "count"}`, as soon as it has an item; after so many seconds without."""
        found: Any = None

        def look(seconds: float) -> Any:
            nonlocal found
            found = self.get(path, wait=seconds, **query)
            return found if found["items"] else None

        until(wait, look, waiting_for)
        return found

    def beside(self, workspace: str) -> Target:
        """Return another workspace of the same server."""
        found = copy(self)
        found.workspace = workspace
        return found

    def text(self, path: str, media: str) -> str:
        """Return the text of a media type that a GET answers."""
        with answered(self.root):
            return self.client.call("GET", f"/_mock{path}", **self._named({"headers": {"Accept": media}})).text

    def _named(self, options: dict[str, Any]) -> dict[str, Any]:
        return {**options, "headers": {"X-Mock-Workspace": self.workspace, **options.get("headers", {})}}


def until(seconds: float, look: Callable[[float], Found | None], waiting_for: str) -> Found | None:
    """Return what `look` finds, as soon as it finds something; None if it is not there after so many seconds.

    `look` is told how many seconds it may wait itself; a terminal shows what is waited for.
    """
    deadline = time.monotonic() + seconds
    found = look(0)
    if found is not None or seconds <= 0:
        return found
    with progress(f"waiting for {waiting_for}"):
        while found is None and (left := deadline - time.monotonic()) > 0:
            found = look(min(left, _WAIT_S))
    return found

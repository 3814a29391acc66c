"""A running server for commands: address, control calls, exit status on errors."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import click

from mockserver.cli.output import echo, fail, printable, progress
from mockserver.cli.program import Misused
from mockserver.settings import without_secrets, without_version
from mockserver.settings.files import read_text
from mockserver.testing.client import Client, MockServerError, path_of, unchecked
from mockserver.testing.handles.link import Link

Found = TypeVar("Found")

#: How long an answer may take, in seconds, beyond the time that the server is asked to wait. Chosen: far above the
#: milliseconds that a control call takes.
SPARE_S = 10.0
#: The most seconds for which a command asks the server to wait at once; below the 30 that a control call takes.
_WAIT_S = 25.0
#: The commands in place of control calls in a server's advice, by path; other calls have none.
_COMMANDS = {
    "clock": "clock set", "deliveries": "deliveries", "dns": "dns", "expectations": "expect", "faults": "faults",
    "machines": "machines show", "mailbox": "mail", "oauth/apps": "app", "readyz": "wait", "receivers": "receivers",
    "requests": "logs", "snapshots": "snapshots", "state": "state put", "stubs": "stubs", "workspaces": "workspaces",
}  # fmt: skip
_CALL = re.compile(rf"(?:GET|PUT) /_mock/({'|'.join(_COMMANDS)})((?:/[a-z_]+)?)(?![\w/?])")
#: The most bytes of a file with a port.
_PORT_BYTES = 64


# ------------------------------------------------------------------ addresses


def root_of(url: str | None) -> str:
    """Return the root address of a server (default: the server on this machine), without a trailing slash."""
    root = without_version(url or _here())
    if (reason := _address_error(root)) is not None:
        raise Misused(f"{without_secrets(url or root)} is not the address of a server{reason}")
    return root


def _here() -> str:
    try:
        speaks_tls = click.BOOL.convert(os.environ.get("MOCKSERVER_TLS") or "no", None, None)
    except click.BadParameter as error:
        raise Misused(f"MOCKSERVER_TLS: {error.message}") from error
    scheme = "https" if speaks_tls and not os.environ.get("MOCKSERVER_TLS_PORT") else "http"
    port = os.environ.get("MOCKSERVER_PORT", "8003")
    with suppress(OSError, ValueError):  # without a file, no server has been started in this environment
        port = read_text(os.environ.get("MOCKSERVER_PORT_FILE") or "", _PORT_BYTES).strip() or port
    return f"{scheme}://127.0.0.1:{port}"


def _address_error(root: str) -> str | None:
    """Return the reason for an unusable address (end of a sentence), or None."""
    from urllib.parse import urlsplit

    if not root.startswith(("http://", "https://")):
        return f": it must begin with http:// or https://; did you mean http://{without_secrets(root)}?"
    try:
        parts = urlsplit(root)
        if not parts.hostname or parts.port == 0:
            return ": it names no server"
        if "@" in parts.netloc or parts.query or parts.fragment:
            return ": it has more than the server's name, port and path"
    except ValueError as error:
        return ": its user, name or port is wrong" if "@" in root else f": {error}"
    is_plain = root.isprintable() and " " not in root and parts.path.isascii()
    return None if is_plain else ": it has characters that must be escaped"


# ------------------------------------------------------------------ calls


def client_of(root: str, token: str | None = None, *, checked: bool = True, timeout: float = SPARE_S) -> Client:
    """Return a client of the control API. The default server here may have any certificate."""
    takes_any = root.startswith("https://") and (not checked or root == _here())
    try:
        found = Client(root, token, unchecked() if takes_any else None)
    except ValueError as error:
        raise Misused(str(error)) from error
    found.timeout = timeout
    return found


def health_of(client: Client) -> dict[str, Any]:
    """Return the answer of `/_mock/health`, which needs no token and identifies a mock server."""
    found = client.json("GET", "/_mock/health")
    if not isinstance(found, dict) or not all(isinstance(found.get(name), str) for name in ("status", "scenario")):
        raise MockServerError(None, f"no mock server answers at {client.url}: its health is none")
    return found


def _with_commands(advice: str) -> str:
    """Replace the control calls in a server's advice by commands."""
    return _CALL.sub(lambda call: f"`mockserver {_COMMANDS[call[1]]}{call[2].replace('/', ' ')}`", advice)


def told(root: str, error: MockServerError) -> str:
    """Return the reason for a refused or unanswered call, with commands in place of control calls."""
    if error.members:
        return f"{root}: {_with_commands(error.detail)}"
    return error.detail if error.status is None else f"no mock server answers at {root}: {error.detail}"


def _mistake(file: str, marks: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return a mistake that a server has answered as `scenarios check` prints it."""
    names = [name.replace("~1", "/").replace("~0", "~") for name in row["path"].split("/")[1:]]
    place = "".join(f"[{name}]" if name.isdecimal() else f".{name}" for name in names).lstrip(".")
    line = marks[names[0]].line if names and names[0] in marks else row.get("line")
    return ": ".join(filter(None, (f"{file}:{line}" if line else file, place, _with_commands(row["message"]))))


@contextmanager
def answered(root: str) -> Iterator[None]:
    """Exit with 2 if a call in the `with` block is refused, with 1 without a mock server."""
    try:
        yield
    except MockServerError as error:
        if error.members:
            raise Misused(told(root, error)) from error
        fail(told(root, error))


class Target(Link):
    """A workspace of a running server, chosen by command options."""

    def __init__(self, url: str | None, token: str | None, workspace: str, *, as_json: bool) -> None:
        self.root = root_of(url)
        self.workspace = workspace or "default"
        self.as_json = as_json
        self._is_checked = False
        super().__init__(client_of(self.root, token), {"name": self.workspace})

    def check(self) -> None:
        """Check before the first call that the address belongs to a mock server."""
        if not self._is_checked:
            self.client.public_url = health_of(self.client).get("public_url", self.root)
            self._is_checked = True

    def described(self) -> Any:
        return self.get(path_of("workspaces", self.workspace))

    @property
    def url(self) -> str:
        """The root address of the workspace; after `check` that of `--public-url`."""
        root = self.client.public_url
        return root if self.workspace == "default" else f"{root}/w/{self.workspace}"

    def beside(self, workspace: str) -> Target:
        found = Target(self.root, None, workspace, as_json=self.as_json)
        found.client = self.client
        return found

    def json(
        self, method: str, path: str, *, timeout: float = SPARE_S,
        file: object = None, marks: Mapping[str, Any] | None = None, **options: Any
    ) -> Any:  # fmt: skip
        """Make a control call with its own timeout, in seconds.

        If it sends a file with mistakes, print each with its line, by `marks` if members are sent as JSON; exit with 2.
        """
        self.client.timeout = timeout
        try:
            return super().json(method, path, **options)
        except MockServerError as error:
            if file is None or not error.errors:
                raise
            fail("\n".join(_mistake(str(file), marks or {}, row) for row in error.errors), 2)

    def get(self, path: str, /, *, wait: float = 0, **query: Any) -> Any:
        """Return the JSON value that a GET answers; the server may wait for `wait` seconds."""
        wanted = {**query, "wait": f"{wait:.3f}"} if wait > 0 else query
        return self.json("GET", path, query=wanted, timeout=wait + SPARE_S)

    def awaited(self, path: str, wait: float, waiting_for: str, /, **query: Any) -> Any:
        """Poll a list until an item appears, or for `wait` seconds."""
        found: Any = None

        def look(seconds: float) -> Any:
            nonlocal found
            found = self.get(path, wait=seconds, **query)
            return found if found["items"] else None

        until(wait, look, waiting_for)
        return found

    def show(self, found: Any, text: str | Callable[[Any], object]) -> None:
        """Print an answer: JSON with `--json`, otherwise a text or the output of a function."""
        if self.as_json:
            echo(json.dumps(found))
        elif isinstance(text, str):
            echo(printable(text))
        else:
            text(found)

    def _named(self, options: dict[str, Any]) -> dict[str, Any]:
        self.check()
        return super()._named(options)

    def remove(self, kind: str, names: Sequence[object], *, every: bool = False) -> None:
        """Delete items of a kind such as `stubs`, by name or, with `every`, all; print the names or their number."""
        if every is bool(names):
            raise Misused(f"Give ids (see `mockserver {kind}`), or --all.")
        count = len(self.get(f"/{kind}")["items"]) if every else 0
        for path in [""] if every else map(path_of, names):
            self.delete(f"/{kind}{path}")
        self.show({"deleted": count if every else list(names)}, f"deleted: {count or ' '.join(map(str, names)) or 0}")


def until(seconds: float, look: Callable[[float], Found | None], waiting_for: str) -> Found | None:
    """Call `look` with the remaining seconds until it returns a result or the timeout expires."""
    deadline = time.monotonic() + seconds
    found = look(0)
    if found is not None or seconds <= 0:
        return found
    with progress(f"waiting for {waiting_for}"):
        while found is None and (left := deadline - time.monotonic()) > 0:
            found = look(min(left, _WAIT_S))
    return found

"""A server started by a command for one pytest session, using a free local port."""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
import tempfile
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException

from mockserver.testing.sessions.child import Child

#: Between two questions whether the server is ready, in seconds; chosen: no session waits noticeably.
_PAUSE_S = 0.05
#: How long an answer may take, in seconds, before the next question.
_ANSWER_S = 2.0
#: How many bytes of the end of the command's output are shown; chosen to fit on a screen.
_SHOWN = 4_000
#: The place of the port in a command.
_PORT = "{port}"


class NotStartedError(Exception):
    def __init__(self, reason: str, printed: str = "") -> None:
        super().__init__(reason)
        #: The end of the command's output.
        self.printed = printed


class CommandServer:
    def __init__(self, command: str, timeout_s: float) -> None:
        self._command = command
        self._timeout_s = timeout_s
        self._child: Child | None = None
        #: The output of the command. A file and not a pipe, so that the command never waits for a reader.
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `stop`
        #: The root address of the server, once it is ready.
        self.url: str | None = None

    def start(self) -> str:
        """Start the server once, wait until ready, and return the root address.

        `{port}` in the command becomes the port, which is MOCKSERVER_PORT in its environment, too.
        """
        if self.url is None:
            port = _free_port()
            self._child = self._run(port)
            try:
                self._await_ready(port)
            except NotStartedError:
                self._end()
                raise
            self.url = f"http://127.0.0.1:{port}"
        return self.url

    def trouble(self) -> str | None:
        """Return the exit status and output of a crashed server, or None."""
        if self.url is None or self._child is None or self._child.process.poll() is None:
            return None
        sentence = f"{self._command!r} has ended by itself, with status {self._child.process.returncode}"
        return "\n".join(part for part in (sentence, self._printed()) if part)

    def stop(self) -> None:
        self._end()
        self._output.close()

    def _run(self, port: int) -> Child:
        text = self._command.replace(_PORT, str(port))
        try:
            arguments: str | list[str] = text if sys.platform == "win32" else shlex.split(text)
            if not arguments:
                raise NotStartedError(f"{self._command!r} is no command")
            return Child(arguments, _environment(port), self._output)
        except (OSError, ValueError) as error:
            raise NotStartedError(f"{self._command!r} cannot be run: {error}") from error

    def _await_ready(self, port: int) -> None:
        process = None if self._child is None else self._child.process
        deadline = time.monotonic() + self._timeout_s
        while process is not None and not _is_ready(port):
            if process.poll() is not None:
                raise self._not_started(f"has ended with status {process.returncode} before a server was ready")
            if time.monotonic() > deadline:
                raise self._not_started(f"had no server ready within {self._timeout_s:g} s")
            time.sleep(_PAUSE_S)

    def _not_started(self, what: str) -> NotStartedError:
        return NotStartedError(f"{self._command!r} {what}", self._printed())

    def _printed(self) -> str:
        """Return the end of the output, without control characters."""
        self._output.seek(max(0, self._output.seek(0, os.SEEK_END) - _SHOWN))
        lines = self._output.read().decode(errors="replace").splitlines()
        return "\n".join("".join(sign if sign.isprintable() else " " for sign in line).rstrip() for line in lines)

    def _end(self) -> None:
        if self._child is not None:
            try:
                self._child.end()
            finally:
                self._child = None


def _environment(port: int) -> Mapping[str, str]:
    """Return the command's environment; the client token becomes the server's control token."""
    found = {**os.environ, "MOCKSERVER_PORT": str(port)}
    found.pop("MOCKSERVER_COMMAND", None)
    token = found.get("MOCKSERVER_TOKEN")
    if token and not {"MOCKSERVER_CONTROL_TOKEN", "MOCKSERVER_CONTROL_TOKEN_FILE"} & found.keys():
        found["MOCKSERVER_CONTROL_TOKEN"] = token
    return found


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _is_ready(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=_ANSWER_S)
    try:
        connection.request("GET", "/_mock/readyz")
        answer = connection.getresponse()
        found = json.loads(answer.read())
    except (OSError, HTTPException, ValueError, RecursionError):
        return False
    finally:
        connection.close()
    return answer.status == 200 and isinstance(found, dict) and found.get("status") == "ok"

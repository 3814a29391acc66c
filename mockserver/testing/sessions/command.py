"""A server started by a command for one pytest session, using a free local port."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException

#: Between two questions whether the server is ready, in seconds; chosen: no session waits noticeably.
_PAUSE_S = 0.05
#: How long an answer may take, in seconds, before the next question.
_ANSWER_S = 2.0
#: How long the server may take to stop before it is killed, in seconds; a container engine gives as long.
_STOP_S = 10.0
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
        self._process: subprocess.Popen[bytes] | None = None
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
            self._process = self._run(port)
            try:
                self._await_ready(port)
            except NotStartedError:
                self._end()
                raise
            self.url = f"http://127.0.0.1:{port}"
        return self.url

    def trouble(self) -> str | None:
        """Return the exit status and output of a crashed server, or None."""
        if self.url is None or self._process is None or self._process.poll() is None:
            return None
        sentence = f"{self._command!r} has ended by itself, with status {self._process.returncode}"
        return "\n".join(part for part in (sentence, self._printed()) if part)

    def stop(self) -> None:
        self._end()
        self._output.close()

    def _run(self, port: int) -> subprocess.Popen[bytes]:
        text = self._command.replace(_PORT, str(port))
        try:
            arguments: str | list[str] = text if sys.platform == "win32" else shlex.split(text)
            if not arguments:
                raise NotStartedError(f"{self._command!r} is no command")
            return subprocess.Popen(  # noqa: S603  # the user's own command
                arguments, stdin=subprocess.DEVNULL, stdout=self._output, stderr=subprocess.STDOUT,
                env=_environment(port), start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise NotStartedError(f"{self._command!r} cannot be run: {error}") from error

    def _await_ready(self, port: int) -> None:
        process = self._process
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
        if self._process is not None:
            try:
                end(self._process)
            finally:
                self._process = None


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


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process with all processes of its group."""
    try:
        _ask_to_end(process)
    finally:
        _kill(process)


def _ask_to_end(process: subprocess.Popen[bytes]) -> None:
    """Terminate a process group, and wait some seconds for its end.

    A shell ends at once, but a container only after its client has passed the signal on.
    """
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], check=False, capture_output=True)  # noqa: S603, S607  # of the system
        return
    deadline = time.monotonic() + _STOP_S
    with contextlib.suppress(ProcessLookupError, PermissionError):  # all have ended; the latter on macOS
        os.killpg(process.pid, signal.SIGTERM)
        while time.monotonic() < deadline:
            process.poll()
            os.killpg(process.pid, 0)
            time.sleep(_PAUSE_S)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
